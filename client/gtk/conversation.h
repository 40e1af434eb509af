// The messages so far, which llmd gets again with each question. They are kept in memory only.
#pragma once

#include <string>
#include <vector>

#include "client/gtk/gobject.h"
#include "client/stream_line.h"

namespace llmd::gtk {

class Conversation {
public:
    // Forgets a question before it that was not answered: with many models, questions and answers take turns.
    void ask(const std::string& text);
    // A further part of an answer that was cut continues it.
    void answer(const std::string& text, const std::vector<client::ToolCall>& calls);
    void add_result(const std::string& call_id, const std::string& text);
    void clear() { messages_.clear(); }

    // As StreamChat's `messages` (aa{sv}), floating. A remote takes no calls of tools: without them, the texts before
    // and after a call become one answer.
    // `system` is the system message; empty: none.
    enum class Calls { With, Without };
    GVariant* messages(Calls calls, const std::string& system) const;

private:
    struct Message {
        const char* role;
        std::string content;
        std::string tool_calls;    // of the assistant, JSON
        std::string tool_call_id;  // of a tool's result
    };
    std::vector<Message> without_calls() const;

    std::vector<Message> messages_;
};

}  // namespace llmd::gtk
