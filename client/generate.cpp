// `llmctl generate`: text arrives on a pipe while signals and, on a terminal, a progress line are served.
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "base/unique_fd.h"
#include "base/utf8.h"
#include "client/commands.h"
#include "client/dbus_client.h"
#include "client/ndjson.h"
#include "client/output.h"
#include "client/prompt.h"

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

// Ctrl-C as a descriptor, so that the wait for text and for the signal are one.
base::UniqueFd interrupt_fd() {
    const sigset_t signals = interrupt_signal();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    base::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC));
    if (!fd) throw CommandError(ExitCode::Failed, std::string("signalfd: ") + std::strerror(errno));
    return fd;
}

// One generation, from the opened stream to its last line.
class Generation {
public:
    Generation(const Arguments& arguments, DbusClient& client, OpenStream stream)
        : arguments_(arguments), client_(client), stream_(std::move(stream)), output_(STDOUT_FILENO) {}

    ExitCode run() {
        while (!ended_) {
            const Ready ready = wait(stream_.pipe.get(), POLLIN);
            if (ready == Ready::Interrupt) return interrupted();
            if (ready == Ready::Nothing) report_progress();
            if (ready != Ready::Descriptor) continue;
            switch (read_some()) {
                case Written::All:
                    break;
                case Written::Interrupted:
                    return interrupted();
                case Written::NobodyReads:
                    return ExitCode::Ok;  // leaving closes the pipe, which cancels
            }
        }
        output_.finish();
        return conclude();
    }

private:
    enum class Ready { Descriptor, Interrupt, Nothing };
    enum class Written { All, Interrupted, NobodyReads };

    // Waits for `fd` or Ctrl-C; Nothing when it is time for the progress line.
    Ready wait(int fd, short events) {
        std::array<pollfd, 2> fds = {pollfd{fd, events, 0}, pollfd{interrupt_.get(), POLLIN, 0}};
        const bool reports = progress_.enabled() && !has_text_;
        const int ready = ::poll(fds.data(), fds.size(), reports ? kProgressIntervalMs : -1);
        if (ready < 0 && errno != EINTR) {
            throw CommandError(ExitCode::Failed, std::string("poll: ") + std::strerror(errno));
        }
        if (ready <= 0) return Ready::Nothing;
        return fds[1].revents != 0 ? Ready::Interrupt : Ready::Descriptor;
    }

    // Never blocks for longer than Ctrl-C takes: a pager may have stopped reading.
    Written write(std::string_view text) {
        while (!text.empty()) {
            const Ready ready = wait(STDOUT_FILENO, POLLOUT);
            if (ready == Ready::Interrupt) return Written::Interrupted;
            if (ready == Ready::Nothing) continue;
            const std::string_view piece = text.substr(0, base::utf8_cut(text, kUnblockedWrite));
            if (!output_.write(piece)) return Written::NobodyReads;
            text.remove_prefix(piece.size());
        }
        return Written::All;
    }

    Written read_some() {
        std::array<char, 16384> bytes;
        const ssize_t count = ::read(stream_.pipe.get(), bytes.data(), bytes.size());
        if (count < 0) {
            if (errno == EINTR) return Written::All;
            throw CommandError(ExitCode::Failed, std::string("reading the text: ") + std::strerror(errno));
        }
        if (count == 0) {
            progress_.clear();
            output_.finish();
            throw CommandError(ExitCode::Unreachable, "llmd ended before the text was complete; try again",
                               "Unreachable");
        }
        for (StreamLine& line : reader_.take({bytes.data(), static_cast<size_t>(count)})) {
            if (line.kind == StreamLine::Kind::Text) {
                if (!line.text.empty()) has_text_ = true;
                progress_.clear();
                if (arguments_.json) {
                    text_ += line.text;
                } else if (const Written written = write(line.text); written != Written::All) {
                    return written;
                }
            } else {
                last_ = std::move(line);
                ended_ = true;
            }
        }
        return Written::All;
    }

    void report_progress() {
        const std::string state = client_.request_state(stream_.request);
        if (state == "loading") {
            progress_.show_loading(client_.glance());
        } else if (state == "queued") {
            progress_.show("waiting for other requests");
        } else if (state == "prefill") {
            progress_.show("reading the prompt");
        }
    }

    // Leaving closes the pipe, which cancels: nothing is asked of a daemon that may not answer.
    ExitCode interrupted() {
        // A second Ctrl-C ends llmctl at once, should the output be stopped.
        const sigset_t signals = interrupt_signal();
        signalfd_siginfo first;
        (void)!::read(interrupt_.get(), &first, sizeof first);
        sigprocmask(SIG_UNBLOCK, &signals, nullptr);
        progress_.clear();
        output_.finish();
        if (arguments_.json) print_result({{"finish_reason", std::string("cancelled")}});
        return ExitCode::Interrupted;
    }

    ExitCode conclude() {
        progress_.clear();
        if (last_.kind == StreamLine::Kind::Error) {
            const std::string name(short_error_name(last_.error_name));
            throw CommandError(exit_code_of(name), last_.message, name);
        }
        last_.info["finish_reason"] = last_.finish_reason;
        if (arguments_.json) print_result(last_.info);
        if (arguments_.verbose) write_all(STDERR_FILENO, summary());
        if (last_.finish_reason == "cancelled") {
            if (arguments_.json) return ExitCode::Failed;
            throw CommandError(ExitCode::Failed, "another program cancelled the request", "Cancelled");
        }
        return ExitCode::Ok;
    }

    // The one object that --json promises.
    void print_result(Dictionary info) const {
        info["text"] = text_;
        base::JsonWriter json;
        write_json(json, info);
        print(json.take() + '\n');
    }

    std::string summary() const {
        const Dictionary& info = last_.info;
        std::ostringstream out;
        out << std::fixed << std::setprecision(1);
        out << "llmctl: prompt " << number_of(info, "prompt_tokens") << " tokens (" << number_of(info, "cached_tokens")
            << " cached) at " << real_of(info, "prefill_tps") << "/s, first token after " << number_of(info, "ttft_ms")
            << " ms, made " << number_of(info, "generated_tokens") << " at " << real_of(info, "decode_tps") << "/s\n";
        out << "llmctl: model " << text_of(info, "model") << ", seed " << number_of(info, "seed") << ", ended by "
            << last_.finish_reason << '\n';
        return out.str();
    }

    const Arguments& arguments_;
    DbusClient& client_;
    OpenStream stream_;
    const base::UniqueFd interrupt_ = interrupt_fd();
    StreamReader reader_;
    TextOutput output_;
    ProgressLine progress_;
    std::string text_;  // with --json: all of it
    bool has_text_ = false;
    bool ended_ = false;
    StreamLine last_;
};

}  // namespace

ExitCode run_generate(const Arguments& arguments) {
    const std::string prompt = read_prompt(arguments.operands, STDIN_FILENO);
    DbusClient client;
    Dictionary options = arguments.request;
    options["format"] = std::string("ndjson");
    options["delivery"] = std::string("fd");
    return Generation(arguments, client, client.stream(prompt, options)).run();
}

}  // namespace llmd::client
