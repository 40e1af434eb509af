// Answers in OpenAI's shapes: text_completion, and chat.completion with its chunks; streams are server-sent events.
// Pure.
#pragma once

#include <functional>
#include <memory>

#include "ipc/http/answer_format.h"
#include "service/model_catalogue.h"

namespace llmd::ipc::http {

enum class OpenAiKind : uint8_t { Completion, Chat };

// `n_ctx` tells the length of the loaded model's context when an error is about that.
std::unique_ptr<AnswerFormat> make_openai_format(OpenAiKind kind, bool include_usage, std::function<uint32_t()> n_ctx);

// {"object":"list","data":[…]}
std::string openai_models(const std::vector<service::ModelEntry>& models);

}  // namespace llmd::ipc::http
