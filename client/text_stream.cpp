#include "client/text_stream.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/utf8.h"
#include "client/counts.h"
#include "client/exit_code.h"
#include "service/request.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

// How often the progress line asks the daemon what it is doing until the first text comes.
constexpr int kProgressIntervalMs = 200;

// A pipe or terminal that poll() calls writable takes this many bytes without blocking (POSIX PIPE_BUF on Linux).
constexpr size_t kUnblockedWrite = 4096;

sigset_t interrupt_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    return signals;
}

std::string_view without_leading_space(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \n\t"), text.size()));
}

// The remote that generated the text; empty: this device did.
std::string where_of(const Dictionary& result) {
    const std::string where = text_of(result, "where");
    return where == "device" ? "" : where;
}

}  // namespace

Interrupts::Interrupts() {
    hold();
    const sigset_t signals = interrupt_signal();
    fd_.reset(::signalfd(-1, &signals, SFD_CLOEXEC));
    if (!fd_) throw CommandError(ExitCode::Failed, std::string("signalfd: ") + std::strerror(errno));
}

void Interrupts::hold() {
    const sigset_t signals = interrupt_signal();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    const timespec at_once{};
    while (sigtimedwait(&signals, nullptr, &at_once) >= 0) {
    }
}

void Interrupts::release() {
    hold();
    const sigset_t signals = interrupt_signal();
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

TextStream::TextStream(std::unique_ptr<TextSource> source, Interrupts& interrupts, Show show)
    : source_(std::move(source)),
      interrupts_(interrupts),
      show_(show),
      output_(STDOUT_FILENO, TextOutput::Lines::Wrapped) {}

TextStream::End TextStream::run() {
    End end = End::Complete;
    while (!ended_ && end == End::Complete) {
        const Ready ready = wait(source_->fd(), POLLIN);
        if (ready == Ready::Interrupt) end = End::Interrupted;
        if (ready == Ready::Nothing) report_progress();
        if (ready == Ready::Descriptor) end = read_some();
    }
    if (end == End::Interrupted) {
        last_.finish_reason = "cancelled";
        interrupts_.release();  // a second Ctrl-C ends llmctl at once, should the output be stopped
    }
    progress_.clear();
    if (end != End::NobodyReads) output_.finish();
    if (end != End::Complete) return end;
    if (last_.kind == StreamLine::Kind::Error) {
        const std::string name(short_error_name(last_.error_name));
        throw CommandError(exit_code_of(name), last_.message, name);
    }
    return end;
}

Dictionary TextStream::result() const {
    Dictionary result = last_.info;
    result["finish_reason"] = last_.finish_reason;
    result["text"] = text_;
    if (show_.thinking) result["thinking"] = thinking_;
    if (!calls_.empty()) result["tool_calls"] = calls_value(calls_);
    return result;
}

// Nothing when it is time for the progress line.
TextStream::Ready TextStream::wait(int fd, short events) {
    std::array<pollfd, 2> fds = {pollfd{fd, events, 0}, pollfd{interrupts_.fd(), POLLIN, 0}};
    const bool reports = progress_.enabled() && text_.empty();
    const int ready = ::poll(fds.data(), fds.size(), reports ? kProgressIntervalMs : -1);
    if (ready < 0 && errno != EINTR) {
        throw CommandError(ExitCode::Failed, std::string("poll: ") + std::strerror(errno));
    }
    if (ready <= 0) return Ready::Nothing;
    return fds[1].revents != 0 ? Ready::Interrupt : Ready::Descriptor;
}

// Never blocks for longer than Ctrl-C takes: a pager may have stopped reading.
TextStream::End TextStream::write(std::string_view text, TextOutput::Style style) {
    while (!text.empty()) {
        const Ready ready = wait(STDOUT_FILENO, POLLOUT);
        if (ready == Ready::Interrupt) return End::Interrupted;
        if (ready == Ready::Nothing) continue;
        const std::string_view piece = text.substr(0, base::utf8_cut(text, kUnblockedWrite));
        if (!output_.write(piece, style)) return End::NobodyReads;
        text.remove_prefix(piece.size());
    }
    return End::Complete;
}

TextStream::End TextStream::read_some() {
    auto lines = source_->read();
    if (!lines) {
        progress_.clear();
        output_.finish();
        throw CommandError(ExitCode::Unreachable, "llmd ended before the text was complete; try again", "Unreachable");
    }
    for (StreamLine& line : *lines) {
        End end = End::Complete;
        switch (line.kind) {
            case StreamLine::Kind::Thinking:
                end = take_thinking(line.text);
                break;
            case StreamLine::Kind::Text:
                end = take_text(line.text);
                break;
            case StreamLine::Kind::ToolCall:
                take_call(line.call);
                break;
            case StreamLine::Kind::Done:
            case StreamLine::Kind::Error:
                last_ = std::move(line);
                ended_ = true;
        }
        if (end != End::Complete) return end;
    }
    return End::Complete;
}

TextStream::End TextStream::take_thinking(std::string_view text) {
    thinks_ = true;
    if (show_.thinking) thinking_ += text;
    if (!show_.thinking || !show_.text || !output_.can_dim()) {
        if (text_.empty()) progress_.show("thinking");
        return End::Complete;
    }
    progress_.clear();
    if (!shows_thinking_) text = without_leading_space(text);
    shows_thinking_ = shows_thinking_ || !text.empty();
    return write(text, TextOutput::Style::Dim);
}

TextStream::End TextStream::take_text(std::string_view text) {
    text_ += text;
    if (!text_.empty()) progress_.clear();
    if (!show_.text) return End::Complete;
    if (!shown_ && (!show_.leading_space || shows_thinking_)) text = without_leading_space(text);
    if (text.empty()) return End::Complete;
    if (!std::exchange(shown_, true) && shows_thinking_) {
        output_.finish();
        if (const End end = write("\n", TextOutput::Style::Plain); end != End::Complete) return end;
    }
    return write(text, TextOutput::Style::Plain);
}

void TextStream::take_call(const ToolCall& part) {
    const auto same = [&](const ToolCall& call) { return call.index == part.index; };
    const auto call = std::find_if(calls_.begin(), calls_.end(), same);
    if (call == calls_.end()) return calls_.push_back(part);
    call->arguments += part.arguments;
}

void TextStream::report_progress() {
    if (thinks_) return;
    const Dictionary progress = source_->progress();
    const std::string state = text_of(progress, "state");
    if (state == "loading") {
        progress_.show_loading(progress);
    } else if (state == "queued") {
        progress_.show("waiting for other requests");
    } else if (state == "prefill") {
        progress_.show("processing the prompt");
    }
}

std::string cut_hint(const TextStream& text, const Dictionary& options) {
    const bool can_be_read = !text.text().empty() && text.calls().empty() && !options.contains("json_schema");
    return can_be_read && ::isatty(STDERR_FILENO) != 1 ? "" : cut_hint(text.result(), options);
}

std::string cut_hint(const Dictionary& result, const Dictionary& options) {
    if (text_of(result, "finish_reason") != "length") return "";
    const uint64_t count = number_of(result, "generated_tokens");
    const uint64_t wanted = number_of(options, "max_tokens", service::GenerateRequest::kDefaultMaxTokens);
    if (wanted == 0) return "";
    const std::string full = ", where the model's context is full";
    const std::string whose = where_of(result).empty() ? "; the setting context_length says how long it is" : "";
    return "llmctl: cut after " + counted(count, "token") +
           (count < wanted ? full + whose : "; --max-tokens allows more") + '\n';
}

std::string fallback_hint(const Dictionary& result, const Dictionary& options) {
    // A note begins with the option that it is about; the models' names do not tell, since the default may be listed.
    const std::vector<std::string> notes = list_of(result, "notes");
    const auto is_meant = [](const std::string& note) { return note.starts_with("fallback: "); };
    if (std::none_of(notes.begin(), notes.end(), is_meant)) return "";
    const std::string wanted = text_of(options, "model");
    return "llmctl: generated by " + text_of(result, "model") + ", since " +
           (wanted.empty() ? "the default model" : wanted) + " failed\n";
}

std::string schema_hint(const Dictionary& result) {
    constexpr std::string_view kField = "json_schema: ";
    std::string hint;
    for (const std::string& note : list_of(result, "notes")) {
        if (note.starts_with(kField)) hint += "llmctl: --json-schema: " + note.substr(kField.size()) + '\n';
    }
    return hint;
}

std::string continuation_hint(const Dictionary& result, const Dictionary& options) {
    if (text_of(result, "model") != supervisor::kBundledModel || options.contains("system")) return "";
    return "llmctl: this model has learned to answer, not to continue a text: 'llmctl chat', or --system, asks it\n";
}

std::string remote_hint(const Dictionary& result) {
    const std::string where = where_of(result);
    if (where.empty()) return "";
    const uint64_t resumed = number_of(result, "resumed");
    return "llmctl: generated by " + where + ", not on this device" +
           (resumed == 0 ? "" : "; it was cut and resumed " + counted(resumed, "time")) + '\n';
}

}  // namespace llmd::client
