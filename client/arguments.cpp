#include "client/arguments.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "client/command_table.h"
#include "client/exit_code.h"
#include "client/suggestion.h"

namespace llmd::client {
namespace {

using Kind = OptionSpec::Kind;

// getopt_long returns this for option_table()[0]; the letters are below it.
constexpr int kFirstLongOption = 256;

[[noreturn]] void usage_error(const std::string& message, std::string_view command = {}) {
    const std::string where = command.empty() ? "llmctl --help" : "llmctl " + std::string(command) + " --help";
    throw CommandError(ExitCode::Usage, message + "; see '" + where + "'");
}

template <typename Number>
std::optional<Number> whole_text_as(const std::string& text) {
    Number number{};
    const auto end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

// Only the form is checked of a value that is for the daemon: it knows the ranges and names the option in its refusal.
Value value_of(const OptionSpec& option, const std::string& text) {
    const auto reject = [&](const std::string& wanted) {
        throw CommandError(ExitCode::Usage,
                           std::string("--") + option.name + ": " + base::in_quotes(text) + " is not " + wanted);
    };
    if (option.kind == Kind::Whole) {
        const auto number = whole_text_as<uint64_t>(text);
        if (option.range && (!number || *number < option.range->least || *number > option.range->most)) {
            reject("a whole number from " + std::to_string(option.range->least) + " to " +
                   std::to_string(option.range->most));
        }
        if (number) return *number;
        if (const auto negative = whole_text_as<int64_t>(text)) return *negative;
        reject("a whole number of at most 64 bits");
    }
    if (option.kind == Kind::Real) {
        if (const auto number = whole_text_as<double>(text)) return *number;
        reject("a number");
    }
    if (option.kind == Kind::Word) {
        const std::vector<std::string> words = split_words(option.words);
        if (std::find(words.begin(), words.end(), text) == words.end()) {
            std::string list;
            for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
            reject(list);
        }
    }
    return text;
}

// Refuses `word`, or one of its letters, which getopt_long could not take. `optopt` is the letter, 0 for an unknown
// long option.
[[noreturn]] void refuse_option(const std::string& word, bool misses_value, const CommandSpec& spec) {
    const std::string_view command = spec.name;
    const bool is_letter = optopt > 0 && optopt < kFirstLongOption;
    const std::string name = is_letter ? std::string("-") + static_cast<char>(optopt) : word.substr(0, word.find('='));
    if (misses_value) usage_error(name + " needs a value", command);
    if (optopt >= kFirstLongOption) usage_error(name + " takes no value", command);
    std::vector<std::string> known;
    for (const OptionSpec& option : option_table()) {
        if (!is_letter && takes(spec, option)) known.emplace_back(option.name);
    }
    const std::string hint = suggestion(name.substr(std::min<size_t>(2, name.size())), known, "--");
    if (!hint.empty()) throw CommandError(ExitCode::Usage, "unknown option " + name + hint);
    usage_error("unknown option " + name, command);
}

void check_text(const std::string& what, const std::string& text) {
    if (const size_t at = base::clean_prefix(text); at != text.size()) {
        throw CommandError(ExitCode::Usage, what + ": not UTF-8 text at byte " + std::to_string(at));
    }
}

void store(Arguments& arguments, const OptionSpec& option, const char* text, std::string_view command) {
    if (option.kind == Kind::Flag) {
        if (option.key != nullptr) arguments.request[option.key] = !std::string_view(option.name).starts_with("no-");
        if (option.flag != nullptr) arguments.*option.flag = true;
        return;
    }
    // A variable that was not set, most likely; only a TEXT may say something by being empty.
    if (*text == 0 && std::string_view(option.placeholder) != "TEXT") {
        usage_error(std::string("--") + option.name + " needs a value", command);
    }
    check_text(std::string("--") + option.name, text);
    if (option.word != nullptr) {
        value_of(option, text);
        arguments.*option.word = text;
        return;
    }
    if (option.kind == Kind::TextList) {
        Value& list = arguments.request.try_emplace(option.key, Value::Array()).first->second;
        std::get<Value::Array>(list.value).emplace_back(text);
        return;
    }
    if (option.letter == 'm' && std::string_view(text).find('/') != std::string_view::npos) {
        throw CommandError(ExitCode::Usage, "--model: " + base::in_quotes(text) +
                                                " is a path; load it with 'llmctl load', then leave --model out");
    }
    arguments.request[option.key] = value_of(option, text);
}

// Reads the options of `command` and leaves the operands, in order.
// With `asks_help` it is not to be done.
Arguments parse_command(const CommandSpec& command, std::vector<std::string> words, bool asks_help) {
    Arguments arguments;
    arguments.command = asks_help ? Command::Help : command.command;
    const std::span<const OptionSpec> table = option_table();

    std::string letters =
        ":";  // a leading colon: getopt prints nothing and tells a missing value from an unknown option
    std::vector<option> long_options;
    for (const OptionSpec& spec : table) {
        if (!takes(command, spec)) continue;
        const bool has_value = spec.kind != Kind::Flag;
        const int index = static_cast<int>(&spec - table.data());
        long_options.push_back(
            {spec.name, has_value ? required_argument : no_argument, nullptr, kFirstLongOption + index});
        if (spec.letter != 0) letters += std::string(1, spec.letter) + (has_value ? ":" : "");
    }
    long_options.push_back({});

    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int argc = static_cast<int>(words.size());
    optind = 0;  // 0, not 1: also forgets what an earlier call left behind
    for (int found; (found = getopt_long(argc, argv.data(), letters.c_str(), long_options.data(), nullptr)) != -1;) {
        if (found == '?' || found == ':') refuse_option(argv[optind - 1], found == ':', command);
        const auto spec = std::find_if(table.begin(), table.end(), [&](const OptionSpec& candidate) {
            return found >= kFirstLongOption ? &candidate - table.data() == found - kFirstLongOption
                                             : candidate.letter == found && takes(command, candidate);
        });
        if (spec->letter == 'h') {
            arguments.command = Command::Help;
            arguments.help = command.name;
            // Other words behind it do not matter.
            arguments.json =
                arguments.json || std::any_of(argv.begin() + optind, argv.begin() + argc, [](const char* word) {
                    return std::string_view(word) == "--json" || std::string_view(word) == "-j";
                });
            return arguments;
        }
        store(arguments, *spec, optarg, command.name);
    }
    if (asks_help) return arguments;
    for (int i = optind; i < argc; ++i) arguments.operands.emplace_back(argv[i]);

    const int count = static_cast<int>(arguments.operands.size());
    // A variable that was not set: never what a name should be.
    if (command.max_operands == 1 && count == 1 && arguments.operands[0].empty()) {
        usage_error("the argument is empty", command.name);
    }
    if (count < command.min_operands) usage_error(std::string(command.operands) + " is missing", command.name);
    if (command.command == Command::Unload && count != 0) {
        usage_error("MODEL is not to be named: 'llmctl unload' gives back the memory of every model that is loaded",
                    command.name);
    }
    if (command.max_operands >= 0 && count > command.max_operands) {
        const std::string& unexpected = arguments.operands[static_cast<size_t>(command.max_operands)];
        usage_error("unexpected argument " + base::in_quotes(unexpected), command.name);
    }
    if (command.command == Command::Cancel && arguments.all == (count == 1)) {
        usage_error(count == 0 ? "REQUEST or --all is missing" : "either REQUEST or --all, not both", command.name);
    }
    for (const std::string& operand : arguments.operands) check_text("argument", operand);
    return arguments;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& argv) {
    // The options of all commands may stand before one: they are read as if they came next behind it.
    std::vector<std::string> options;
    std::vector<std::string> words;
    bool asks_help = false;
    for (size_t i = 1; i < argv.size(); ++i) {
        const OptionSpec* option = words.empty() ? common_option(argv[i]) : nullptr;
        if ((option != nullptr && option->letter == 'h') || (words.empty() && argv[i] == "help")) {
            asks_help = true;
            continue;
        }
        (option != nullptr ? options : words).push_back(argv[i]);
        const bool has_value = option != nullptr && option->kind != Kind::Flag;
        if (has_value && argv[i].find('=') == std::string::npos && i + 1 < argv.size()) options.push_back(argv[++i]);
    }
    if (words.empty() && !asks_help) {
        if (options.empty()) return Arguments{.command = Command::Start};
        usage_error("a command is missing");
    }
    const std::string name = words.empty() || words[0] == "--version" ? "version" : words[0];
    const CommandSpec* command = find_command(name);
    if (command == nullptr && name.rfind('-', 0) == 0) {
        usage_error("all options but --json and --color follow the command");
    }
    if (command == nullptr) {
        std::vector<std::string> known;
        for (const CommandSpec& spec : command_table()) known.emplace_back(spec.name);
        const std::string hint = suggestion(name, known);
        if (!hint.empty()) throw CommandError(ExitCode::Usage, "unknown command " + base::in_quotes(name) + hint);
        usage_error("unknown command " + base::in_quotes(name));
    }
    const bool about_all = words.empty();
    words.insert(words.begin() + (about_all ? 0 : 1), options.begin(), options.end());
    if (about_all) words.insert(words.begin(), name);
    Arguments arguments = parse_command(*command, std::move(words), asks_help);
    if (asks_help && !about_all) arguments.help = name;
    return arguments;
}

void check_operands(std::string_view command, std::string_view usage, const std::vector<std::string>& given) {
    std::vector<std::string> words = split_words(usage);
    words.erase(std::find_if(words.begin(), words.end(), [](const auto& word) { return word[0] == '-'; }), words.end());
    std::string missing;
    for (size_t i = given.size(); i < words.size() && words[i].front() != '['; ++i) {
        missing += (missing.empty() ? "" : " and ") + words[i];
    }
    const std::string form = base::concat(": it is 'llmctl ", command, " ", usage, "'");
    if (!missing.empty()) {
        const bool are_several = missing.find(' ') != std::string::npos;
        usage_error(missing + (are_several ? " are" : " is") + " missing" + form, command);
    }
    if (given.size() > words.size()) {
        usage_error("unexpected argument " + base::in_quotes(given[words.size()]) + form, command);
    }
}

std::string with_option_name(const std::string& message) {
    const std::string_view key = std::string_view(message).substr(0, message.find(':'));
    for (const OptionSpec& option : option_table()) {
        if (option.key != nullptr && option.key == key) return "--" + (option.name + message.substr(key.size()));
    }
    return message;
}

}  // namespace llmd::client
