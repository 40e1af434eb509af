// The routes of OpenAI's, Anthropic's, Ollama's and llama-server's APIs that llmd does not offer: they are refused by
// their name and in their API's form, with a status that no client tries again. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "http/reply.h"

namespace llmd::http {

// Returns the refusal of a request to `path`, as Api::plain_path() has it, by whichever method it comes; nothing if the
// path is none of these.
std::optional<Reply> refuse_not_offered(std::string_view path);

}  // namespace llmd::http
