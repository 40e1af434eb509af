// The commands of llmctl and their options: what the parser of the command line reads and the help shows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/arguments.h"

namespace llmd::client {

struct CommandSpec {
    Command command;
    std::string_view name;
    std::string_view operands;
    int min_operands;
    int max_operands;  // -1: any number
    std::string_view summary;
    std::string_view description;
};

struct OptionSpec {
    enum class Kind { Flag, Text, Word, TextList, Whole, Real };  // Word: one of the placeholder's, a | between
    struct Range {
        uint64_t least;
        uint64_t most;
    };

    const char* name;
    char letter;              // 0: none
    const char* placeholder;  // empty for a flag
    Kind kind;
    const char* key;            // in the request's dictionary; nullptr: `flag` instead
    std::string_view commands;  // names of the commands that take it, a space between; "*": all
    std::string_view help;
    std::optional<Range> range = std::nullopt;  // Whole: of one that llmctl uses itself; the daemon knows the others
    bool Arguments::*flag = nullptr;            // Flag: what it sets
};

std::span<const CommandSpec> command_table();
std::span<const OptionSpec> option_table();

bool takes(const CommandSpec& command, const OptionSpec& option);

// The flag that `word` ("--json", "-j") is of all commands, so that it may also stand before one; null if it is none.
const OptionSpec* common_flag(std::string_view word);

// What `llmctl --help` and `llmctl COMMAND --help` print.
std::string general_help();
std::string help_of(const CommandSpec& command);

}  // namespace llmd::client
