#include "service/request.h"

#include <algorithm>
#include <array>

#include "protocol/frame.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using base::fail;

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
    constexpr auto kInvalid = ErrorCode::InvalidArgument;
    size_t n_input_bytes = 0, longest_input = 0, n_message_bytes = 0, n_choice_bytes = 0;
    for (const Prompt& input : request.inputs) {
        n_input_bytes += input.text.size();
        longest_input = std::max(longest_input, input.ids.size());
    }
    for (const protocol::ChatMessage& message : request.messages) n_message_bytes += text_bytes(message);
    for (const std::string& choice : request.choices) n_choice_bytes += choice.size();
    const bool has_prompt = !request.prompt.empty(), has_messages = !request.messages.empty();
    if (has_prompt && has_messages && (request.echo || !request.tools.empty())) {
        return fail(kInvalid, "messages: given together with a prompt");
    }
    if (!request.prompt_ids.empty() && (has_prompt || has_messages)) {
        return fail(kInvalid, "prompt_ids: given together with a prompt or messages");
    }
    if (!request.inputs.empty() && (has_prompt || has_messages || !request.prompt_ids.empty())) {
        return fail(kInvalid, "input: given together with another prompt");
    }
    if (!request.inputs.empty() && !request.fallback.empty()) {
        return fail(kInvalid, "fallback: not with an embedding, since those of two models cannot be compared");
    }
    // An echo is a text without tokens of its own.
    if (request.echo && (request.top_logprobs || !request.prompt_ids.empty())) {
        return fail(kInvalid, "echo: given together with logprobs or token ids");
    }
    const struct {
        ErrorCode code;
        std::string_view field;
        size_t n;
        std::string_view unit;
        size_t most;
    } bounds[] = {
        {ErrorCode::PromptTooLong, "prompt", request.prompt.size(), " bytes", Limits::kMaxSocketPromptBytes},
        {ErrorCode::PromptTooLong, "prompt_ids", request.prompt_ids.size(), " tokens", protocol::kMaxArrayElements},
        {kInvalid, "input", request.inputs.size(), "", Limits::kMaxInputs},
        {ErrorCode::PromptTooLong, "input", longest_input, " tokens", protocol::kMaxArrayElements},
        {ErrorCode::PromptTooLong, "input", n_input_bytes, " bytes", Limits::kMaxSocketPromptBytes},
        {kInvalid, "messages", request.messages.size(), "", Limits::kMaxMessages},
        {ErrorCode::PromptTooLong, "messages", n_message_bytes, " bytes", Limits::kMaxSocketPromptBytes},
        {kInvalid, "json_schema", request.json_schema.size(), " bytes", Limits::kMaxJsonSchemaBytes},
        {kInvalid, "regex", request.regex.size(), " bytes", Limits::kMaxRegexBytes},
        {kInvalid, "choices", request.choices.size(), "", Limits::kMaxChoices},
        {kInvalid, "choices", n_choice_bytes, " bytes", Limits::kMaxChoicesBytes},
        {kInvalid, "tools", request.tools.size(), " bytes", Limits::kMaxToolsBytes},
        {kInvalid, "application", request.caller.application.size(), " bytes", Limits::kMaxApplicationBytes},
    };
    for (const auto& [code, field, n, unit, most] : bounds) {
        if (n > most) return fail(code, field, ": ", n, unit, " are more than ", most);
    }
    for (size_t i = 0; i < request.messages.size(); ++i) {
        if (const size_t n_calls = request.messages[i].tool_calls.size(); n_calls > protocol::kMaxToolCalls) {
            return fail(kInvalid, "messages[", i, "].tool_calls: ", n_calls, " are more than ",
                        protocol::kMaxToolCalls);
        }
    }
    if (request.tool_name.size() > Limits::kMaxToolNameBytes) {
        return fail(kInvalid, "tool_choice: a name of ", request.tool_name.size(), " bytes is longer than ",
                    Limits::kMaxToolNameBytes);
    }
    if (request.sampling.min_tokens > request.max_tokens) {
        return fail(kInvalid, "min_tokens: ", request.sampling.min_tokens, " is out of range");
    }
    return {};
}

base::Result<void> check(const std::vector<GenerateRequest>& requests) {
    if (requests.empty() || requests.size() > RequestLimits::kMaxAnswers) {
        return fail(ErrorCode::InvalidArgument, "n: ", requests.size(), " answers, must be 1 to ",
                    RequestLimits::kMaxAnswers);
    }
    size_t n_bytes = 0;
    for (const GenerateRequest& request : requests) {
        if (auto checked = check(request); !checked) return checked;
        n_bytes += prompt_bytes(request);
    }
    if (requests.size() > 1 && !requests.front().fallback.empty()) {
        return fail(ErrorCode::InvalidArgument, "fallback: not with ", requests.size(),
                    " answers, which may not be of several models");
    }
    if (requests.size() > 1 && n_bytes > RequestLimits::kMaxSocketPromptBytes) {
        return fail(ErrorCode::PromptTooLong, "prompt: ", n_bytes, " bytes for ", requests.size(),
                    " answers are more than ", RequestLimits::kMaxSocketPromptBytes);
    }
    return {};
}

}  // namespace llmd::service
