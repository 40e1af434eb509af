// The requests to generate or embed that came over HTTP, from the end of their heads to the end of their answers. A
// program sends as many at once as it likes: what is more than llmd takes of its client, application and all of them
// together (service::RequestLimits) waits here, in its connection, where it is in nobody's way. Thread-bound to the
// event loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/caller.h"
#include "base/event_loop.h"
#include "base/result.h"

namespace llmd::http {

class CallQueue {
public:
    using Key = uint64_t;  // never 0
    // An SDK with 64 parallel calls is served. The bodies of those that wait are limited by a BodyBudget.
    static constexpr size_t kMaxWaitingPerClient = 64;
    static constexpr size_t kMaxWaiting = 128;
    // A client that has been refused is told to come back when one of those before it has ended, as the time between
    // the last ends was: within these.
    static constexpr std::chrono::seconds kShortestRetry{2};
    static constexpr std::chrono::seconds kLongestRetry{600};

    // `has_room`: one more call of this caller is taken now, beside those of other front ends.
    CallQueue(base::EventLoop& loop, std::function<bool(const base::Caller&)> has_room,
              std::function<base::TimePoint()> now = base::Clock::now)
        : loop_(loop), has_room_(std::move(has_room)), now_(std::move(now)) {}
    CallQueue(const CallQueue&) = delete;
    CallQueue& operator=(const CallQueue&) = delete;

    // RateLimited: this client has enough that wait; QueueFull: all together have. Either names number and limit.
    base::Result<Key> enter(const base::Caller& caller);
    // The request has been received: `start` is called once there is room, at once where there is some. Next is one of
    // the application, and then of the client, of which the fewest have started; among equals of that of which none has
    // started for longest; of a client in the order of enter().
    void ready(Key key, std::function<void()> start);
    // The request has been answered or cancelled. Does nothing for 0.
    void leave(Key key);
    // There may be room that this does not know of.
    void review();

private:
    struct Entry {
        base::Caller caller;
        bool started = false;
        std::function<void()> start;  // once it is ready
    };

    // When one of each application or client that is here has started last, or its first has entered: in turns, of
    // which every start is one.
    using Turns = std::map<std::string, uint64_t>;

    template <typename Condition>
    size_t count(Condition is_like) const;
    Entry* next();

    base::EventLoop& loop_;
    const std::function<bool(const base::Caller&)> has_room_;
    const std::function<base::TimePoint()> now_;
    std::map<Key, Entry> entries_;
    Key last_ = 0;
    Turns share_turns_, client_turns_;
    uint64_t n_turns_ = 0;
    bool reviewing_ = false;
    base::TimePoint last_end_{};
    std::chrono::milliseconds mean_gap_{0};  // between the ends of calls that had started; 0: nothing was measured
    std::shared_ptr<void> alive_ = std::make_shared<int>();  // deferred calls look at this
};

}  // namespace llmd::http
