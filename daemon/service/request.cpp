#include "service/request.h"

#include <array>

#include "protocol/frame.h"

namespace llmd::service {
namespace {

constexpr std::array<std::string_view, 3> kPriorities = {"interactive", "normal", "background"};
constexpr std::array<std::string_view, 5> kStates = {"queued", "loading", "prefill", "decode", "paused"};
constexpr std::array<std::string_view, 6> kFinishes = {"stop", "length", "tool_calls", "cancelled", "timeout", "error"};

base::Error invalid(std::string_view field, double value) {
    return base::fail(base::ErrorCode::InvalidArgument, field, ": ", value, " is out of range");
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

bool is_preload(const GenerateRequest& request) {
    return request.max_tokens == 0 && request.prompt.empty() && request.messages.empty() &&
           request.prompt_ids.empty() && request.inputs.empty();
}

base::Result<void> check(const GenerateRequest& request) {
    using Limits = RequestLimits;
    const Sampling& sampling = request.sampling;
    const auto within = [](double value, double low, double high) { return value >= low && value <= high; };
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
    if (request.top_logprobs > Limits::kMaxTopLogprobs) return invalid("top_logprobs", *request.top_logprobs);
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
    if (request.tools.size() > Limits::kMaxToolsBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "tools: ", request.tools.size(), " bytes are more than ",
                          Limits::kMaxToolsBytes);
    }
    if (request.tool_name.size() > Limits::kMaxToolNameBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "tool_choice: a name of ", request.tool_name.size(),
                          " bytes is longer than ", Limits::kMaxToolNameBytes);
    }
    if (sampling.logit_bias.size() > Limits::kMaxLogitBias) {
        return invalid("logit_bias", static_cast<double>(sampling.logit_bias.size()));
    }
    if (sampling.stop_token_ids.size() > Limits::kMaxStopTokenIds) {
        return invalid("stop_token_ids", static_cast<double>(sampling.stop_token_ids.size()));
    }
    if (request.application.size() > Limits::kMaxApplicationBytes) {
        return base::fail(base::ErrorCode::InvalidArgument, "application: ", request.application.size(),
                          " bytes are more than ", Limits::kMaxApplicationBytes);
    }
    if (!within(request.max_tokens, 0, Limits::kMaxTokens)) return invalid("max_tokens", request.max_tokens);
    if (!within(sampling.temperature, 0, Limits::kMaxTemperature)) return invalid("temperature", sampling.temperature);
    if (sampling.top_k > Limits::kMaxTopK) return invalid("top_k", sampling.top_k);
    if (!within(sampling.top_p, 0, 1)) return invalid("top_p", sampling.top_p);
    if (!within(sampling.min_p, 0, 1)) return invalid("min_p", sampling.min_p);
    if (!(sampling.repeat_penalty > 0 && sampling.repeat_penalty <= Limits::kMaxRepeatPenalty)) {
        return invalid("repeat_penalty", sampling.repeat_penalty);
    }
    if (!within(sampling.presence_penalty, -Limits::kMaxPenalty, Limits::kMaxPenalty)) {
        return invalid("presence_penalty", sampling.presence_penalty);
    }
    if (!within(sampling.frequency_penalty, -Limits::kMaxPenalty, Limits::kMaxPenalty)) {
        return invalid("frequency_penalty", sampling.frequency_penalty);
    }
    if (sampling.min_tokens > request.max_tokens) return invalid("min_tokens", sampling.min_tokens);
    if (request.stops.size() > Limits::kMaxStops) {
        return base::fail(base::ErrorCode::InvalidArgument, "stop: ", request.stops.size(), " strings are more than ",
                          Limits::kMaxStops);
    }
    for (const std::string& stop : request.stops) {
        if (stop.empty() || stop.size() > Limits::kMaxStopBytes) {
            return base::fail(base::ErrorCode::InvalidArgument, "stop: a string of ", stop.size(),
                              " bytes, must be 1 to ", Limits::kMaxStopBytes);
        }
    }
    if (request.keep_alive > Limits::kMaxKeepAlive) {
        return invalid("keep_alive", static_cast<double>(request.keep_alive->count()));
    }
    if (request.deadline && !within(static_cast<double>(request.deadline->count()), 0, Limits::kMaxDeadlineMs)) {
        return invalid("deadline_ms", static_cast<double>(request.deadline->count()));
    }
    return {};
}

}  // namespace llmd::service
