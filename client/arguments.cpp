#include "client/arguments.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <optional>
#include <sstream>

#include "base/utf8.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

struct CommandSpec {
    Command command;
    std::string_view name;
    std::string_view operands;
    int min_operands;
    int max_operands;  // -1: any number
    std::string_view summary;
    std::string_view description;
};

constexpr std::array kCommands = {
    CommandSpec{
        Command::Generate, "generate", "[PROMPT]", 0, -1, "continue a text",
        "Continues PROMPT and prints the text as it is made.\n\n"
        "Without PROMPT, or with - in it, the prompt is read from standard input; with a PROMPT, what is piped in\n"
        "is appended to it on a new line. The last line break of the input is dropped.\n"
        "Ctrl-C stops the generation.\n\n"
        "Examples:\n"
        "  llmctl generate \"Once upon a time\"\n"
        "  llmctl generate --temperature 0 --max-tokens 40 \"The old king\"\n"
        "  llmctl generate --json-schema person.json \"A person, as JSON:\"\n"
        "  llmctl generate \"Continue this letter:\" < letter.txt > answer.txt\n"},
    CommandSpec{
        Command::Chat, "chat", "", 0, 0, "talk with the model",
        "Reads what you say, a line at a time, and prints the model's answers. A text of several lines stands between\n"
        "two \"\"\". Ctrl-C stops an answer, Ctrl-D or /exit leaves, /help says what else there is. Standard input "
        "may\n"
        "be a file or a pipe: each line is a turn then.\n\n"
        "Examples:\n"
        "  llmctl chat\n"
        "  llmctl chat --system \"You answer in one sentence.\"\n"},
    CommandSpec{Command::Models, "models", "", 0, 0, "list the models that can be named",
                "Lists the models in the model folders. An asterisk marks the one that is loaded.\n"},
    CommandSpec{Command::Load, "load", "MODEL", 1, 1, "load a model now",
                "Loads MODEL, a name from 'llmctl models' or the path of a GGUF file, and waits until it is ready.\n"
                "Models are also loaded by the first request that needs them.\n"},
    CommandSpec{Command::Unload, "unload", "", 0, 0, "give the model's memory back",
                "Ends the engine once the running requests have ended.\n"},
    CommandSpec{Command::Status, "status", "", 0, 0, "show state, device, model and requests",
                "Shows what llmd is doing, on which device and why, and every request. With --watch it does so every\n"
                "second until Ctrl-C, on a terminal in place; with --json too, one object a line.\n"},
    CommandSpec{
        Command::Queue, "queue", "", 0, 0, "list the requests in the order of their turns",
        "Lists every request: whose it is, its priority and state, and for one that waits how many run before it\n"
        "and about when it runs. A request of a higher priority takes the place of one of a lower, which goes on\n"
        "later where it was: it is 'paused' meanwhile.\n"},
    CommandSpec{Command::Cancel, "cancel", "[REQUEST]", 0, 1, "end a request",
                "Ends REQUEST, as 'llmctl queue' names it, or with --all every request.\n"},
    CommandSpec{Command::Tokenize, "tokenize", "[TEXT]", 0, -1, "show a text as tokens",
                "Prints the token numbers of TEXT, or of standard input, as the model sees them.\n"},
    CommandSpec{
        Command::Import, "import", "FILE", 1, 1, "put a model where llmd finds it",
        "Checks the GGUF file FILE and puts it into the folder of your models, as a clone or a hard link where the\n"
        "filesystem can, else as a copy. The file itself stays. A model that llmd cannot use is refused.\n\n"
        "Examples:\n"
        "  llmctl import ~/Downloads/SmolLM2-135M-Instruct-Q8_0.gguf --name smollm2\n"
        "  llmctl generate --model smollm2 \"Once upon a time\"\n"},
    CommandSpec{
        Command::Bench, "bench", "", 0, 0, "measure how fast the model is",
        "Has llmd read a prompt of random words and go on with it, some times, and shows how many tokens a second\n"
        "it reads and makes, and when the first one comes: mean and standard deviation. Nothing is kept.\n"},
    CommandSpec{
        Command::Doctor, "doctor", "", 0, 0, "find what keeps llmd from working",
        "Looks at everything that llmd needs, one line each: ok, warn for what works but not as well as it could,\n"
        "fail for what does not. With a command that mends it where there is one. Needs no daemon, starts and\n"
        "changes nothing. Fails (1) when a check does.\n"},
    CommandSpec{
        Command::Bridge, "bridge", "", 0, 0, "let programs that only know URLs reach llmd",
        "Serves llmd's Unix socket, OpenAI's and Ollama's API, as http://localhost:11434 until Ctrl-C. Only programs "
        "of\n"
        "this user on this device are let in, and no web pages but this device's own. All of them together count as\n"
        "one application in a sandbox: at most two requests at a time, none before those of other programs.\n"
        "A request may also be asked for a token ('Authorization: Bearer ...'): with --token-file only programs that\n"
        "can read that file are answered. The file is made if it is not there.\n\n"
        "Examples:\n"
        "  llmctl bridge\n"
        "  llmctl bridge --port 8080 --token-file ~/.config/llmd/token\n"},
    CommandSpec{Command::Version, "version", "", 0, 0, "show the versions of llmctl and llmd",
                "Shows llmctl's version, and llmd's when it is running.\n"},
};

enum class Kind { Flag, Text, TextList, Whole, Real };

struct OptionSpec {
    const char* name;
    char letter;              // 0: none
    const char* placeholder;  // empty for a flag
    Kind kind;
    const char* key;            // in the request's dictionary; nullptr: a field of Arguments
    std::string_view commands;  // names of the commands that take it, a space between; "*": all
    std::string_view help;
};

// Those that generate.
constexpr std::string_view kMakers = "generate chat";

constexpr std::array kOptions = {
    OptionSpec{"model", 'm', "NAME", Kind::Text, "model", "generate chat tokenize bench",
               "which model; see 'llmctl models'"},
    OptionSpec{"system", 's', "TEXT", Kind::Text, "system", kMakers, "how the model is to answer"},
    OptionSpec{"max-tokens", 'n', "N", Kind::Whole, "max_tokens", kMakers, "stop after N tokens (256)"},
    OptionSpec{"temperature", 't', "X", Kind::Real, "temperature", kMakers, "0 always takes the likeliest token (0.8)"},
    OptionSpec{"top-k", 0, "N", Kind::Whole, "top_k", kMakers, "choose among the N likeliest tokens; 0 is off (40)"},
    OptionSpec{"top-p", 0, "X", Kind::Real, "top_p", kMakers, "choose among tokens that make up probability X (0.95)"},
    OptionSpec{"min-p", 0, "X", Kind::Real, "min_p", kMakers,
               "leave out what is less likely than X times the best (0.05)"},
    OptionSpec{"repeat-penalty", 0, "X", Kind::Real, "repeat_penalty", kMakers, "above 1 discourages repetition (1)"},
    OptionSpec{"seed", 0, "N", Kind::Whole, "seed", kMakers, "the same seed gives the same text (random)"},
    OptionSpec{"stop", 0, "TEXT", Kind::TextList, "stop", kMakers, "end before TEXT; may be given several times"},
    OptionSpec{"json-schema", 0, "FILE", Kind::Text, "json_schema", "generate",
               "make JSON that fits the schema in FILE"},
    OptionSpec{"priority", 0, "P", Kind::Text, "priority", kMakers, "interactive, normal or background (normal)"},
    OptionSpec{"deadline-ms", 0, "N", Kind::Whole, "deadline_ms", kMakers, "end after N milliseconds"},
    OptionSpec{"echo", 'e', "", Kind::Flag, "echo", "generate", "begin with the prompt"},
    OptionSpec{"verbose", 'v', "", Kind::Flag, nullptr, "generate", "counts and speeds on standard error"},
    OptionSpec{"all", 'a', "", Kind::Flag, nullptr, "cancel", "every request of every program"},
    OptionSpec{"watch", 'w', "", Kind::Flag, nullptr, "status", "show it again every second"},
    OptionSpec{"name", 0, "NAME", Kind::Text, "name", "import", "what to call it (as the file, without .gguf)"},
    OptionSpec{"prompt-tokens", 0, "N", Kind::Whole, "prompt_tokens", "bench", "about how many to read (256)"},
    OptionSpec{"made-tokens", 0, "N", Kind::Whole, "made_tokens", "bench", "how many to make (64)"},
    OptionSpec{"runs", 0, "N", Kind::Whole, "runs", "bench", "how many times (3)"},
    OptionSpec{"port", 'p', "N", Kind::Whole, "port", "bridge", "listen on port N; 0 is any that is free (11434)"},
    OptionSpec{"token-file", 0, "FILE", Kind::Text, "token_file", "bridge", "answer only who has the token in FILE"},
    OptionSpec{"allow-host", 0, "NAME", Kind::TextList, "allow_host", "bridge",
               "also answer to this name; may be given several times"},
    OptionSpec{"json", 'j', "", Kind::Flag, nullptr, "*", "print one JSON object"},
    OptionSpec{"help", 'h', "", Kind::Flag, nullptr, "*", "show this help"},
};

// What getopt_long returns for kOptions[0]; the letters are below.
constexpr int kFirstLongOption = 256;

bool takes(const CommandSpec& command, const OptionSpec& option) {
    const size_t at = option.commands.find(command.name);
    if (option.commands == "*" || at == std::string_view::npos) return option.commands == "*";
    const size_t end = at + command.name.size();
    return (at == 0 || option.commands[at - 1] == ' ') &&
           (end == option.commands.size() || option.commands[end] == ' ');
}

std::string general_help() {
    std::ostringstream out;
    out << "llmctl talks to llmd, the language model of this device.\n\n"
           "Usage: llmctl COMMAND [OPTIONS] [ARGUMENTS]\n\n"
           "Try:   llmctl generate \"Once upon a time\"\n\n"
           "Commands:\n";
    for (const CommandSpec& command : kCommands) {
        out << "  " << std::left << std::setw(10) << command.name << command.summary << '\n';
    }
    out << "\n'llmctl COMMAND --help' says more about one command.\n\n"
           "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 no such model, 5 busy, 6 refused,\n"
           "7 prompt too long, 8 the model cannot fit the JSON schema, 130 interrupted.\n";
    return out.str();
}

std::string help_of(const CommandSpec& command) {
    std::ostringstream out;
    out << "Usage: llmctl " << command.name << " [OPTIONS]" << (command.operands.empty() ? "" : " ") << command.operands
        << "\n\n"
        << command.description << "\nOptions:\n";
    for (const OptionSpec& option : kOptions) {
        if (!takes(command, option)) continue;
        std::string left = option.letter != 0 ? std::string("-") + option.letter + ", " : std::string(4, ' ');
        left += std::string("--") + option.name;
        if (*option.placeholder != 0) left += std::string(" ") + option.placeholder;
        out << "  " << std::left << std::setw(26) << left << option.help << '\n';
    }
    return out.str();
}

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

// The daemon knows the ranges and names the option in its refusal; here only the form is checked.
Value value_of(const OptionSpec& option, const std::string& text) {
    const auto reject = [&](const char* wanted) {
        throw CommandError(ExitCode::Usage, std::string("--") + option.name + ": '" + text + "' is not " + wanted);
    };
    if (option.kind == Kind::Whole) {
        if (const auto number = whole_text_as<uint64_t>(text)) return *number;
        if (const auto number = whole_text_as<int64_t>(text)) return *number;
        reject("a whole number of at most 64 bits");
    }
    if (option.kind == Kind::Real) {
        if (const auto number = whole_text_as<double>(text)) return *number;
        reject("a number");
    }
    return text;
}

// What getopt_long could not take: `word`, or one of its letters. `optopt` is the letter, 0 for an unknown long option.
[[noreturn]] void refuse_option(const std::string& word, bool misses_value, std::string_view command) {
    const bool is_letter = optopt > 0 && optopt < kFirstLongOption;
    const std::string name = is_letter ? std::string("-") + static_cast<char>(optopt) : word.substr(0, word.find('='));
    if (misses_value) usage_error(name + " needs a value", command);
    if (optopt >= kFirstLongOption) usage_error(name + " takes no value", command);
    usage_error("unknown option " + name, command);
}

void check_text(const std::string& what, const std::string& text) {
    if (const size_t at = base::clean_prefix(text); at != text.size()) {
        throw CommandError(ExitCode::Usage, what + ": not UTF-8 text at byte " + std::to_string(at));
    }
}

void store(Arguments& arguments, const OptionSpec& option, const char* text) {
    if (option.kind == Kind::Flag) {
        if (option.key != nullptr) arguments.request[option.key] = true;
        if (option.letter == 'v') arguments.verbose = true;
        if (option.letter == 'a') arguments.all = true;
        if (option.letter == 'w') arguments.watch = true;
        if (option.letter == 'j') arguments.json = true;
        return;
    }
    check_text(std::string("--") + option.name, text);
    if (option.kind == Kind::TextList) {
        Value& list = arguments.request.try_emplace(option.key, std::vector<std::string>()).first->second;
        std::get<std::vector<std::string>>(list).emplace_back(text);
        return;
    }
    if (option.letter == 'm' && std::string_view(text).find('/') != std::string_view::npos) {
        throw CommandError(ExitCode::Usage, std::string("--model: '") + text +
                                                "' is a path; load it with 'llmctl load', then leave --model out");
    }
    arguments.request[option.key] = value_of(option, text);
}

// Reads the options of `command` and leaves the operands, in order.
Arguments parse_command(const CommandSpec& command, std::vector<std::string> words) {
    Arguments arguments;
    arguments.command = command.command;

    std::string letters =
        ":";  // a leading colon: getopt prints nothing and tells a missing value from an unknown option
    std::vector<option> long_options;
    for (const OptionSpec& spec : kOptions) {
        if (!takes(command, spec)) continue;
        const bool has_value = spec.kind != Kind::Flag;
        const int index = static_cast<int>(&spec - kOptions.data());
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
        if (found == '?' || found == ':') refuse_option(argv[optind - 1], found == ':', command.name);
        const auto spec = std::find_if(kOptions.begin(), kOptions.end(), [&](const OptionSpec& candidate) {
            return found >= kFirstLongOption ? &candidate - kOptions.data() == found - kFirstLongOption
                                             : candidate.letter == found;
        });
        if (spec->letter == 'h') {
            arguments.command = Command::Help;
            arguments.help = help_of(command);
            return arguments;
        }
        store(arguments, *spec, optarg);
    }
    for (int i = optind; i < argc; ++i) arguments.operands.emplace_back(argv[i]);

    const int count = static_cast<int>(arguments.operands.size());
    // A variable that was not set: never what a name should be.
    if (command.max_operands == 1 && count == 1 && arguments.operands[0].empty()) {
        usage_error("the argument is empty", command.name);
    }
    if (count < command.min_operands) usage_error(std::string(command.operands) + " is missing", command.name);
    if (command.max_operands >= 0 && count > command.max_operands) {
        usage_error("unexpected argument '" + arguments.operands[static_cast<size_t>(command.max_operands)] + "'",
                    command.name);
    }
    if (command.command == Command::Cancel && arguments.all == (count == 1)) {
        usage_error("name one request or give --all", command.name);
    }
    for (const std::string& operand : arguments.operands) check_text("argument", operand);
    return arguments;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& argv) {
    Arguments help;
    help.help = general_help();
    if (argv.size() < 2) usage_error("a command is missing");
    const std::string& word = argv[1];
    if (word == "--help" || word == "-h") return help;

    const bool asks_help = word == "help";
    if (asks_help && argv.size() == 2) return help;
    const std::string name = asks_help ? argv[2] : word == "--version" ? "version" : word;
    const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                      [&](const CommandSpec& candidate) { return candidate.name == name; });
    if (command == kCommands.end() && name.rfind('-', 0) == 0) usage_error("options follow the command");
    if (command == kCommands.end()) usage_error("unknown command '" + name + "'");
    if (asks_help) {
        help.help = help_of(*command);
        return help;
    }
    return parse_command(*command, {argv.begin() + 1, argv.end()});
}

std::string with_option_name(const std::string& message) {
    const std::string_view key = std::string_view(message).substr(0, message.find(':'));
    for (const OptionSpec& option : kOptions) {
        if (option.key != nullptr && option.key == key) return "--" + (option.name + message.substr(key.size()));
    }
    return message;
}

}  // namespace llmd::client
