// One poll loop on one thread: descriptors, one-shot timers, and sources that need a say before each wait (a D-Bus
// connection recomputes its events and timeout in every iteration).
//
// It is not libsystemd's sd-event, for three reasons. A test gives it a clock of its own, so that hours pass at once.
// Two of its sources, sdbus-c++ and libmicrohttpd, compute what they wait for before each wait. And sd-event would save
// nothing: both make one epoll_wait an iteration and no wake-up at rest, and an iteration with a descriptor takes 670
// instructions here and 1,520 there, with a timer that is set anew 1,170 and 2,140 (2026-11-28, x86-64, GCC 12 -O2,
// libsystemd 252; 20,000 bytes through a socketpair, under `strace -c` and `valgrind --tool=callgrind`).
// Thread-bound: create, use and destroy on one thread. Callbacks run from run() or run_once() and may add, change or
// remove anything, themselves included.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/poll_set.h"
#include "base/result.h"

namespace llmd::base {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

// Something that computes its own poll set before each wait.
class PollSource {
public:
    virtual ~PollSource() = default;
    // Appends what to wait for and lowers `deadline` where it needs an earlier iteration. Descriptors stay open, and
    // the same files, while it appends them.
    virtual void prepare(std::vector<pollfd>& fds, std::optional<TimePoint>& deadline) = 0;
    // Called after every wait with what prepare() has appended, and its answers; does its work without blocking.
    virtual void dispatch(std::span<const pollfd> polled) = 0;
};

class EventLoop {
public:
    using FdCallback = std::function<void(short revents)>;
    using TimerId = uint64_t;

    // Timers go by `now`: with a test's own, hours pass at once.
    explicit EventLoop(std::function<TimePoint()> now = &Clock::now) : now_(std::move(now)) {}
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    // Watches `fd` for `events` (POLLIN, POLLOUT; 0 still reports POLLHUP and POLLERR). The caller keeps the descriptor
    // open until remove_fd(). One callback a descriptor; the events of one iteration never reach a watch that was added
    // in it, though the number may be one that was closed before.
    void add_fd(int fd, short events, FdCallback callback);
    void set_events(int fd, short events);
    void remove_fd(int fd);

    TimePoint now() const { return now_(); }

    // Runs `callback` once, at or soon after `when`. Ids are never 0 and never reused. Cancelling a timer that has run
    // or does not exist does nothing.
    TimerId add_timer(TimePoint when, std::function<void()> callback);
    TimerId add_timer_after(std::chrono::milliseconds delay, std::function<void()> callback);
    void cancel_timer(TimerId id);

    // Runs `callback` in the next iteration of the loop, after the current callback has returned: the place to destroy
    // an object that is in the middle of a call.
    void defer(std::function<void()> callback);

    // The source must outlive the loop or be removed first, before its descriptors are closed.
    void add_source(PollSource& source);
    void remove_source(PollSource& source);

    // Runs until stop(). An error is the wait itself failing, which ends the program.
    Result<void> run();
    void stop() { stopping_ = true; }
    // One wait of at most `timeout` and what it woke.
    Result<void> run_once(std::chrono::milliseconds timeout);

private:
    struct Watch {
        uint64_t id;  // as with timers: never reused
        short events;
        std::shared_ptr<FdCallback> callback;  // shared: a callback may remove itself while it runs
    };

    Result<void> iterate(std::optional<TimePoint> deadline);

    const std::function<TimePoint()> now_;
    std::map<int, Watch> watches_;
    std::map<std::pair<TimePoint, TimerId>, std::function<void()>> timers_;
    std::vector<std::function<void()>> deferred_;
    std::vector<PollSource*> sources_;
    // Scratch of one iteration: what is polled, and of that the part of each source.
    struct Part {
        PollSource* source;
        size_t begin, count;
    };
    PollSet set_;
    std::vector<pollfd> fds_;
    std::vector<Part> parts_;
    uint64_t last_watch_ = 0;
    TimerId last_timer_ = 0;
    bool stopping_ = false;
};

}  // namespace llmd::base
