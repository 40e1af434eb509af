// The bodies of Ollama's generate and chat, validated into a GenerateRequest. Pure.
// A prompt goes to the model as it is; with `system` it is a conversation of two turns, as it is in chat. Fields that
// are not known are ignored, num_ctx and keep_alive too, which llmd decides, and a seed of -1 is none; those that are
// known, would change the answer and are not offered are refused by name.
#pragma once

#include <string_view>

#include "base/result.h"
#include "service/request.h"

namespace llmd::http {

struct OllamaCall {
    service::GenerateRequest request;  // all but whose it is
    bool stream = true;
    bool load_only = false;  // neither a prompt nor messages: the model is only to be loaded
};

// InvalidArgument names the field and its value.
base::Result<OllamaCall> parse_ollama_generate(std::string_view body);
base::Result<OllamaCall> parse_ollama_chat(std::string_view body);

}  // namespace llmd::http
