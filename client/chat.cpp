// `llmctl chat`: a conversation that lives as long as the command does.
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "client/commands.h"
#include "client/line_input.h"
#include "client/llmd_client.h"
#include "client/output.h"
#include "client/report.h"
#include "client/text_stream.h"

namespace llmd::client {
namespace {

constexpr std::string_view kPrompt = ">>> ";
constexpr std::string_view kMorePrompt = "... ";
constexpr std::string_view kQuotes = "\"\"\"";

constexpr std::string_view kHelp =
    "  /clear         begin anew: the model forgets what was said\n"
    "  /system TEXT   tell the model how to answer, and begin anew; without TEXT, leave it to the model\n"
    "  /exit          leave, as Ctrl-D does\n"
    "  \"\"\"            begin and end a text of several lines\n"
    "  Ctrl-C         stop an answer, or empty the line\n";

class Chat {
public:
    explicit Chat(const Arguments& arguments)
        : json_(arguments.json), options_(arguments.request), input_(LineInput::open()) {
        if (input_->is_person()) interrupts_.emplace();
    }

    ExitCode run() {
        if (input_->is_person()) tell("Ctrl-D leaves, /help shows what else there is.\n");
        while (const std::optional<std::string> turn = read_turn()) {
            if (turn->find_first_not_of(" \t\n") == std::string::npos) continue;
            if (const auto leave = take(*turn)) return *leave;
        }
        return ExitCode::Ok;
    }

private:
    static void tell(std::string_view text) { TextOutput(STDERR_FILENO).write(text); }

    // A line, or the lines between two """.
    std::optional<std::string> read_turn() {
        std::optional<std::string> line = input_->read(std::string(kPrompt));
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
            if (const size_t at = base::clean_prefix(turn); at != turn.size()) {
                throw CommandError(ExitCode::Usage,
                                   "standard input: not UTF-8 text at byte " + std::to_string(at) + " of a line");
            }
            if (turn.front() == '/') return obey(turn);
            add("user", turn);
            return answer();
        } catch (const CommandError& error) {
            turns_.resize(n_before);
            if (!input_->is_person() || error.code() == ExitCode::Ok) throw;
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
        auto source = client_->stream_chat(turns_, options_);
        TextStream text(std::move(source), interrupts, {.text = !json_, .leading_space = false});
        const TextStream::End end = text.run();
        if (end == TextStream::End::NobodyReads) return ExitCode::Ok;
        if (end == TextStream::End::Complete && text_of(text.result(), "finish_reason") == "cancelled") {
            throw CommandError(ExitCode::Failed, "another program cancelled the answer", "Cancelled");
        }
        if (json_) {
            print_json(text.result());
        } else {
            if (::isatty(STDOUT_FILENO) != 1 && !text.text().ends_with('\n')) print("\n");
            if (::isatty(STDERR_FILENO) == 1) tell(cut_hint(text.result(), options_));
        }
        // An answer that was stopped before its first word was none.
        text.text().empty() ? turns_.pop_back() : add("assistant", text.text());
        if (end == TextStream::End::Interrupted && !input_->is_person()) return ExitCode::Interrupted;
        return std::nullopt;
    }

    void add(const std::string& role, const std::string& content) {
        turns_.push_back({{"role", role}, {"content", content}});
    }

    const bool json_;
    Dictionary options_;
    std::vector<Dictionary> turns_;
    const std::unique_ptr<LlmdClient> client_ = connect_to_llmd();
    const std::unique_ptr<LineInput> input_;
    // At a terminal all the time: a Ctrl-C that comes just behind an answer is not meant to end the conversation.
    std::optional<Interrupts> interrupts_;
};

}  // namespace

ExitCode run_chat(const Arguments& arguments) {
    return Chat(arguments).run();
}

}  // namespace llmd::client
