// Answers in the shape of Anthropic's messages: a message whose content is blocks, which are what the model thinks
// (thinking), what it says (text) and the calls of tools that it makes (tool_use), in this order where all of it is
// sent at once and in the model's own order in a stream. Streams are server-sent events, each with its type:
// message_start, for each block content_block_start, content_block_delta and content_block_stop, then message_delta
// with the end and the counts, and message_stop; or error. A call that was cut is in a stream alone, since its input
// is no object. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "http/body_format.h"

namespace llmd::http {

// Makes the format of an answer of one choice.
std::unique_ptr<BodyFormat> make_anthropic_format();

// {"type":"error","error":{"type":…,"message":…,"details":{"error_code":…}}}, with the status of the error. The type
// follows from the status, and the code is that of OpenAI's form (api/errors.h).
Reply anthropic_error(const base::Error& error);
// Likewise with another status than the error's.
Reply anthropic_error(const base::Error& error, unsigned status);

// {"input_tokens":N}
std::string anthropic_count(uint32_t n_tokens);

}  // namespace llmd::http
