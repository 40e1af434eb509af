// The bodies of OpenAI's completions and chat completions, validated into a GenerateRequest. Pure.
// Beside OpenAI's fields these are read: priority, top_k, min_p, repeat_penalty. Fields that are not known are ignored;
// those that are known, would change the answer and are not offered are refused by name.
#pragma once

#include <string_view>

#include "base/result.h"
#include "service/request.h"

namespace llmd::ipc::http {

struct OpenAiCall {
    service::GenerateRequest request;  // all but whose it is
    bool stream = false;
    bool include_usage = false;  // the stream ends with what the request cost
};

// InvalidArgument names the field and its value.
base::Result<OpenAiCall> parse_completion(std::string_view body);
base::Result<OpenAiCall> parse_chat_completion(std::string_view body);

}  // namespace llmd::ipc::http
