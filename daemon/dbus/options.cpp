#include "dbus/options.h"

#include <utility>

#include "api/conversation.h"
#include "api/fields.h"

namespace llmd::dbus {

namespace {

using api::Call;
using base::ErrorCode;
using base::fail;
using base::Result;
using base::Value;
using protocol::ChatMessage;
using service::RequestLimits;

// Of a prompt or of all messages.
Result<void> check_size(std::string_view what, size_t bytes) {
    if (bytes <= RequestLimits::kMaxPromptBytes) return {};
    return fail(ErrorCode::PromptTooLong, what, ": ", bytes, " bytes are more than ", RequestLimits::kMaxPromptBytes);
}

Result<void> take_conversation(Call& call, std::vector<ChatMessage> messages) {
    if (call.request.echo) return fail(ErrorCode::InvalidArgument, "echo: not with a conversation");
    if (call.system) {
        ChatMessage& system = *messages.emplace(messages.begin());
        system.role = ChatMessage::Role::System;
        system.content = *std::move(call.system);
    }
    size_t bytes = 0;
    for (const ChatMessage& message : messages) bytes += service::text_bytes(message);
    call.request.messages = std::move(messages);
    return check_size("messages", bytes);
}

}  // namespace

Result<void> take_prompt(Call& call, std::string prompt) {
    if (call.system || !call.request.tools.empty()) {
        std::vector<ChatMessage> messages(1);
        messages.front().content = std::move(prompt);
        return take_conversation(call, std::move(messages));
    }
    call.request.prompt = std::move(prompt);
    return check_size("prompt", call.request.prompt.size());
}

Result<void> take_messages(Call& call, std::vector<Value::Object> messages) {
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none");
    const size_t most = RequestLimits::kMaxMessages - (call.system ? 1 : 0);
    if (messages.size() > most) {
        return fail(ErrorCode::InvalidArgument, "messages: ", messages.size(), " are more than ", most);
    }
    Value::Array listed(std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end()));
    const Value::Object holder{{"messages", std::move(listed)}};
    api::FieldReader reader(holder);
    std::vector<ChatMessage> read;
    api::read_messages(reader, "messages", api::MissingContent::Refused, read);
    if (reader.error()) return *reader.error();
    if (call.system && read.front().role == ChatMessage::Role::System) {
        return fail(ErrorCode::InvalidArgument, "system: the messages begin with one already");
    }
    return take_conversation(call, std::move(read));
}

Result<std::string> parse_model_option(const Value::Object& options) {
    const Value* model = base::find(options, "model");
    if (!model) return std::string();
    const auto call = api::read_call(Value::Object{{"model", *model}}, api::kBus);
    if (!call) return call.error();
    return call->request.model;
}

Result<service::Priority> parse_priority(const std::string& name) {
    const auto call = api::read_call(Value::Object{{"priority", name}}, api::kBus);
    if (!call) return call.error();
    return call->request.priority;
}

}  // namespace llmd::dbus
