#include "supervisor/engine_link.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "protocol/frame.h"

namespace llmd::supervisor {
namespace {

using Cause = EngineEnd::Cause;
using base::concat;

constexpr size_t kReadBytes = 64u << 10;
constexpr int kMaxReadsPerPass = 16;  // the front ends have their turn, however talkative the engine is

constexpr std::array<std::string_view, 5> kPhaseNames = {"idle", "load", "kernel build", "step", "waiting"};
constexpr std::string_view kNoPhase = "start";
constexpr std::array<std::string_view, 8> kCauseNames = {"none",     "device_error", "crash",         "silence",
                                                         "protocol", "killed",       "out_of_memory", "exit"};
static_assert(kCauseNames.size() == static_cast<size_t>(Cause::Exit) + 1);

template <typename... Ts>
bool is_any_of(const protocol::Message& message) {
    return (std::holds_alternative<Ts>(message) || ...);
}
// Each of these is answered once, by one of those.
bool wants_answer(const protocol::Message& message) {
    if (const auto* lease = std::get_if<protocol::SetLease>(&message)) return !lease->held;
    return is_any_of<protocol::Submit, protocol::Tokenize, protocol::Detokenize, protocol::Render>(message);
}
bool is_answer(const protocol::Message& message) {
    return is_any_of<protocol::Accepted, protocol::Refused, protocol::Tokenized, protocol::Detokenized,
                     protocol::Rendered, protocol::LeaseReleased>(message);
}

EngineEnd end_from_status(int status) {
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        const bool foreign = number == SIGKILL || number == SIGTERM;
        return {foreign ? Cause::ForeignKill : Cause::Signal,
                concat("ended by signal ", number, " (", ::strsignal(number), ")"), std::nullopt, number};
    }
    return {Cause::Exit, concat("exited with status ", WEXITSTATUS(status))};
}

class ProcessLink final : public EngineLink {
public:
    ProcessLink(base::EventLoop& loop, EngineLauncher& launcher, EngineProcess process, Events events,
                EngineTimeouts timeouts)
        : loop_(loop),
          launcher_(launcher),
          process_(std::move(process)),
          events_(std::move(events)),
          timeouts_(timeouts),
          budget_(timeouts.start) {
        loop_.add_fd(process_.socket.get(), POLLIN, [this](short revents) { on_socket(revents); });
        if (process_.pidfd) loop_.add_fd(process_.pidfd.get(), POLLIN, [this](short) { on_exit(); });
        watch();
    }

    ~ProcessLink() override {
        if (ended_) return;
        forget_descriptors();
        // Not reaped: that could block. This happens only where llmd itself is about to end.
        launcher_.kill(process_);
    }

    void send(const protocol::Message& message) override {
        if (!process_.socket) return;
        // Not at every frame: behind thousands of them a slow reader takes a little of much.
        if (unsent_begin_ * 2 > unsent_.size()) unsent_.erase(0, std::exchange(unsent_begin_, 0));
        if (const auto encoded = protocol::encode(message, unsent_); !encoded) {
            terminate(Cause::Protocol, "llmd made a frame that cannot be sent: " + encoded.error().message);
            return;
        }
        if (unsent_.size() > kMaxUnsentBytes) {
            terminate(Cause::Silence, concat("does not read: ", unsent_.size(), " bytes are unsent"));
            return;
        }
        write_some();
        if (wants_answer(message) && unanswered_++ == 0 && budget_.count() == 0) watch();
    }

    void stop() override { stop(Cause::Asked, "was asked to end"); }

    void terminate(Cause cause, std::string detail) override {
        if (!give_up(cause, std::move(detail))) return;
        kill();
    }

    pid_t pid() const override { return process_.pid; }
    bool is_idle() const override {
        return budget_.count() == 0 && unanswered_ == 0 && phase_ != protocol::Phase::Waiting;
    }

private:
    // Nothing that it says counts from now on. False when that is so already.
    bool give_up(Cause cause, std::string detail) {
        if (ended_ || why_) return false;
        why_ = EngineEnd{cause, std::move(detail)};
        close_socket();
        return true;
    }

    // Lets it exit by itself.
    void stop(Cause cause, std::string detail) {
        if (!give_up(cause, std::move(detail))) return;
        set_timer(process_.pidfd ? timeouts_.exit : std::chrono::milliseconds(0), [this] { kill(); });
    }

    void kill() {
        launcher_.kill(process_);
        set_timer(process_.pidfd ? timeouts_.kill : std::chrono::milliseconds(0), [this] { end(*why_); });
    }

    void on_socket(short revents) {
        if ((revents & POLLOUT) != 0) write_some();
        if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_some(kMaxReadsPerPass);
    }

    void write_some() {
        while (process_.socket && unsent_begin_ < unsent_.size()) {
            const std::string_view left = std::string_view(unsent_).substr(unsent_begin_);
            const ssize_t n = ::send(process_.socket.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && errno == EAGAIN) break;
            if (n < 0) {
                // It is gone or going; the pidfd shows how.
                unsent_begin_ = unsent_.size();
                break;
            }
            unsent_begin_ += static_cast<size_t>(n);
        }
        const bool all = unsent_begin_ == unsent_.size();
        if (all) {
            unsent_.clear();
            unsent_.shrink_to_fit();  // a prompt of 4 MiB is not kept for the next one
            unsent_begin_ = 0;
        }
        if (process_.socket) loop_.set_events(process_.socket.get(), all ? POLLIN : POLLIN | POLLOUT);
    }

    // Reads until nothing is left, `max_reads` are done, or a message made this link close its socket.
    void read_some(int max_reads) {
        std::array<char, kReadBytes> bytes;
        for (int i = 0; i < max_reads && process_.socket; ++i) {
            const ssize_t n = ::recv(process_.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && errno == EAGAIN) return;
            if (n <= 0) {
                close_socket();
                // The closed socket is all that shows the end of a process that is not llmd's child.
                if (!process_.pidfd) {
                    set_timer({}, [this] { end(why_ ? *why_ : EngineEnd{Cause::Exit, "closed its connection"}); });
                    return;
                }
                // Usually the pidfd is readable in this very iteration.
                set_timer(timeouts_.exit, [this] { terminate(Cause::Silence, "closed its socket and did not end"); });
                return;
            }
            reader_.append({bytes.data(), static_cast<size_t>(n)});
            if (!deliver_messages()) return;
            watch();
            // More would have come along; what comes now wakes the loop again.
            if (static_cast<size_t>(n) < bytes.size()) return;
        }
    }

    // False when the engine has been stopped.
    bool deliver_messages() {
        for (;;) {
            auto message = reader_.next();
            if (!message) {
                terminate(Cause::Protocol, "sent a malformed frame: " + message.error().message);
                return false;
            }
            if (!*message) return true;
            if (const auto* change = std::get_if<protocol::PhaseChange>(&**message)) {
                phase_ = change->phase;
                budget_ = std::chrono::milliseconds(change->budget_ms);
                if (is_idle() && events_.on_idle) events_.on_idle();
            } else if (const auto* fault = std::get_if<protocol::Fault>(&**message)) {
                stop(Cause::Fault, "reported a device error: " + fault->message);
                return false;
            } else {
                if (unanswered_ > 0 && is_answer(**message)) --unanswered_;
                events_.on_message(**message);
                if (!process_.socket) return false;
            }
        }
    }

    void on_exit() {
        // Messages that it sent before it ended count: a Fault, or the last words of a request.
        read_some(1 + static_cast<int>(protocol::kMaxFrameBytes / kReadBytes));
        const int status = launcher_.reap(process_);
        end(why_ ? *why_ : end_from_status(status));
    }

    void end(EngineEnd why) {
        ended_ = true;
        forget_descriptors();
        why.phase = phase_;
        events_.on_ended(why);
    }

    // How long it may be silent now; 0: for ever, as an idle engine that has nothing to answer.
    std::chrono::milliseconds timeout_now() const {
        return budget_.count() == 0 && unanswered_ > 0 ? timeouts_.answer : budget_;
    }

    // It has just been heard, or asked. Frames come with every token: a timer that ends too early is left to look
    // again, rather than made anew for each.
    void watch() {
        heard_ = base::Clock::now();
        const auto timeout = timeout_now();
        if (timeout.count() == 0) return cancel_timer();
        if (timer_ == 0 || heard_ + timeout < timer_end_) set_timer(timeout, [this] { judge_silence(); });
    }

    void judge_silence() {
        timer_ = 0;
        const auto timeout = timeout_now();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(heard_ + timeout - base::Clock::now());
        if (left.count() > 0) return set_timer(left, [this] { judge_silence(); });
        terminate(Cause::Silence, concat("was silent for more than ", timeout.count(), " ms in phase ",
                                         phase_ ? kPhaseNames[static_cast<size_t>(*phase_)] : kNoPhase));
    }

    void set_timer(std::chrono::milliseconds delay, std::function<void()> callback) {
        cancel_timer();
        timer_end_ = base::Clock::now() + delay;
        timer_ = loop_.add_timer(timer_end_, std::move(callback));
    }
    void cancel_timer() { loop_.cancel_timer(std::exchange(timer_, 0)); }

    void close_socket() {
        if (!process_.socket) return;
        loop_.remove_fd(process_.socket.get());
        process_.socket.reset();
        unsent_.clear();
        unsent_begin_ = 0;
    }

    void forget_descriptors() {
        cancel_timer();
        close_socket();
        if (process_.pidfd) loop_.remove_fd(process_.pidfd.get());
    }

    base::EventLoop& loop_;
    EngineLauncher& launcher_;
    EngineProcess process_;
    Events events_;

    protocol::FrameReader reader_;
    std::string unsent_;
    size_t unsent_begin_ = 0;

    std::optional<protocol::Phase> phase_;
    const EngineTimeouts timeouts_;
    std::chrono::milliseconds budget_;    // of its phase; 0: idle
    uint32_t unanswered_ = 0;             // Submit and Tokenize; each gets one Accepted, Refused or Tokenized
    base::TimePoint heard_;               // when it was last heard, or asked
    base::EventLoop::TimerId timer_ = 0;  // the end of a silence, of the timeout for an exit, or of that for a kill
    base::TimePoint timer_end_;

    std::optional<EngineEnd> why_;  // llmd ends it, for this reason
    bool ended_ = false;
};

}  // namespace

std::string_view cause_name(EngineEnd::Cause cause) {
    return kCauseNames[static_cast<size_t>(cause)];
}

base::Result<std::unique_ptr<EngineLink>> EngineLink::start(base::EventLoop& loop, EngineLauncher& launcher,
                                                            Events events, EngineTimeouts timeouts) {
    auto process = launcher.launch();
    if (!process) return std::move(process).error();
    return std::unique_ptr<EngineLink>(
        std::make_unique<ProcessLink>(loop, launcher, std::move(*process), std::move(events), timeouts));
}

}  // namespace llmd::supervisor
