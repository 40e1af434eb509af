// The meaning of a conversation before a family writes it: its tools, which call each result answers, and that it makes
// sense.
// Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/json_value.h"

namespace llmd::chat {

struct Conversation {
    std::vector<JsonValue> tools;  // as the client sent them: {"type": "function", "function": {"name": ..., ...}}
    // A call of the conversation, with its number among all, from 0.
    struct Call {
        const ToolCall* call = nullptr;
        size_t number = 0;
    };
    // For each message: if it is a result the call that it answers, if it has calls the first of them.
    std::vector<Call> calls;

    // `input` must outlive the result. InvalidArgument names the tool or the message that is wrong: no messages; an
    // assistant that says, thinks and calls nothing; two messages of the assistant at the end; calls of somebody else;
    // a result for a call that nobody made; tools that are not a JSON array of functions with names, or more than
    // kMaxTools or kMaxToolsBytes.
    static base::Result<Conversation> read(const ChatInput& input);
};

// Returns the arguments of a call as an object. Those of a history may have been cut, or be none: null and [] are an
// empty object, and what is no object otherwise is a String with the text as it came. InvalidArgument: it is too long.
base::Result<JsonValue> parse_arguments(const ToolCall& call);

}  // namespace llmd::chat
