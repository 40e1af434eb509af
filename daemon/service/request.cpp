#include "service/request.h"

#include <array>
#include <numeric>

#include "protocol/frame.h"

namespace llmd::service {
namespace {

constexpr std::array<std::string_view, 3> kPriorities = {"interactive", "normal", "background"};
constexpr std::array<std::string_view, 5> kStates = {"queued", "loading", "prefill", "decode", "paused"};
constexpr std::array<std::string_view, 6> kFinishes = {"stop", "length", "tool_calls", "cancelled", "timeout", "error"};

// Counts the texts that a request brings; a text that a front end has copied for each of a call's answers counts for
// each.
size_t prompt_bytes(const GenerateRequest& request) {
    size_t n = request.prompt.size() + request.prompt_ids.size() * sizeof(int32_t);
    for (const protocol::ChatMessage& message : request.messages) n += text_bytes(message);
    return n;
}

}  // namespace

std::string_view priority_name(Priority priority) {
    return kPriorities[static_cast<size_t>(priority)];
}

std::optional<Priority> priority_from_name(std::string_view name) {
    for (size_t i = 0; i < kPriorities.size(); ++i) {
        if (kPriorities[i] == name) return static_cast<Priority>(i);
    }
    return std::nullopt;
}

std::string_view request_state_name(RequestState state) {
    return kStates[static_cast<size_t>(state)];
}

std::string_view finish_name(Finish finish) {
    return kFinishes[static_cast<size_t>(finish)];
}

size_t text_bytes(const protocol::ChatMessage& message) {
    size_t bytes =
        message.content.size() + message.thinking.size() + message.tool_call_id.size() + message.tool_name.size();
    for (const protocol::ToolCall& call : message.tool_calls) {
        bytes += call.id.size() + call.name.size() + call.arguments.size();
    }
    return bytes;
}

std::string name_of_input(const GenerateRequest& request, size_t input) {
    const std::string_view name = request.input_name, index = kInputIndex;
    if (!name.ends_with(index)) return std::string(name);
    return base::concat(name.substr(0, name.size() - index.size()), '[', input, ']');
}

bool is_preload(const GenerateRequest& request) {
    return request.max_tokens == 0 && request.prompt.empty() && request.messages.empty() &&
           request.prompt_ids.empty() && request.inputs.empty();
}

base::Result<void> check(const GenerateRequest& request) {
    using Limits = RequestLimits;
    if (request.prompt.size() > Limits::kMaxSocketPromptBytes) {
        return base::fail(base::ErrorCode::PromptTooLong, "prompt: ", request.prompt.size(), " bytes are more than ",
                          Limits::kMaxSocketPromptBytes);
    }
    if (!request.prompt.empty() && !request.messages.empty() && (request.echo || !request.tools.empty())) {
        return base::fail(base::ErrorCode::InvalidArgument, "messages: given together with a prompt");
    }
    if (!request.prompt_ids.empty() && !(request.prompt.empty() && request.messages.empty())) {
        return base::fail(base::ErrorCode::InvalidArgument, "prompt_ids: given together with a prompt or messages");
    }
    if (request.prompt_ids.size() > protocol::kMaxArrayElements) {
        return base::fail(base::ErrorCode::PromptTooLong, "prompt_ids: ", request.prompt_ids.size(),
                          " tokens are more than ", protocol::kMaxArrayElements);
    }
    if (!request.inputs.empty()) {
        if (!(request.prompt.empty() && request.messages.empty() && request.prompt_ids.empty())) {
            return base::fail(base::ErrorCode::InvalidArgument, "input: given together with another prompt");
        }
        if (request.inputs.size() > Limits::kMaxInputs) {
            return base::fail(base::ErrorCode::InvalidArgument, "input: ", request.inputs.size(), " are more than ",
                              Limits::kMaxInputs);
        }
        if (!request.fallback.empty()) {
            return base::fail(base::ErrorCode::InvalidArgument,
                              "fallback: not with an embedding, since those of two models cannot be compared");
        }
        size_t input_bytes = 0;
        for (const Prompt& input : request.inputs) {
            input_bytes += input.text.size();
            if (input.ids.size() > protocol::kMaxArrayElements) {
                return base::fail(base::ErrorCode::PromptTooLong, "input: ", input.ids.size(), " tokens are more than ",
                                  protocol::kMaxArrayElements);
            }
        }
        if (input_bytes > Limits::kMaxSocketPromptBytes) {
            return base::fail(base::ErrorCode::PromptTooLong, "input: ", input_bytes, " bytes are more than ",
                              Limits::kMaxSocketPromptBytes);
        }
    }
    // An echo is a text without tokens of its own.
    if (request.echo && (request.top_logprobs || !request.prompt_ids.empty())) {
        return base::fail(base::ErrorCode::InvalidArgument, "echo: given together with logprobs or token ids");
    }
    if (request.messages.size() > Limits::kMaxMessages) {
        return base::fail(base::ErrorCode::InvalidArgument, "messages: ", request.messages.size(), " are more than ",
                          Limits::kMaxMessages);
    }
    size_t content_bytes = 0;
    for (size_t i = 0; i < request.messages.size(); ++i) {
        content_bytes += text_bytes(request.messages[i]);
        if (const size_t n_calls = request.messages[i].tool_calls.size(); n_calls > protocol::kMaxToolCalls) {
            return base::fail(base::ErrorCode::InvalidArgument, "messages[", i, "].tool_calls: ", n_calls,
                              " are more than ", protocol::kMaxToolCalls);
        }
    }
    if (content_bytes > Limits::kMaxSocketPromptBytes) {
        return base::fail(base::ErrorCode::PromptTooLong, "messages: ", content_bytes, " bytes are more than ",
                          Limits::kMaxSocketPromptBytes);
    }
    if (request.json_schema.size() > Limits::kMaxJsonSchemaBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "json_schema: ", request.json_schema.size(),
                          " bytes are more than ", Limits::kMaxJsonSchemaBytes);
    }
    if (request.regex.size() > Limits::kMaxRegexBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "regex: ", request.regex.size(), " bytes are more than ",
                          Limits::kMaxRegexBytes);
    }
    if (request.choices.size() > Limits::kMaxChoices) {
        return base::fail(base::ErrorCode::InvalidArgument, "choices: ", request.choices.size(), " are more than ",
                          Limits::kMaxChoices);
    }
    const size_t choices_bytes = std::accumulate(request.choices.begin(), request.choices.end(), size_t{0},
                                                 [](size_t sum, const std::string& one) { return sum + one.size(); });
    if (choices_bytes > Limits::kMaxChoicesBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "choices: ", choices_bytes, " bytes are more than ",
                          Limits::kMaxChoicesBytes);
    }
    if (request.tools.size() > Limits::kMaxToolsBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "tools: ", request.tools.size(), " bytes are more than ",
                          Limits::kMaxToolsBytes);
    }
    if (request.tool_name.size() > Limits::kMaxToolNameBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "tool_choice: a name of ", request.tool_name.size(),
                          " bytes is longer than ", Limits::kMaxToolNameBytes);
    }
    if (request.caller.application.size() > Limits::kMaxApplicationBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "application: ", request.caller.application.size(),
                          " bytes are more than ", Limits::kMaxApplicationBytes);
    }
    if (request.sampling.min_tokens > request.max_tokens) {
        return base::fail(base::ErrorCode::InvalidArgument, "min_tokens: ", request.sampling.min_tokens,
                          " is out of range");
    }
    return {};
}

base::Result<void> check(const std::vector<GenerateRequest>& requests) {
    if (requests.empty() || requests.size() > RequestLimits::kMaxAnswers) {
        return base::fail(base::ErrorCode::InvalidArgument, "n: ", requests.size(), " answers, must be 1 to ",
                          RequestLimits::kMaxAnswers);
    }
    size_t n_bytes = 0;
    for (const GenerateRequest& request : requests) {
        if (auto checked = check(request); !checked) return checked;
        n_bytes += prompt_bytes(request);
    }
    if (requests.size() > 1 && !requests.front().fallback.empty()) {
        return base::fail(base::ErrorCode::InvalidArgument, "fallback: not with ", requests.size(),
                          " answers, which may not be of several models");
    }
    if (requests.size() > 1 && n_bytes > RequestLimits::kMaxSocketPromptBytes) {
        return base::fail(base::ErrorCode::PromptTooLong, "prompt: ", n_bytes, " bytes for ", requests.size(),
                          " answers are more than ", RequestLimits::kMaxSocketPromptBytes);
    }
    return {};
}

}  // namespace llmd::service
