// `llmctl chat`: a conversation that lives as long as the command does.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "client/calendar.h"
#include "client/commands.h"
#include "client/line_input.h"
#include "client/llmd_client.h"
#include "client/model_folder.h"
#include "client/output.h"
#include "client/prompt.h"
#include "client/report.h"
#include "client/text_stream.h"

namespace llmd::client {
namespace {

constexpr std::string_view kPrompt = ">>> ";
constexpr std::string_view kMorePrompt = "... ";
constexpr std::string_view kResultPrompt = "result> ";
constexpr std::string_view kQuotes = "\"\"\"";
constexpr std::array<std::string_view, 4> kChatCommands = {"/clear", "/system", "/exit", "/help"};

constexpr std::string_view kHelp =
    "  /clear         begin anew: the model forgets what was said\n"
    "  /system TEXT   tell the model how to answer, and begin anew; without TEXT, leave it to the model\n"
    "  /exit          leave, as Ctrl-D does\n"
    "  \"\"\"            begin and end a text of several lines\n"
    "  Ctrl-C         stop an answer, or empty the line\n";

class Chat {
public:
    explicit Chat(const Arguments& arguments)
        : json_(arguments.json),
          calendar_(arguments.calendar),
          show_{.text = !json_, .leading_space = false, .thinking = !arguments.no_thinking},
          tools_file_(text_of(arguments.request, "tools")),
          options_(arguments.request),
          input_(LineInput::open()) {
        if (options_.contains("tools")) options_["tools"] = read_text_file("--tools", tools_file_);
        if (input_->is_person()) interrupts_.emplace();
    }

    ExitCode run() {
        check_model();
        if (input_->is_person()) tell("Ctrl-D leaves, /help shows what else there is.\n");
        while (const std::optional<std::string> turn = read_text(kPrompt)) {
            if (turn->find_first_not_of(" \t\n") == std::string::npos) continue;
            if (const auto leave = take(*turn)) return *leave;
        }
        return ExitCode::Ok;
    }

private:
    // Before somebody types what nothing can answer. A fallback answers where the model is not there; whether a remote
    // may be asked, and how, llmd says.
    void check_model() const {
        const std::string model = text_of(options_, "model");
        if (model.empty() || model.find('@') != std::string::npos) return;
        const std::vector<std::string> fallback = list_of(options_, "fallback");
        std::vector<std::string> wanted = fallback;
        wanted.push_back(model);
        const auto is_among = [&](const std::vector<Dictionary>& known, const char* key) {
            return std::any_of(known.begin(), known.end(), [&](const Dictionary& one) {
                return std::find(wanted.begin(), wanted.end(), text_of(one, key)) != wanted.end();
            });
        };
        // One that was loaded by its path is in no list.
        if (is_among(client_.list_models(), "name")) return;
        if (!is_among(dictionaries_of(client_.status(), "engines"), "model")) no_such_model(model, fallback);
    }

    // A line, or the lines between two """.
    std::optional<std::string> read_text(std::string_view prompt) {
        std::optional<std::string> line = input_->read(std::string(prompt));
        if (!line || !line->starts_with(kQuotes)) return line;
        std::string text = line->substr(kQuotes.size());
        while (!text.ends_with(kQuotes)) {
            line = input_->read(std::string(kMorePrompt));
            if (!line && input_->is_person()) return std::nullopt;
            if (!line) return text;
            text += '\n' + *line;
        }
        text.resize(text.size() - kQuotes.size());
        return text;
    }

    std::optional<ExitCode> obey(const std::string& line) {
        const size_t space = line.find(' ');
        const std::string command = line.substr(0, space);
        const std::string operand = space == std::string::npos ? "" : line.substr(space + 1);
        if (command == "/exit") return ExitCode::Ok;
        if (command == "/help") {
            tell(kHelp);
        } else if (command == "/clear" || command == "/system") {
            turns_.clear();
            if (command == "/system") options_.erase("system");
            if (command == "/system" && !operand.empty()) options_["system"] = operand;
        } else {
            throw CommandError(ExitCode::Usage, "there is no " + command + "; /help shows what there is");
        }
        return std::nullopt;
    }

    // A person goes on after a failure; a script's conversation ends with it.
    std::optional<ExitCode> take(const std::string& turn) {
        const size_t n_before = turns_.size();
        try {
            check_utf8(turn);
            if (turn.front() == '/') return obey(turn);
            add("user", turn);
            while (true) {
                if (const auto leave = answer()) return leave;
                if (calls_.empty()) break;
                if (const auto leave = add_results()) return leave;
                if (turns_.empty()) return std::nullopt;  // begun anew
            }
            // An answer that was stopped before its first word was none.
            if (text_of(turns_.back(), "role") != "assistant") turns_.resize(n_before);
            return std::nullopt;
        } catch (const CommandError& caught) {
            const CommandError error = with_file_name(caught, "tools", tools_file_);
            turns_.resize(n_before);
            if (!input_->is_person() || error.code() == ExitCode::Ok) throw error;
            report(error, json_);
            if (error.name() == "ContextExceeded") tell("llmctl: /clear begins anew\n");
            return std::nullopt;
        }
    }

    std::optional<ExitCode> answer() {
        if (!interrupts_) {
            Interrupts interrupts;
            return answer(interrupts);
        }
        interrupts_->hold();
        const auto leave = answer(*interrupts_);
        interrupts_->hold();
        return leave;
    }

    std::optional<ExitCode> answer(Interrupts& interrupts) {
        Dictionary options = options_;
        if (calendar_) options["system"] = with_calendar(text_of(options, "system"));
        auto source = client_.stream_chat(turns_, options);
        TextStream text(std::move(source), interrupts, show_);
        const TextStream::End end = text.run();
        if (end == TextStream::End::NobodyReads) return ExitCode::Ok;
        if (end == TextStream::End::Complete && text_of(text.result(), "finish_reason") == "cancelled") {
            throw CommandError(ExitCode::Failed, "another program cancelled the answer", "Cancelled");
        }
        // Those of an answer that ended otherwise may be cut.
        const bool calls = end == TextStream::End::Complete && text_of(text.result(), "finish_reason") == "tool_calls";
        calls_ = calls ? text.calls() : std::vector<ToolCall>();
        if (json_) {
            print_json(text.result());
        } else {
            const bool only_calls = text.text().empty() && !calls_.empty();
            if (::isatty(STDOUT_FILENO) != 1 && !text.text().ends_with('\n') && !only_calls) print("\n");
            tell(fallback_hint(text.result(), options_) + remote_hint(text.result()));
            tell(cut_hint(text, options_));
        }
        if (!text.text().empty() || !calls_.empty()) add("assistant", text.text());
        if (!calls_.empty()) turns_.back()["tool_calls"] = calls_value(calls_);
        if (end == TextStream::End::Interrupted && !input_->is_person()) return ExitCode::Interrupted;
        return std::nullopt;
    }

    // Asks for the result of each call. The chat ends where the input does.
    std::optional<ExitCode> add_results() {
        bool has_ended = false;
        for (const ToolCall& call : calls_) {
            if (!json_) show(call);
            if (has_ended) continue;
            std::optional<std::string> result = read_text(kResultPrompt);
            while (result && is_command_of_person(*result)) {
                if (const auto leave = obey(*result)) return leave;
                if (turns_.empty()) return std::nullopt;
                result = read_text(kResultPrompt);
            }
            if (!result) {
                if (input_->is_person()) return ExitCode::Ok;
                has_ended = true;  // a script gets the other calls too
                continue;
            }
            check_utf8(*result);
            add("tool", *result);
            turns_.back()["tool_call_id"] = call.id;
        }
        return has_ended ? std::optional(ExitCode::Ok) : std::nullopt;
    }

    // A result may well begin with a slash, as a file's name does, and a script's is always one.
    bool is_command_of_person(const std::string& line) const {
        const auto has_word = [&](std::string_view word) { return line.substr(0, line.find(' ')) == word; };
        return input_->is_person() && std::any_of(kChatCommands.begin(), kChatCommands.end(), has_word);
    }

    // On one line, whatever white space the model has put between the arguments.
    static void show(const ToolCall& call) {
        const auto arguments = base::parse_json(call.arguments);
        const std::string text = arguments ? base::json_text(*arguments) : call.arguments;
        if (!TextOutput(STDOUT_FILENO).write("call " + call.name + ' ' + text + '\n')) {
            throw CommandError(ExitCode::Ok, "");
        }
    }

    static void check_utf8(const std::string& text) {
        const size_t at = base::clean_prefix(text);
        if (at == text.size()) return;
        throw CommandError(ExitCode::Usage, "standard input: " + fault_of_text(text, at) + " of a line");
    }

    void add(const std::string& role, const std::string& content) {
        turns_.push_back({{"role", role}, {"content", content}});
    }

    const bool json_;
    const bool calendar_;
    const TextStream::Show show_;
    const std::string tools_file_;  // empty: there are none
    Dictionary options_;
    std::vector<Dictionary> turns_;
    std::vector<ToolCall> calls_;  // of the last answer, which wait for their results
    const LlmdClient client_ = connect_to_llmd();
    const std::unique_ptr<LineInput> input_;
    // At a terminal all the time: a Ctrl-C that comes just behind an answer is not meant to end the conversation.
    std::optional<Interrupts> interrupts_;
};

}  // namespace

ExitCode run_chat(const Arguments& arguments) {
    return Chat(arguments).run();
}

}  // namespace llmd::client
