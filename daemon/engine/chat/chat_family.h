// The formats in which chat models have seen conversations, as a table. There is no interpreter of the templates that
// model files carry: those are programs from strangers. Instead a template's text is recognised by what it writes.
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace llmd::tokenizer {

// In the texts of a family "{bos}" and "{eos}" stand for the model's begin-of-text and end-of-text tokens.
struct ChatFamily {
    std::string_view name;  // as the setting `chat_template` spells it

    // What stands before and behind the content of a message.
    struct Turn {
        std::string_view before, after;
    };
    std::string_view begin;  // of the whole
    Turn system, user, assistant;
    std::string_view answer;  // behind the last message, unless the assistant's: here the model goes on

    // The system's words are a part of the first user's content, and turns of user and assistant alternate.
    bool folds_system = false;
    bool trims_system = false;  // white space around its words is dropped
    bool trims_turns = false;   // and around the contents of user and assistant
    // White space is dropped around a folded system turn and the user's content together.
    bool trims_fold = false;

    std::string_view end;  // what a model ends its answer with

    // A file's template is of this family when its text, after normalized(), has all of these and none of those.
    std::span<const std::string_view> has, lacks;
};

std::span<const ChatFamily> chat_families();
// The names of all, for messages: "none, zephyr, ...".
std::string chat_family_names();

// Null when there is none of that name.
const ChatFamily* find_chat_family(std::string_view name);
// The family that `text`, the value of tokenizer.chat_template, is of; null when it is none or more than one.
const ChatFamily* recognize_chat_family(std::string_view text);

// A template's text without what authors write differently for the same result: white space, line breaks in strings,
// double quotes for single ones, message.role for message['role'].
std::string normalized(std::string_view text);

// What a ChatML template says in the system's place when the conversation does not begin with a system message; empty
// when it says nothing.
std::string default_system(std::string_view text);
// What a Llama 3.1 template writes before the system's words; empty for others.
std::string_view system_preamble(std::string_view text);

}  // namespace llmd::tokenizer
