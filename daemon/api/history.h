// A conversation as a program kept it, made one that every chat template has a place for: an answer that llmd gave, or
// what a program keeps of it, is taken back. Pure.
#pragma once

#include <string>
#include <vector>

#include "protocol/ask.h"

namespace llmd::api {

// - A message of the assistant that says, thinks and calls nothing goes: a stop string came first, or max_tokens was 0.
//   Messages of one role that become neighbours by that are joined by an empty line.
// - Two messages of the assistant at the end are joined by a line break, since a template continues one.
// - A call without a name goes: nobody can tell what was called.
// - A result of a tool whose call is not there, because the history was trimmed, gets a call in front of it, of the
//   tool's name, or kUnknownTool, without arguments. It stays a tool's result: a user's text is trusted, and it is not.
// What was changed is added to `notes`, a sentence for each of these that happened. Nothing is changed in a
// conversation that needs none of it.
void mend_history(std::vector<protocol::ChatMessage>& messages, std::vector<std::string>& notes);

inline constexpr const char* kUnknownTool = "unknown_tool";

}  // namespace llmd::api
