// The bodies of OpenAI's completions and chat completions, validated into GenerateRequests. Pure.
// Beside OpenAI's fields these are read: priority, top_k, min_p, repeat_penalty, deadline_ms (from submission to the
// last token; then finish_reason is "timeout"). Fields that are not known are ignored; those that are known, would
// change the answer and are not offered are refused by name: a best_of that is not n, and echo together with token ids
// or logprobs, among others. A completion's prompt may be an array of strings, an array of token ids, which the model
// gets as they are, or an array of such arrays; each prompt gets n answers, and prompt p's are the choices p * n to p *
// n + n - 1. With a seed, which is then that of each prompt's first answer, the others have the numbers that follow it
// (modulo 2^64): they differ, come again, and do not depend on what else is in the array. A seed of -1 is none, as
// llama.cpp's clients mean it. Logprobs are told with up to RequestLimits::kMaxTopLogprobs alternatives in both kinds
// of body (OpenAI: 5 and 20); see engine/generation/sampling/sampler.h for what they are of, openai_logprobs.h for how
// they look.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/request.h"

namespace llmd::http {

inline constexpr size_t kMaxChoices = service::RequestLimits::kMaxAnswers;

struct OpenAiCall {
    std::vector<service::GenerateRequest> requests;  // one for each choice; all but whose they are
    uint32_t n_per_prompt = 1;
    bool stream = false;
    bool include_usage = false;  // the stream ends with what the request cost
};

// InvalidArgument names the field and its value.
base::Result<OpenAiCall> parse_completion(std::string_view body);
base::Result<OpenAiCall> parse_chat_completion(std::string_view body);

}  // namespace llmd::http
