// Log-probabilities in OpenAI's two shapes. Pure.
//   - Chat: {"content":[…],"refusal":null}, as api::write_token_logprobs() lists them.
//   - Completions: {"tokens","token_logprobs","top_logprobs","text_offset"}, arrays side by side. A token that is no
//     UTF-8 by itself is written as "bytes:\xf0\x9f". `text_offset` counts characters of the choice's text. The chosen
//     token is among `top_logprobs` even where it is none of the likeliest; of tokens with the same text, the
//     likeliest.
// Control tokens, which stand for no text, are "".
#pragma once

#include <span>

#include "api/logprobs.h"
#include "base/json_writer.h"

namespace llmd::http {

void write_chat_logprobs(base::JsonWriter& json, std::span<const api::AlignedLogprobs> logprobs);
// `top_logprobs` is null where none are wanted.
void write_completion_logprobs(base::JsonWriter& json, std::span<const api::AlignedLogprobs> logprobs, bool wants_top);

}  // namespace llmd::http
