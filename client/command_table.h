// The commands of llmctl and their options: what the parser of the command line reads, and what the help, the manual
// page and the shells' completions are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/arguments.h"
#include "client/exit_code.h"

namespace llmd::client {

struct CommandSpec {
    Command command;
    std::string_view name;
    std::string_view operands;  // words of small letters stand for themselves, with a | between alternatives
    int min_operands;
    int max_operands;  // -1: any number
    std::string_view summary;
    std::string_view description;
};

struct OptionSpec {
    enum class Kind { Flag, Text, Word, TextList, Whole, Real };  // Word: one of `words`
    struct Range {
        uint64_t least;
        uint64_t most;
    };

    const char* name;
    char letter;              // 0: none
    const char* placeholder;  // empty for a flag
    Kind kind;
    // In the request's dictionary, where a flag says true, or false if its name begins with "no-"; nullptr: `flag`
    // instead.
    const char* key;
    std::string_view commands;  // names of the commands that take it, a space between; "*": all
    std::string_view help;
    std::optional<Range> range = std::nullopt;  // Whole: of one that llmctl uses itself; the daemon knows the others
    bool Arguments::*flag = nullptr;            // Flag: what it sets
    std::string_view words = {};                // the values that it may have, a space between; empty: any
    std::string Arguments::*word = nullptr;     // Word: what it sets, instead of a key
};

struct ExitSpec {
    ExitCode code;
    std::string_view meaning;
};

std::span<const CommandSpec> command_table();
std::span<const OptionSpec> option_table();

std::span<const ExitSpec> exit_table();

// Null if there is none of that name.
const CommandSpec* find_command(std::string_view name);

// The words of OptionSpec::words or CommandSpec::operands.
std::vector<std::string> split_words(std::string_view list);

bool takes(const CommandSpec& command, const OptionSpec& option);

// The option that `word` ("--json", "-j", "--color=never") is of all commands, so that it may also stand before one;
// null if it is none.
const OptionSpec* common_option(std::string_view word);

}  // namespace llmd::client
