// The bytes of one text that wait for their reader, and what follows from how many there are: the request is paused
// while they are too many, and a reader that takes none of them for long is dropped.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/event_loop.h"

namespace llmd::api {

class Backlog {
public:
    // More waiting bytes pause the request; it goes on when half have left.
    static constexpr size_t kLimitBytes = 64u << 10;
    // A reader that takes nothing for so long, while the request is paused or has ended, is dropped.
    static constexpr std::chrono::milliseconds kStallTimeout{30'000};

    struct Events {
        std::function<void(bool paused)> on_paused;  // from review()
        std::function<void()> on_stalled;            // from the loop
    };

    // `stall_timeout` is shorter in tests.
    Backlog(base::EventLoop& loop, Events events, std::chrono::milliseconds stall_timeout);
    ~Backlog();
    Backlog(const Backlog&) = delete;
    Backlog& operator=(const Backlog&) = delete;

    // Nothing happens before review().
    void append(std::string_view bytes) { bytes_ += bytes; }
    // Nothing follows what waits now; no more pausing.
    void finish() { finishing_ = true; }
    // The reader has taken the first `n_bytes` of waiting().
    void take(size_t n_bytes);
    // Pauses, resumes or begins to count a stall, as the waiting bytes demand. Call it when appending and taking is
    // done for the moment.
    void review();
    // Forgets what waits; no event follows.
    void clear();

    // Valid until the next call.
    std::string_view waiting() const { return std::string_view(bytes_).substr(taken_); }
    bool finishing() const { return finishing_; }

private:
    base::EventLoop& loop_;
    Events events_;
    const std::chrono::milliseconds stall_timeout_;
    std::string bytes_;
    size_t taken_ = 0;  // of bytes_
    bool paused_ = false;
    bool finishing_ = false;
    base::EventLoop::TimerId stall_timer_ = 0;  // runs while the reader must take something
};

}  // namespace llmd::api
