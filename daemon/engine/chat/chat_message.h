// A conversation as a chat template takes it.
// Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace llmd::chat {

inline constexpr size_t kMaxTools = 1024;
inline constexpr size_t kMaxToolsBytes = size_t{1} << 20;      // the text of all tools
inline constexpr size_t kMaxArgumentsBytes = size_t{1} << 20;  // the arguments of one call

// A call that the assistant has made.
struct ToolCall {
    std::string id, name;   // the id may be empty
    std::string arguments;  // the text of a JSON object; empty: no arguments
};

struct ChatMessage {
    enum class Role : uint8_t { System = 0, User, Assistant, Tool };
    Role role = Role::User;
    std::string content;               // of Role::Tool: what the call returned
    std::string thinking;              // of an earlier assistant turn; rendered or dropped as the family does
    std::vector<ToolCall> tool_calls;  // of the assistant
    // The call that a message of Role::Tool answers. Either or both may be empty: results then answer the calls in
    // order.
    std::string tool_call_id, tool_name;
};

enum class Thinking : uint8_t { Default = 0, On, Off };

struct ChatInput {
    std::span<const ChatMessage> messages;
    std::string_view tools;  // a JSON array in OpenAI's form; empty: none
    Thinking thinking = Thinking::Default;
};

struct ChatPrompt {
    std::vector<tokenizer::TextSegment> segments;  // for tokenizer::Tokenizer::encode_prompt()
    bool begins_in_thinking = false;               // the prompt ends inside the thinking
};

}  // namespace llmd::chat
