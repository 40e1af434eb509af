// The fields of Anthropic's messages that are spelled as in no other dialect (fields.h): each function reads the field
// `key` into a call. Pure; the first error is kept in the reader.
#pragma once

#include <string_view>

#include "api/call.h"
#include "api/field_reader.h"

namespace llmd::api {

// Turns of user, assistant or system, whose content is a text or blocks. The results of tools in a turn of the user
// become messages of their own in front of what the user says; one with is_error begins with kToolError. Calls and
// thinking in a turn of the assistant become part of its message; thinking that another server has encrypted is left
// out. Neighbours of one role are one turn, whose texts are joined by an empty line. Images, documents and all other
// blocks are refused.
void read_anthropic_messages(FieldReader& reader, std::string_view key, Call& call);
inline constexpr std::string_view kToolError = "Error: ";  // which a template has no other place for

// A text, or blocks of text.
void read_anthropic_system(FieldReader& reader, std::string_view key, Call& call);
// An array of tools with `input_schema`. Those that Anthropic runs itself, or defines the schema of, are refused by
// their type.
void read_anthropic_tools(FieldReader& reader, std::string_view key, Call& call);
// {"type": auto, any, tool or none}, with the `name` of a tool and disable_parallel_tool_use.
void read_anthropic_tool_choice(FieldReader& reader, std::string_view key, Call& call);
// {"type": enabled, disabled, or what leaves it to the model}. A note says that no budget is kept.
void read_anthropic_thinking(FieldReader& reader, std::string_view key, Call& call);
// `effort`, which no model here has degrees of, and a `format` with a schema.
void read_output_config(FieldReader& reader, std::string_view key, Call& call);
// Says by a note that nothing of the conversation is dropped, whatever a server may drop.
void read_context_management(FieldReader& reader, std::string_view key, Call& call);

}  // namespace llmd::api
