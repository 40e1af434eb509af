#include "api/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"

namespace llmd::api {

namespace {

using protocol::ChatMessage;
using protocol::ToolCall;
using Role = ChatMessage::Role;

bool is_empty_answer(const ChatMessage& message) {
    return message.role == Role::Assistant && message.content.empty() && message.thinking.empty() &&
           message.tool_calls.empty();
}

void join(std::string& text, const std::string& more, const char* separator) {
    if (!text.empty() && !more.empty()) text += separator;
    text += more;
}

size_t drop_nameless_calls(std::vector<ChatMessage>& messages) {
    size_t n = 0;
    for (ChatMessage& message : messages) {
        if (message.role != Role::Assistant) continue;
        n += std::erase_if(message.tool_calls, [](const ToolCall& call) { return call.name.empty(); });
    }
    return n;
}

size_t drop_empty_answers(std::vector<ChatMessage>& messages) {
    size_t n = 0;
    std::vector<ChatMessage> kept;
    bool has_dropped = false;  // just before
    for (ChatMessage& message : messages) {
        if (is_empty_answer(message)) {
            has_dropped = true;
            ++n;
            continue;
        }
        // A result stays apart: each is of a call of its own.
        const bool joins = std::exchange(has_dropped, false) && !kept.empty() && message.role != Role::Tool &&
                           kept.back().role == message.role && kept.back().tool_calls.empty();
        if (!joins) {
            kept.push_back(std::move(message));
            continue;
        }
        join(kept.back().content, message.content, "\n\n");
        join(kept.back().thinking, message.thinking, "\n\n");
        kept.back().tool_calls = std::move(message.tool_calls);
    }
    messages = std::move(kept);
    return n;
}

bool join_last_answers(std::vector<ChatMessage>& messages) {
    bool joined = false;
    while (messages.size() > 1) {
        ChatMessage& last = messages.back();
        ChatMessage& before = messages[messages.size() - 2];
        if (last.role != Role::Assistant || before.role != Role::Assistant || !before.tool_calls.empty()) break;
        join(before.content, last.content, "\n");
        join(before.thinking, last.thinking, "\n");
        before.tool_calls = std::move(last.tool_calls);
        messages.pop_back();
        joined = true;
    }
    return joined;
}

// The calls of a conversation that wait for their results.
class OpenCalls {
public:
    void add(const std::vector<ToolCall>& calls) {
        latest_ = calls;
        for (const ToolCall& call : calls) {
            if (!call.id.empty()) ids_.insert(call.id);
        }
    }
    // Whether there is a call that `result` answers, as the engine finds it (chat/conversation.h).
    bool take(const ChatMessage& result) {
        const auto answered = std::ranges::find_if(latest_, [&](const ToolCall& call) {
            if (!result.tool_call_id.empty()) return call.id == result.tool_call_id;
            return result.tool_name.empty() || call.name == result.tool_name;
        });
        const bool is_known = !result.tool_call_id.empty() && ids_.contains(result.tool_call_id);
        if (answered == latest_.end()) return is_known;
        latest_.erase(answered);
        return true;
    }

private:
    std::vector<ToolCall> latest_;  // of the last message with calls, without those that were answered
    std::set<std::string> ids_;
};

size_t call_for_orphans(std::vector<ChatMessage>& messages) {
    size_t n = 0;
    OpenCalls open;
    std::vector<ChatMessage> out;
    for (ChatMessage& message : messages) {
        if (message.role == Role::Assistant && !message.tool_calls.empty()) open.add(message.tool_calls);
        if (message.role == Role::Tool && !open.take(message)) {
            ++n;
            const ToolCall call{message.tool_call_id, message.tool_name.empty() ? kUnknownTool : message.tool_name,
                                "{}"};
            // In a message of its own where others have been answered already: which call a result without an id is of
            // goes by their order.
            if (out.empty() || out.back().role != Role::Assistant) out.emplace_back().role = Role::Assistant;
            out.back().tool_calls.push_back(call);
            open.add(out.back().tool_calls);
            (void)open.take(message);
        }
        out.push_back(std::move(message));
    }
    messages = std::move(out);
    return n;
}

}  // namespace

void mend_history(std::vector<ChatMessage>& messages, std::vector<std::string>& notes) {
    if (const size_t n = drop_nameless_calls(messages); n > 0) {
        notes.push_back(base::concat("messages: ", n, " calls of a tool without a name were left out"));
    }
    if (const size_t n = drop_empty_answers(messages); n > 0) {
        notes.push_back(base::concat("messages: ", n, " empty messages of the assistant were left out"));
    }
    if (const size_t n = call_for_orphans(messages); n > 0) {
        notes.push_back(
            base::concat("messages: ", n, " results of tools were taken without the calls that they answer"));
    }
    if (join_last_answers(messages)) {
        notes.emplace_back("messages: those of the assistant at the end were taken as one");
    }
}

}  // namespace llmd::api
