#include "client/command_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "service/request.h"

namespace llmd::client {
namespace {

constexpr std::array kCommands = {
    CommandSpec{
        Command::Generate, "generate", "[PROMPT]", 0, -1, "continue a text, or with --system answer one",
        "Continues PROMPT and prints the text as it is made. With --system or --calendar PROMPT is what a person says, "
        "and\n"
        "the model answers it: most models, the bundled one too, have learned to answer and not to continue, and what\n"
        "they continue makes no sense.\n\n"
        "Without PROMPT, or with - in it, the prompt is read from standard input; with a PROMPT, what is piped in\n"
        "is appended to it on a new line. The last line break of the input is dropped. In a loop, or in a program "
        "that\n"
        "leaves its standard input open, add '< /dev/null'.\n"
        "Ctrl-C stops the generation. With --json all is printed at the end: text, thinking, finish_reason, "
        "figures.\n\n"
        "The bundled model takes facts out of a message of three parts, as below: what to do, the schema, which is "
        "one\n"
        "line there, and the text.\n\n"
        "Examples:\n"
        "  llmctl generate --system \"Be helpful.\" \"Tell me a tale about a fox in a lighthouse and a golden key\"\n"
        "  llmctl generate --system \"Be helpful.\" \"What can you do?\" > answer.txt\n"
        "  { echo \"Extract the event.\"; echo \"Schema: $(cat event.json)\"; printf 'Text: '; cat message.txt; } |\n"
        "  llmctl generate --calendar --json-schema event.json\n"
        "  llmctl generate --model gpt2 --max-tokens 40 \"Once upon a time\"\n"},
    CommandSpec{
        Command::Chat, "chat", "", 0, 0, "talk with the model",
        "Reads what you say, a line at a time, and prints the model's answers. A text of several lines stands between\n"
        "two \"\"\". Ctrl-C stops an answer, Ctrl-D or /exit leaves, /help says what else there is. Standard input\n"
        "may be a file or a pipe: each line is a turn then. What the model thinks before it answers is shown dim, on\n"
        "a terminal only.\n\n"
        "With --tools the model may call a tool: the call is shown as 'call NAME ARGUMENTS', and the next line that\n"
        "you give is its result. With several calls each is shown and answered in turn; a pipe that ends before has\n"
        "all of them shown. Where a tool takes a date, the model needs --calendar: it does not know which day it "
        "is.\n\n"
        "Examples:\n"
        "  llmctl chat\n"
        "  llmctl chat --tools tools.json --calendar --temperature 0\n"
        "  llmctl chat --system \"You answer in one sentence.\"\n"},
    CommandSpec{
        Command::Models, "models", "", 0, 0, "list the models that can be named",
        "Lists the models in the model directories. An asterisk marks each that is loaded, 'default' the one for\n"
        "whoever names none. Where the settings choose none, a model that was asked by name answers in its place.\n"},
    CommandSpec{
        Command::Show, "show", "MODEL", 1, 1, "tell what is known of a model",
        "Shows of MODEL, a name from 'llmctl models' or the path of a GGUF file, what it is, how much memory it takes\n"
        "and what it is for. Loads nothing and needs no daemon; a remote is not asked.\n"},
    CommandSpec{Command::Load, "load", "MODEL", 1, 1, "load a model now",
                "Loads MODEL, a name from 'llmctl models' or the path of a GGUF file, and waits until it is ready.\n"
                "Models are also loaded by the first request that needs them.\n"},
    CommandSpec{Command::Unload, "unload", "", 0, 0, "give the models' memory back",
                "Ends the engine of every model that is loaded, once the running requests have ended.\n"},
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
        Command::Embed, "embed", "[TEXT...]", 0, -1, "turn texts into vectors",
        "Prints the embedding of each TEXT, a line of numbers. Without TEXT, or with - in its place, each line of\n"
        "standard input is a text. At most 1024 texts at a time.\n\n"
        "Examples:\n"
        "  llmctl embed \"Once upon a time\" \"The end\"\n"
        "  llmctl embed --json < titles.txt\n"},
    CommandSpec{
        Command::Import, "import", "FILE|DIRECTORY", 1, 1, "put a model where llmd finds it",
        "Checks the GGUF file FILE and puts it into your model directory, as a clone or a hard link where the\n"
        "filesystem can, else as a copy. A directory as Hugging Face's transformers writes it (config.json,\n"
        "tokenizer.json, *.safetensors) and a checkpoint of llama2.c, with its tokenizer, are converted. The files\n"
        "themselves stay. A model that llmd cannot use is refused.\n\n"
        "Examples:\n"
        "  llmctl import ~/Downloads/SmolLM2-135M-Instruct-Q8_0.gguf --name smollm2\n"
        "  llmctl import ~/Downloads/Qwen2.5-0.5B-Instruct --quantize q4_0\n"
        "  llmctl import stories15M.bin --tokenizer tokenizer.bin --quantize q8_0\n"
        "  llmctl chat --model smollm2\n"},
    CommandSpec{
        Command::Pull, "pull", "SOURCE", 1, 1, "fetch a model from the network",
        "Fetches a GGUF file into your model directory. SOURCE is hf:OWNER/REPO of the Hugging Face Hub, whose\n"
        "file that suits this device is taken, or hf:OWNER/REPO/FILE, hf:OWNER/REPO:QUANTIZATION, each with @REVISION\n"
        "behind it if need be, or an https address. What breaks off goes on where it was, now or when the same "
        "command\n"
        "is given again; size and hash are checked against the Hub's list. HF_TOKEN, or the file that 'hf auth login'\n"
        "makes, opens what needs an account; HF_ENDPOINT names a mirror.\n\n"
        "Examples:\n"
        "  llmctl pull hf:bartowski/SmolLM2-135M-Instruct-GGUF\n"
        "  llmctl pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:q4_0 --name qwen\n"},
    CommandSpec{Command::Remove, "rm", "MODEL...", 1, -1, "delete models",
                "Deletes each MODEL from your model directory. One that is loaded goes on until it is unloaded.\n"},
    CommandSpec{Command::Default, "default", "[MODEL]", 0, 1, "choose the model for whoever names none",
                "Makes MODEL, a name from 'llmctl models', the one that is used without --model; shows which one that "
                "is.\n"},
    CommandSpec{
        Command::Config, "config", "[get KEY | set KEY VALUE | unset KEY | explain [KEY] | edit]", 0, 3,
        "show and change llmd's settings",
        "Shows all settings and the files that they are from, or one; changes one, in a file of its own, which is "
        "read\n"
        "after yours, and takes that back; says what a setting means, what it may be and which files say it; or opens\n"
        "your file in $EDITOR. llmd reads it at once; most settings hold from the next load of a model.\n\n"
        "Examples:\n"
        "  llmctl config set backend cpu\n"
        "  llmctl config get context_length\n"
        "  llmctl config explain idle_unload_seconds\n"},
    CommandSpec{
        Command::Remote, "remote", "[add NAME URL | list | test REMOTE | log | remove REMOTE]", 0, 3,
        "name bigger machines that texts may be asked of",
        "Names a bigger machine, whose models are then asked for as MODEL@NAME. Without one in the settings, and for\n"
        "every other name, nothing leaves this device.\n\n"
        "  add NAME URL   writes it into your settings. URL is https://HOST[:PORT][/PATH], http:// to this device or\n"
        "                 through --interface, or unix:/PATH. --model and --app say what it may be asked for, by "
        "whom.\n"
        "  list           shows those there are, and the state of each if llmd runs; so does no word at all\n"
        "  test REMOTE    asks each of its models for one token\n"
        "  log            shows what has left this device in the last 7 days: who, when, where and how much, no texts\n"
        "  remove REMOTE  deletes it from your settings\n\n"
        "Examples:\n"
        "  llmctl remote add home https://box.lan:8443 --model qwen3-32b --app host --key-file "
        "~/.config/llmd/home.key\n"
        "  llmctl remote test home\n"
        "  llmctl generate --model qwen3-32b@home \"Once upon a time\"\n"},
    CommandSpec{
        Command::Bench, "bench", "", 0, 0, "measure how fast the model is",
        "Gives llmd a prompt of random words, several times, and shows the speed of prefill and of decode in tokens\n"
        "a second, and when the first token comes: mean and standard deviation. Nothing is kept.\n"},
    CommandSpec{
        Command::Doctor, "doctor", "", 0, 0, "find what keeps llmd from working",
        "Looks at everything that llmd needs, one line each: ok, warn for what works but not as well as it could,\n"
        "fail for what does not. With a command that mends it where there is one. Needs no daemon, starts none\n"
        "and changes no setting; the engine, which it asks for devices, may make its cache. Fails (1) when a\n"
        "check does.\n"},
    CommandSpec{
        Command::Report, "report", "[FILE]", 0, 1, "describe this device for llmd's developers",
        "Measures the default model and shows what is known of the device, its drivers and llmd: a list of names and\n"
        "figures without prompts, texts, paths, names of users, hosts and models, serial numbers or the kernel's\n"
        "command line. Sends nothing. With FILE it is written there too, once it has been shown and, at a terminal, "
        "you\n"
        "have agreed.\n\n"
        "Examples:\n"
        "  llmctl report\n"
        "  llmctl report llmd-report.txt\n"},
    CommandSpec{Command::Logs, "logs", "", 0, 0, "show what llmd has logged",
                "Shows the last lines that llmd and llmd-remote have logged to the journal, with journalctl. Prompts "
                "and texts\n"
                "are never in them. The setting log_level says how much is logged. Where systemd does not run, it says "
                "where the\n"
                "log is; a journal that is there all the same is shown, too.\n"},
    CommandSpec{
        Command::Bridge, "bridge", "", 0, 0, "let programs that only know URLs reach llmd",
        "Serves llmd's Unix socket, OpenAI's and Ollama's API, as http://localhost:11434 until Ctrl-C. Only programs "
        "of\n"
        "this user on this device are let in, and no web pages but this device's own. All of them together count as\n"
        "one application in a sandbox: at most two requests at a time, never with priority interactive.\n"
        "A request may also be asked for a token ('Authorization: Bearer ...'): with --token-file only programs that\n"
        "can read that file are answered. The file is made if it is not there.\n\n"
        "Examples:\n"
        "  llmctl bridge\n"
        "  llmctl bridge --port 8080 --token-file ~/.config/llmd/token\n"},
    CommandSpec{Command::Version, "version", "", 0, 0, "show the versions of llmctl and llmd",
                "Shows llmctl's version, and llmd's when it is running.\n"},
};

using Kind = OptionSpec::Kind;

constexpr OptionSpec::Range kPorts{0, UINT16_MAX};
// No request may ask for more tokens. A text has a speed from its second token on.
constexpr OptionSpec::Range kPromptTokens{1, service::RequestLimits::kMaxTokens};
constexpr OptionSpec::Range kGeneratedTokens{2, service::RequestLimits::kMaxTokens};
constexpr OptionSpec::Range kRuns{1, 1000};
constexpr OptionSpec::Range kLogLines{1, 1'000'000};

// Those that generate, and those that the daemon queues.
constexpr std::string_view kMakers = "generate chat";
constexpr std::string_view kRequests = "generate chat embed";

// Sets a member of Arguments.
constexpr OptionSpec flag(const char* name, char letter, bool Arguments::*flag, std::string_view commands,
                          std::string_view help) {
    return {name, letter, "", Kind::Flag, nullptr, commands, help, {}, flag};
}

// Takes one of `words`, which the daemon checks where it is a Text.
constexpr OptionSpec one_of(Kind kind, const char* name, const char* placeholder, const char* key,
                            std::string_view commands, std::string_view words, std::string_view help,
                            std::string Arguments::*word = nullptr) {
    return {name, 0, placeholder, kind, key, commands, help, {}, nullptr, words, word};
}

constexpr std::array kOptions = {
    OptionSpec{"model", 'm', "NAME", Kind::Text, "model", "generate chat tokenize embed bench report",
               "which model; see 'llmctl models'"},
    OptionSpec{"fallback", 0, "NAME", Kind::TextList, "fallback", kMakers,
               "ask NAME where the model fails before its first word; may be given several times"},
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
    OptionSpec{"tools", 0, "FILE", Kind::Text, "tools", "chat",
               "the tools that the model may call, as OpenAI's JSON array"},
    OptionSpec{"no-bare-calls", 0, "", Kind::Flag, "bare_calls", "chat",
               "a tool call that is written as plain JSON is text"},
    flag("calendar", 0, &Arguments::calendar, kMakers,
         "tell the model which day it is, at the end of the system message"),
    one_of(Kind::Word, "thinking", "on|off", "thinking", kMakers, "on off",
           "think before the answer or not, where the model leaves the choice"),
    flag("no-thinking", 0, &Arguments::no_thinking, kMakers, "do not show what the model thinks"),
    one_of(Kind::Text, "priority", "P", "priority", kRequests, "interactive normal background",
           "interactive, normal or background (normal)"),
    OptionSpec{"deadline-ms", 0, "N", Kind::Whole, "deadline_ms", kRequests, "end after N milliseconds"},
    OptionSpec{"echo", 'e', "", Kind::Flag, "echo", "generate", "begin with the prompt"},
    flag("verbose", 'v', &Arguments::verbose, "generate", "counts and speeds on standard error"),
    flag("all", 'a', &Arguments::all, "cancel", "every request of every program"),
    flag("watch", 'w', &Arguments::watch, "status", "show it again every second"),
    flag("follow", 'f', &Arguments::watch, "logs", "go on with new lines"),
    OptionSpec{"lines", 'n', "N", Kind::Whole, "lines", "logs", "how many (100)", kLogLines},
    OptionSpec{"name", 0, "NAME", Kind::Text, "name", "import pull",
               "what to call it (as the file, without .gguf or .bin)"},
    OptionSpec{"tokenizer", 0, "FILE", Kind::Text, "tokenizer", "import",
               "a checkpoint's vocabulary (tokenizer.bin beside it)"},
    one_of(Kind::Text, "quantize", "TYPE", "quantize", "import", "f32 f16 bf16 q8_0 q4_k_m q4_0",
           "what converted matrices become: f32, f16, bf16, q8_0, q4_k_m, q4_0 (as they are)"),
    OptionSpec{"prompt-tokens", 0, "N", Kind::Whole, "prompt_tokens", "bench report",
               "about how many prompt tokens (256)", kPromptTokens},
    OptionSpec{"generated-tokens", 0, "N", Kind::Whole, "generated_tokens", "bench report", "how many to generate (64)",
               kGeneratedTokens},
    OptionSpec{"runs", 0, "N", Kind::Whole, "runs", "bench report", "how many times (3)", kRuns},
    OptionSpec{"port", 'p', "N", Kind::Whole, "port", "bridge", "listen on port N; 0 is any that is free (11434)",
               kPorts},
    OptionSpec{"token-file", 0, "FILE", Kind::Text, "token_file", "bridge", "answer only who has the token in FILE"},
    OptionSpec{"allow-host", 0, "NAME", Kind::TextList, "allow_host", "bridge",
               "also answer to this name; may be given several times"},
    OptionSpec{"allow-origin", 0, "ORIGIN", Kind::TextList, "allow_origin", "bridge",
               "let pages and programs of this origin ask; a web page needs --token-file; may be given several times"},
    OptionSpec{"model", 0, "M", Kind::TextList, "models", "remote",
               "add: may be asked for; ALIAS=MODEL renames; may be given several times"},
    OptionSpec{"app", 0, "A", Kind::TextList, "apps", "remote",
               "add: may ask: host, a Flatpak's id, snap:NAME; may be given several times (nobody)"},
    one_of(Kind::Text, "api", "A", "api", "remote", "auto vllm llama-server sglang ollama openai",
           "add: vllm, llama-server, sglang, ollama or openai (auto: finds out)"),
    OptionSpec{"key-file", 0, "FILE", Kind::Text, "key_file", "remote", "add: has the key that the machine asks for"},
    OptionSpec{"pin", 0, "P", Kind::Text, "pin", "remote", "add: its public key, as sha256//BASE64, and no other"},
    OptionSpec{"ca-file", 0, "FILE", Kind::Text, "ca_file", "remote", "add: certificates to trust, not the system's"},
    OptionSpec{"interface", 0, "I", Kind::Text, "interface", "remote", "add: the only network device, as of a VPN"},
    one_of(Kind::Word, "metered", "allow|deny", "metered", "remote", "allow deny",
           "add: over connections that cost too or not (deny)"),
    one_of(Kind::Word, "color", "WHEN", nullptr, "*", "auto always never",
           "colour the output: auto, always or never (auto)", &Arguments::color),
    flag("json", 'j', &Arguments::json, "*", "print one JSON object"),
    OptionSpec{"help", 'h', "", Kind::Flag, nullptr, "*", "show this help"},
};

constexpr std::array kExits = {
    ExitSpec{ExitCode::Ok, "done"},
    ExitSpec{ExitCode::Failed, "failed"},
    ExitSpec{ExitCode::Usage, "wrong usage"},
    ExitSpec{ExitCode::Unreachable, "no daemon"},
    ExitSpec{ExitCode::ModelMissing, "no such model"},
    ExitSpec{ExitCode::Busy, "busy"},
    ExitSpec{ExitCode::Refused, "refused"},
    ExitSpec{ExitCode::TooLong, "prompt too long"},
    ExitSpec{ExitCode::Unsatisfiable, "the model cannot fit the JSON schema"},
    ExitSpec{ExitCode::Interrupted, "interrupted"},
};

}  // namespace

std::span<const CommandSpec> command_table() {
    return kCommands;
}

std::span<const OptionSpec> option_table() {
    return kOptions;
}

std::span<const ExitSpec> exit_table() {
    return kExits;
}

const CommandSpec* find_command(std::string_view name) {
    const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                      [&](const CommandSpec& candidate) { return candidate.name == name; });
    return command == kCommands.end() ? nullptr : &*command;
}

std::vector<std::string> split_words(std::string_view list) {
    std::istringstream in{std::string(list)};
    return {std::istream_iterator<std::string>(in), {}};
}

bool takes(const CommandSpec& command, const OptionSpec& option) {
    const size_t at = option.commands.find(command.name);
    if (option.commands == "*" || at == std::string_view::npos) return option.commands == "*";
    const size_t end = at + command.name.size();
    return (at == 0 || option.commands[at - 1] == ' ') &&
           (end == option.commands.size() || option.commands[end] == ' ');
}

const OptionSpec* common_option(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    for (const OptionSpec& option : kOptions) {
        if (option.commands != "*") continue;
        if (name == std::string("--") + option.name) return &option;
        if (option.letter != 0 && word == std::string{'-', option.letter}) return &option;
    }
    return nullptr;
}

}  // namespace llmd::client
