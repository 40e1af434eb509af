#include "dbus/sinks.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/utf8.h"

namespace llmd::dbus {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::UniqueFd;

class ReplySink final : public BusSink {
public:
    ReplySink(OnDelivered on_delivered, std::function<void(const api::AnswerHead&, const api::Choice&)> on_reply,
              std::function<void(const Error&)> on_error)
        : BusSink(std::move(on_delivered)), on_reply_(std::move(on_reply)), on_error_(std::move(on_error)) {}

    void write(std::string_view) override {}
    void finish() override {}
    void reply(const api::AnswerHead& head, const std::vector<api::Choice>& choices) override {
        on_reply_(head, choices.front());
        on_delivered_(std::nullopt);
    }
    void refuse(const Error& error, uint32_t) override {
        on_error_(error);
        on_delivered_(std::nullopt);
    }

private:
    const std::function<void(const api::AnswerHead&, const api::Choice&)> on_reply_;
    const std::function<void(const Error&)> on_error_;
};

class PipeSink final : public BusSink {
public:
    PipeSink(base::EventLoop& loop, OnDelivered on_delivered, UniqueFd write_end,
             std::chrono::milliseconds stall_timeout)
        : BusSink(std::move(on_delivered)),
          loop_(loop),
          fd_(std::move(write_end)),
          backlog_(loop,
                   {[this](bool paused) { events_.on_paused(paused); },
                    [this] {
                        close(base::fail(ErrorCode::SlowConsumer, "the reader took nothing for ",
                                         api::Backlog::kStallTimeout.count() / 1000, " s"));
                    }},
                   stall_timeout) {
        // Without events the loop still reports POLLERR, which is the reader closing its end.
        loop_.add_fd(fd_.get(), 0, [this](short) { on_ready(); });
    }
    ~PipeSink() override { close_pipe(); }

    void write(std::string_view bytes) override {
        if (!fd_) return;
        backlog_.append(bytes);
        drain();
        update();
    }
    void finish() override {
        finishing_ = true;
        if (!fd_) return on_delivered_(std::nullopt);
        backlog_.finish();
        if (!backlog_.waiting().empty()) return update();
        end_timer_ = loop_.add_timer_after({}, [this] { close(std::nullopt); });
    }

private:
    void on_ready() {
        // Asked again, because what woke the loop may have been another file with this number that was closed
        // meanwhile.
        pollfd now{fd_.get(), POLLOUT, 0};
        ::poll(&now, 1, 0);
        if (now.revents & POLLERR) return close(std::nullopt);
        drain();
        if (finishing_ && backlog_.waiting().empty()) return close(std::nullopt);
        update();
    }
    void drain() {
        while (!backlog_.waiting().empty()) {
            const ssize_t n = ::write(fd_.get(), backlog_.waiting().data(), backlog_.waiting().size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) break;  // full, or the reader has gone: the loop finds out which
            backlog_.take(static_cast<size_t>(n));
        }
    }
    void update() {
        loop_.set_events(fd_.get(), backlog_.waiting().empty() ? 0 : POLLOUT);
        backlog_.review();
    }
    void close_pipe() {
        loop_.cancel_timer(std::exchange(end_timer_, 0));
        if (fd_) loop_.remove_fd(fd_.get());
        fd_.reset();
        backlog_.clear();
    }
    // Nothing more goes into the pipe. Before finish() that ends the request, whose end then calls finish().
    void close(const std::optional<Error>& error) {
        close_pipe();
        finishing_ ? on_delivered_(error) : events_.on_gone(error);
    }

    base::EventLoop& loop_;
    UniqueFd fd_;
    api::Backlog backlog_;
    bool finishing_ = false;
    base::EventLoop::TimerId end_timer_ = 0;  // for on_delivered_ when finish() finds nothing waiting
};

class SignalSink final : public BusSink {
public:
    SignalSink(base::EventLoop& loop, OnDelivered on_delivered, std::function<void(uint64_t, const std::string&)> emit)
        : BusSink(std::move(on_delivered)), loop_(loop), emit_(std::move(emit)) {}
    ~SignalSink() override { loop_.cancel_timer(timer_); }

    void write(std::string_view text) override {
        if (over_limit_) return;
        const std::string_view fits = text.substr(0, base::utf8_cut(text, kMaxSignalledBytes - total_));
        total_ += fits.size();
        waiting_ += fits;
        // Once something is missing nothing follows it: what is kept is a beginning.
        if (!truncated_) kept_ += text.substr(0, base::utf8_cut(text, kMaxKeptBytes - kept_.size()));
        truncated_ = kept_.size() < total_;
        if (fits.size() < text.size()) {
            over_limit_ = truncated_ = true;
            events_.on_gone(base::fail(ErrorCode::SlowConsumer, "delivery=\"signals\" carries at most ",
                                       kMaxSignalledBytes, " bytes of text"));
        }
        schedule();
        pause(waiting_.size() > kMaxUnsignalledBytes);
    }

    void finish() override {
        finishing_ = true;
        schedule();
    }

    std::optional<std::pair<std::string, bool>> kept_text() const override { return std::make_pair(kept_, truncated_); }

private:
    void schedule() {
        if (timer_ != 0) return;
        timer_ = loop_.add_timer(std::max(base::Clock::now(), last_ + kSignalInterval), [this] {
            timer_ = 0;
            signal();
        });
    }

    void signal() {
        if (!waiting_.empty()) {
            const size_t n = base::utf8_cut(waiting_, kMaxSignalBytes);
            last_ = base::Clock::now();
            emit_(seq_++, waiting_.substr(0, n));
            waiting_.erase(0, n);
        }
        if (!waiting_.empty()) {
            schedule();
        } else if (finishing_) {
            return on_delivered_(std::nullopt);
        }
        pause(waiting_.size() > kMaxUnsignalledBytes / 2 && paused_);
    }

    void pause(bool paused) {
        if (paused == std::exchange(paused_, paused) || finishing_) return;
        events_.on_paused(paused);
    }

    base::EventLoop& loop_;
    const std::function<void(uint64_t, const std::string&)> emit_;
    std::string waiting_;
    std::string kept_;
    size_t total_ = 0;
    uint64_t seq_ = 0;
    bool truncated_ = false;
    bool over_limit_ = false;
    bool finishing_ = false;
    bool paused_ = false;
    base::TimePoint last_{};
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace

std::unique_ptr<BusSink> make_reply_sink(BusSink::OnDelivered on_delivered,
                                         std::function<void(const api::AnswerHead&, const api::Choice&)> on_reply,
                                         std::function<void(const Error&)> on_error) {
    return std::make_unique<ReplySink>(std::move(on_delivered), std::move(on_reply), std::move(on_error));
}

Result<std::unique_ptr<BusSink>> make_pipe_sink(base::EventLoop& loop, BusSink::OnDelivered on_delivered,
                                                UniqueFd& read_end, std::chrono::milliseconds stall_timeout) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return base::fail_errno(ErrorCode::Failed, "pipe2", errno);
    read_end.reset(ends[0]);
    UniqueFd write_end(ends[1]);
    // O_NONBLOCK belongs to each end's open file: the reader's must block, as programs expect of a pipe.
    if (::fcntl(read_end.get(), F_SETFL, 0) != 0) return base::fail_errno(ErrorCode::Failed, "fcntl", errno);
    return std::unique_ptr<BusSink>(
        std::make_unique<PipeSink>(loop, std::move(on_delivered), std::move(write_end), stall_timeout));
}

std::unique_ptr<BusSink> make_signal_sink(base::EventLoop& loop, BusSink::OnDelivered on_delivered,
                                          std::function<void(uint64_t, const std::string&)> emit) {
    return std::make_unique<SignalSink>(loop, std::move(on_delivered), std::move(emit));
}

Result<UniqueFd> pipe_at_end() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(ErrorCode::Failed, "pipe2", errno);
    const UniqueFd write_end(ends[1]);
    return UniqueFd(ends[0]);
}

}  // namespace llmd::dbus
