#include "client/line_input.h"

#include <histedit.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "client/exit_code.h"
#include "client/prompt.h"

namespace llmd::client {
namespace {

constexpr int kHistoryLines = 1000;

class PipedInput final : public LineInput {
public:
    std::optional<std::string> read(const std::string&) override {
        size_t end = pending_.find('\n');
        while (end == std::string::npos && read_more()) end = pending_.find('\n', pending_.size() - n_last_);
        if (pending_.empty()) return std::nullopt;
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end == std::string::npos ? end : end + 1);
        return line;
    }
    bool is_person() const override { return false; }

private:
    // False at the end.
    bool read_more() {
        std::array<char, 65536> chunk;
        ssize_t count = 0;
        do {
            count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        } while (count < 0 && errno == EINTR);
        if (count < 0) throw CommandError(ExitCode::Failed, std::string("standard input: ") + std::strerror(errno));
        n_last_ = static_cast<size_t>(count);
        pending_.append(chunk.data(), n_last_);
        if (pending_.size() > kMaxInputBytes) {
            throw CommandError(ExitCode::TooLong, "standard input: a line of more than 4 MiB");
        }
        return count > 0;
    }

    std::string pending_;
    size_t n_last_ = 0;  // bytes that came last
};

class EditedInput final : public LineInput {
public:
    EditedInput() : history_(::history_init()), editor_(::el_init("llmctl", stdin, stderr, stderr)) {
        if (!history_ || !editor_) throw CommandError(ExitCode::Failed, "no memory to edit lines");
        HistEvent event;
        ::history(history_.get(), &event, H_SETSIZE, kHistoryLines);
        ::history(history_.get(), &event, H_SETUNIQUE, 1);
        ::el_set(editor_.get(), EL_CLIENTDATA, this);
        ::el_set(editor_.get(), EL_PROMPT, prompt_of);
        ::el_set(editor_.get(), EL_HIST, ::history, history_.get());
        ::el_set(editor_.get(), EL_EDITOR, "emacs");
        ::el_set(editor_.get(), EL_SIGNAL, 1);  // a terminal that is resized, or a program that is ended
        // Ctrl-C is a key while a line is edited.
        ::el_set(editor_.get(), EL_SETTY, "-d", "-isig", nullptr);
        ::el_set(editor_.get(), EL_BIND, "^C", "em-kill-line", nullptr);
    }

    std::optional<std::string> read(const std::string& prompt) override {
        prompt_ = prompt;
        // The editor shows the prompt first and takes the terminal's keys after, when it reads: a Ctrl-D that comes
        // between the two ends a line of the terminal's own, and is nothing here.
        ::el_set(editor_.get(), EL_PREP_TERM, 1);
        int count = 0;
        const char* line = ::el_gets(editor_.get(), &count);
        if (line == nullptr || count <= 0) {
            std::fputc('\n', stderr);  // so that the shell's prompt stands alone
            return std::nullopt;
        }
        std::string text(line, static_cast<size_t>(count));
        if (text.back() == '\n') text.pop_back();
        HistEvent event;
        if (!text.empty()) ::history(history_.get(), &event, H_ENTER, text.c_str());
        return text;
    }
    bool is_person() const override { return true; }

private:
    static char* prompt_of(EditLine* editor) {
        void* self = nullptr;
        ::el_get(editor, EL_CLIENTDATA, &self);
        return static_cast<EditedInput*>(self)->prompt_.data();
    }

    struct End {
        void operator()(History* history) const { ::history_end(history); }
        void operator()(EditLine* editor) const { ::el_end(editor); }
    };

    std::unique_ptr<History, End> history_;
    std::unique_ptr<EditLine, End> editor_;
    std::string prompt_;
};

}  // namespace

std::unique_ptr<LineInput> LineInput::open() {
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return std::make_unique<PipedInput>();
    return std::make_unique<EditedInput>();
}

}  // namespace llmd::client
