// Findings in the text of a chat template: its family, and the details that others of the family lack. The text is
// searched and never run, in time that grows linearly with its length.
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

// Details of one template that others of its family lack.
struct TemplateDetails {
    bool begins = false;              // the prompt begins with the begin-of-text token
    bool omits_empty_system = false;  // see ChatFamily
    bool has_line_gap = false;        // ToolSyntax::gap is one line break
    bool thinks_by_default = true;
    // Its system messages where the conversation has none: the usual one, the one with Thinking::Off, and the one where
    // tools are offered and ToolSyntax::keeps_default does not hold.
    std::string system, system_off, system_tools;
};

// Returns the details of the template `text` of this family. `begin_text` is the spelling of the model's begin-of-text
// token.
TemplateDetails read_details(const ChatFamily& family, std::string_view text, std::string_view begin_text);
// Returns those of a family whose template's text is not there.
TemplateDetails usual_details(const ChatFamily& family);

// Returns the system message that the template `text` of this family inserts if the conversation has none; empty if it
// inserts none, or one that it computes. A sentence with the current date is left out, because it would change answers
// overnight. Without thinking it is the one of Thinking::Off.
std::string default_system(const ChatFamily& family, std::string_view text, bool thinks = true);
}  // namespace llmd::chat
