#include "api/bus_options.h"

#include <utility>

#include "api/conversation.h"
#include "api/fields.h"
#include "api/history.h"

namespace llmd::api {

namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Value;
using protocol::ChatMessage;
using service::RequestLimits;

// Checks the size of a prompt or of all messages.
Result<void> check_size(std::string_view what, size_t bytes, size_t most) {
    if (bytes <= most) return {};
    return fail(ErrorCode::PromptTooLong, what, ": ", bytes, " bytes are more than ", most);
}

Result<void> take_conversation(Call& call, std::vector<ChatMessage> messages, size_t most_bytes) {
    if (call.request.echo) return fail(ErrorCode::InvalidArgument, "echo: not with a conversation");
    if (call.system) {
        ChatMessage& system = *messages.emplace(messages.begin());
        system.role = ChatMessage::Role::System;
        system.content = *std::move(call.system);
    }
    size_t bytes = 0;
    for (const ChatMessage& message : messages) bytes += service::text_bytes(message);
    call.request.messages = std::move(messages);
    return check_size("messages", bytes, most_bytes);
}

constexpr size_t kMostSocketBytes = RequestLimits::kMaxSocketPromptBytes;

template <typename Take>
Result<Call> read_own(std::string_view body, Take take) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    const auto& object = *json->get<Value::Object>();
    auto call = read_call(object, kBus);
    if (!call) return call;
    FieldReader reader(object);
    if (const Result<void> taken = take(reader, *call); !taken) return taken.error();
    return call;
}

}  // namespace

Result<void> take_prompt(Call& call, std::string prompt, size_t most_bytes) {
    if (call.system || !call.request.tools.empty()) {
        std::vector<ChatMessage> messages(1);
        messages.front().content = std::move(prompt);
        return take_conversation(call, std::move(messages), most_bytes);
    }
    call.request.prompt = std::move(prompt);
    return check_size("prompt", call.request.prompt.size(), most_bytes);
}

Result<void> take_messages(Call& call, Value::Array messages, size_t most_bytes) {
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none");
    const Value::Object holder{{"messages", std::move(messages)}};
    FieldReader reader(holder);
    std::vector<ChatMessage> read;
    read_messages(reader, "messages", MissingContent::Refused, read);
    if (reader.error()) return *reader.error();
    mend_history(read, call.notes);
    if (read.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none that says anything");
    const size_t most = RequestLimits::kMaxMessages - (call.system ? 1 : 0);
    if (read.size() > most) {
        return fail(ErrorCode::InvalidArgument, "messages: ", read.size(), " are more than ", most);
    }
    if (call.system && read.front().role == ChatMessage::Role::System) {
        return fail(ErrorCode::InvalidArgument, "system: the messages begin with one already");
    }
    return take_conversation(call, std::move(read), most_bytes);
}

Result<void> take_inputs(Call& call, const std::vector<std::string>& inputs, size_t most_bytes) {
    if (call.system) return fail(ErrorCode::InvalidArgument, "system: not with an embedding");
    if (inputs.empty()) return fail(ErrorCode::InvalidArgument, "inputs: there is none");
    if (inputs.size() > RequestLimits::kMaxBusInputs) {
        return fail(ErrorCode::InvalidArgument, "inputs: ", inputs.size(), " are more than ",
                    RequestLimits::kMaxBusInputs);
    }
    size_t bytes = 0;
    for (const std::string& input : inputs) {
        bytes += input.size();
        call.request.inputs.push_back({input, {}});
    }
    call.request.input_name = base::concat("inputs", service::kInputIndex);
    return check_size("inputs", bytes, most_bytes);
}

Result<Call> read_own_call(std::string_view body) {
    return read_own(body, [](FieldReader& reader, Call& call) -> Result<void> {
        std::string prompt;
        reader.text("prompt", prompt);
        const Value::Array* messages = reader.array("messages");
        if (messages && !prompt.empty()) reader.refuse("prompt", "not with messages");
        if (reader.error()) return *reader.error();
        return messages ? take_messages(call, *messages, kMostSocketBytes)
                        : take_prompt(call, std::move(prompt), kMostSocketBytes);
    });
}

Result<Call> read_own_embedding(std::string_view body) {
    return read_own(body, [](FieldReader& reader, Call& call) -> Result<void> {
        std::vector<std::string> inputs;
        reader.strings("inputs", inputs);
        if (reader.error()) return *reader.error();
        return take_inputs(call, inputs, kMostSocketBytes);
    });
}

Result<std::string> parse_model_option(const Value::Object& options) {
    const Value* model = base::find(options, "model");
    if (!model) return std::string();
    const auto call = read_call(Value::Object{{"model", *model}}, kBus);
    if (!call) return call.error();
    return call->request.model;
}

Result<service::Priority> parse_priority(const std::string& name) {
    const auto call = read_call(Value::Object{{"priority", name}}, kBus);
    if (!call) return call.error();
    return call->request.priority;
}

}  // namespace llmd::api
