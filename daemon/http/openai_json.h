// Answers in OpenAI's shapes: text_completion, and chat.completion with its chunks; streams are server-sent events, in
// which the choices' texts come as they are made. There is one usage over all choices, in which a prompt counts once,
// however many answers it has; llama.cpp's `timings` are added where there is one choice. What the model thinks is
// `reasoning_content`. A call of a tool that max_tokens cut is sent as far as it came. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "http/body_format.h"
#include "supervisor/model_catalogue.h"

namespace llmd::http {

enum class OpenAiKind : uint8_t { Completion, Chat };

// Each `n_per_prompt` choices in a row answer one prompt. `n_ctx` returns the length of the loaded model's context when
// an error is about that. `top_logprobs` as in GenerateRequest.
std::unique_ptr<BodyFormat> make_openai_format(OpenAiKind kind, uint32_t n_per_prompt, bool include_usage,
                                               std::optional<uint32_t> top_logprobs, std::function<uint32_t()> n_ctx);

std::string openai_model(const supervisor::ModelEntry& model);
// {"object":"list","data":[…]}
std::string openai_models(const std::vector<supervisor::ModelEntry>& models);

}  // namespace llmd::http
