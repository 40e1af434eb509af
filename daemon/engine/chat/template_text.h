// What the text of a chat template says: its family and its own system message.
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "engine/chat/chat_family.h"

namespace llmd::chat {

// Returns the family of `text`, the value of tokenizer.chat_template, or null if it matches none or more than one.
const ChatFamily* recognize_chat_family(std::string_view text);

// Removes from a template what authors write differently for the same result: white space, line breaks in strings,
// double quotes for single ones, message.role for message['role'].
std::string normalized(std::string_view text);

// Returns the system message that the template `text` of this family inserts if the conversation has none; empty if it
// inserts none, or one that it computes. A sentence with the current date is left out, because it would change answers
// overnight. Without thinking it is the one of Thinking::Off.
std::string default_system(const ChatFamily& family, std::string_view text, bool thinks = true);

// Returns whether the template `text` of this family thinks unless it is told not to.
bool thinks_by_default(const ChatFamily& family, std::string_view text);

}  // namespace llmd::chat
