// The chat formats that models were trained with, as a table. The templates in model files are programs from strangers,
// so llmd does not interpret them; it recognises a template by the strings that it contains.
// Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace llmd::tokenizer {

// In the texts of a family "{bos}" and "{eos}" stand for the model's begin-of-text and end-of-text tokens.
struct ChatFamily {
    std::string_view name;  // as the setting `chat_template` spells it

    // The texts before and after the content of a message.
    struct Turn {
        std::string_view before, after;
    };
    std::string_view begin;  // before the first message
    Turn system, user, assistant;
    std::string_view answer;  // after the last message, unless the model continues a message of the assistant

    // The system message is a part of the first user message, and messages of user and assistant alternate.
    bool folds_system = false;
    bool trims_system = false;  // white space around the system message is dropped
    bool trims_turns = false;   // white space around the messages of user and assistant is dropped
    // White space is dropped around a folded system message and the user message together.
    bool trims_fold = false;

    std::string_view end;  // the model ends its answer with it

    // A template is of this family if its text, after normalized(), contains all of `has` and none of `lacks`.
    std::span<const std::string_view> has, lacks;
};

std::span<const ChatFamily> chat_families();
// Returns the names of all families for messages: "none, zephyr, ...".
std::string chat_family_names();

// Returns null if there is no family of that name.
const ChatFamily* find_chat_family(std::string_view name);
// Returns the family of `text`, the value of tokenizer.chat_template, or null if it matches none or more than one.
const ChatFamily* recognize_chat_family(std::string_view text);

// Removes from a template what authors write differently for the same result: white space, line breaks in strings,
// double quotes for single ones, message.role for message['role'].
std::string normalized(std::string_view text);

// Returns the system message that a ChatML template inserts if the conversation has none; empty if it inserts none.
std::string default_system(std::string_view text);
// Returns the text that a Llama 3.1 template writes before the system message; empty for other templates.
std::string_view system_preamble(std::string_view text);

}  // namespace llmd::tokenizer
