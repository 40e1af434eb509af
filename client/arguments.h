// llmctl's command line, as the tables of commands and options (command_table.h) say it.
// Pure: reads argv, prints nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/value.h"

namespace llmd::client {

enum class Command {
    Generate,
    Chat,
    Models,
    Load,
    Unload,
    Status,
    Queue,
    Cancel,
    Tokenize,
    Embed,
    Import,
    Pull,
    Remove,
    Show,
    Default,
    Config,
    Remote,
    Bench,
    Doctor,
    Report,
    Logs,
    Bridge,
    Version,
    Help,
    Start  // none: says what to do first
};

struct Arguments {
    Command command = Command::Help;
    std::vector<std::string> operands;  // the words behind the command that are no options
    Dictionary request;                 // the options of what is asked of llmd under their D-Bus names, but that
                                        // json_schema and tools name files; what the other commands take
    bool json = false;                  // print one JSON object
    bool verbose = false;               // generate: counts and speeds on stderr
    bool all = false;                   // cancel: every request
    bool watch = false;                 // status, logs: again and again
    bool calendar = false;              // generate, chat: tell the model which day it is
    bool no_thinking = false;           // generate, chat: do not show what the model thinks
    std::string color = "auto";         // or always or never
    std::string help;                   // Help: the command that it is about; empty: all
};

// Throws CommandError(Usage) naming the argument.
Arguments parse_arguments(const std::vector<std::string>& argv);

// Checks the operands of a command whose first operand says what is to be done: throws CommandError(Usage) if `given`
// misses operands of `usage`, such as "set KEY VALUE" or "explain [KEY]", or has more. Options end the operands of
// `usage`.
void check_operands(std::string_view command, std::string_view usage, const std::vector<std::string>& given);

// The daemon's word about an option, "max_tokens: -1 is not ...", with the name that the option has here.
std::string with_option_name(const std::string& message);

}  // namespace llmd::client
