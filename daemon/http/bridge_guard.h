// The checks that a request has to pass that came through `llmctl bridge`, beyond HTTP's own rules. The client is a
// program of this user on this device, but it may be a browser: no page must get here by a name of its own that
// resolves to this device (DNS rebinding), nor any page from elsewhere.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bridge_preamble.h"
#include "http/reply.h"

namespace llmd::http {

// Names and values as they came, each as often as it came.
using HeaderList = std::vector<std::pair<std::string_view, std::string_view>>;

// Returns nothing when the request may pass, else its answer. Refused are: a target that is not a path, a missing Host,
// and a Host, Origin, Authorization or X-Api-Key that is given twice (400); a Host that is none of the bridge's names
// with its port (403); an Origin that is neither allowed nor a page of this device (403); a token that is missing or
// wrong in both Authorization and X-Api-Key, by which Anthropic's clients send it (401). A
// browser's question beforehand (CORS-preflight, the Fetch standard), which bears no token, is answered: 204 for an
// origin that is allowed, else 403.
std::optional<Reply> answer_bridged(const base::BridgePreamble& bridge, std::string_view method, std::string_view path,
                                    const HeaderList& headers);

// The headers by which a browser lets the page of the request's origin read the answer; none where no origin is
// allowed, and only that answers differ by origin where this one is not.
ReplyHeaders cors_headers(const base::BridgePreamble& bridge, const HeaderList& headers);

// A refusal of a request to `path` in the form of the API that is there, Ollama's, Anthropic's or OpenAI's.
Reply refuse_in_form(std::string_view path, unsigned status, const base::Error& error);

}  // namespace llmd::http
