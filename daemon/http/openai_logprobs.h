// Log-probabilities in OpenAI's two shapes. Pure.
//   - Chat: {"content":[{"token","logprob","bytes","top_logprobs":[…]}],"refusal":null}. `token` has U+FFFD for what is
//     no UTF-8 by itself; `bytes` is what counts.
//   - Completions: {"tokens","token_logprobs","top_logprobs","text_offset"}, arrays side by side. A token that is no
//     UTF-8 by itself is written as "bytes:\xf0\x9f". `text_offset` counts characters of the choice's text. The chosen
//     token is among `top_logprobs` even where it is none of the likeliest; of tokens with the same text, the
//     likeliest.
// Control tokens, which stand for no text, are "".
#pragma once

#include <span>

#include "base/json_writer.h"
#include "http/logprob_aligner.h"

namespace llmd::http {

// The array that is `content` of a chat's.
void write_token_logprobs(base::JsonWriter& json, std::span<const AlignedLogprobs> logprobs);
void write_chat_logprobs(base::JsonWriter& json, std::span<const AlignedLogprobs> logprobs);
// `top_logprobs` is null where none are wanted.
void write_completion_logprobs(base::JsonWriter& json, std::span<const AlignedLogprobs> logprobs, bool wants_top);

}  // namespace llmd::http
