#include "engine/chat/conversation.h"

#include <unordered_map>
#include <utility>

#include "base/json_writer.h"

namespace llmd::chat {

using base::ErrorCode;
using base::fail;
using Role = ChatMessage::Role;

namespace {

constexpr size_t kMostQuotedBytes = 64;

base::Result<std::vector<JsonValue>> read_tools(std::string_view text) {
    if (text.empty()) return std::vector<JsonValue>();
    const auto wrong = [](auto... parts) { return fail(ErrorCode::InvalidArgument, "tools", parts...); };
    if (text.size() > kMaxToolsBytes) return wrong(": ", text.size(), " bytes are more than ", kMaxToolsBytes);
    auto tools = parse_json(text);
    if (!tools) return wrong(": not JSON: ", tools.error().message);
    if (tools->kind != JsonValue::Kind::Array) return wrong(": not an array");
    if (tools->items.size() > kMaxTools) return wrong(": ", tools->items.size(), " are more than ", kMaxTools);
    for (size_t i = 0; i < tools->items.size(); ++i) {
        const JsonValue& tool = tools->items[i];
        if (tool.kind != JsonValue::Kind::Object) return wrong("[", i, "]: not an object");
        const JsonValue* type = tool.find("type");
        if (type != nullptr && (type->kind != JsonValue::Kind::String || type->text != "function")) {
            return wrong("[", i, "].type: not \"function\"");
        }
        const JsonValue* function = tool.find("function");
        if (function == nullptr || function->kind != JsonValue::Kind::Object) {
            return wrong("[", i, "].function: not an object");
        }
        const JsonValue* name = function->find("name");
        if (name == nullptr || name->kind != JsonValue::Kind::String) {
            return wrong("[", i, "].function.name: not a string");
        }
        if (name->text.empty()) return wrong("[", i, "].function.name: empty");
    }
    return std::move(tools->items);
}

// The calls of a conversation so far.
class Calls {
public:
    // Returns the first of them.
    base::Result<Conversation::Call> add(size_t message, const std::vector<ToolCall>& calls) {
        if (calls.size() > kMaxTools) {
            return fail(ErrorCode::InvalidArgument, "messages[", message, "].tool_calls: ", calls.size(),
                        " are more than ", kMaxTools);
        }
        const size_t first = count_;
        latest_.clear();
        for (size_t j = 0; j < calls.size(); ++j) {
            if (calls[j].name.empty()) {
                return fail(ErrorCode::InvalidArgument, "messages[", message, "].tool_calls[", j, "].name: empty");
            }
            const Conversation::Call call{&calls[j], count_++};
            latest_.push_back({call, false});
            if (!calls[j].id.empty()) by_id_[calls[j].id] = call;
        }
        return Conversation::Call{calls.data(), first};
    }

    base::Result<Conversation::Call> answered_by(size_t index, const ChatMessage& result) {
        if (!result.tool_call_id.empty()) {
            const auto found = by_id_.find(result.tool_call_id);
            if (found == by_id_.end()) {
                return fail(ErrorCode::InvalidArgument, "messages[", index,
                            "].tool_call_id: ", base::in_quotes(result.tool_call_id, kMostQuotedBytes),
                            " is no call of the assistant");
            }
            for (Open& open : latest_) open.is_answered |= open.call.number == found->second.number;
            return found->second;
        }
        for (Open& open : latest_) {
            if (open.is_answered || (!result.tool_name.empty() && open.call.call->name != result.tool_name)) continue;
            open.is_answered = true;
            return open.call;
        }
        if (result.tool_name.empty()) {
            return fail(ErrorCode::InvalidArgument, "messages[", index, "].role: \"tool\" where no call is open");
        }
        return fail(ErrorCode::InvalidArgument, "messages[", index, "].tool_name: no call of ",
                    base::in_quotes(result.tool_name, kMostQuotedBytes), " is open");
    }

private:
    struct Open {
        Conversation::Call call;
        bool is_answered;
    };
    size_t count_ = 0;
    std::vector<Open> latest_;  // of the last message with calls
    std::unordered_map<std::string, Conversation::Call> by_id_;
};

}  // namespace

base::Result<Conversation> Conversation::read(const ChatInput& input) {
    const auto messages = input.messages;
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none");
    Conversation conversation;
    auto tools = read_tools(input.tools);
    if (!tools) return tools.error();
    conversation.tools = std::move(*tools);
    conversation.calls.resize(messages.size());
    Calls calls;
    for (size_t i = 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        if (message.role == Role::Tool) {
            auto answered = calls.answered_by(i, message);
            if (!answered) return answered.error();
            conversation.calls[i] = *answered;
        } else if (message.role == Role::Assistant && !message.tool_calls.empty()) {
            auto first = calls.add(i, message.tool_calls);
            if (!first) return first.error();
            conversation.calls[i] = *first;
        } else if (!message.tool_calls.empty()) {
            return fail(ErrorCode::InvalidArgument, "messages[", i, "].tool_calls: only the assistant has them");
        } else if (message.role == Role::Assistant && message.content.empty() && message.thinking.empty()) {
            return fail(ErrorCode::InvalidArgument, "messages[", i,
                        "].content: empty; a message of the assistant has content, thinking or tool_calls");
        }
    }
    const size_t last = messages.size() - 1;
    if (last > 0 && messages[last].role == Role::Assistant && messages[last - 1].role == Role::Assistant) {
        return fail(ErrorCode::InvalidArgument, "messages[", last, "].role: a second \"assistant\" at the end");
    }
    return conversation;
}

base::Result<JsonValue> parse_arguments(const ToolCall& call) {
    if (call.arguments.size() > kMaxArgumentsBytes) {
        return fail(ErrorCode::InvalidArgument, call.arguments.size(), " bytes are more than ", kMaxArgumentsBytes);
    }
    auto arguments = parse_json(call.arguments.empty() ? std::string_view("{}") : std::string_view(call.arguments));
    using Kind = JsonValue::Kind;
    if (arguments && arguments->kind == Kind::Object) return arguments;
    const bool is_none =
        arguments && (arguments->kind == Kind::Null || (arguments->kind == Kind::Array && arguments->items.empty()));
    return is_none ? JsonValue{.kind = Kind::Object} : JsonValue{.kind = Kind::String, .text = call.arguments};
}

}  // namespace llmd::chat
