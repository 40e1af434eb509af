// The texts that `llmctl --help` and `llmctl COMMAND --help` print, made from the tables of commands and options. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "client/command_table.h"

namespace llmd::client {

// Lines of at most `columns` unless a word or an example is longer.
std::string general_help(size_t columns);
std::string help_of(const CommandSpec& command, size_t columns);

// Both tables, the exit codes and the errors of llmd as one JSON object, or only the `command`: who writes manuals, and
// tests that they are whole, reads it.
std::string help_json(const CommandSpec* command = nullptr);

}  // namespace llmd::client
