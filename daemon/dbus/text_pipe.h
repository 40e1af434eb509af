// The writing end of a pipe that carries one request's text to its reader, with back-pressure: what the kernel's pipe
// (64 KiB) does not take waits in a backlog; when that is full the request is paused until the reader has caught up.
// Knows no D-Bus. Thread-bound to the event loop. SIGPIPE must be ignored.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/backlog.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::dbus {

class TextPipe {
public:
    // Called from the loop, on_paused also from write(). At most one of the last three is called, once. None may
    // destroy the pipe: do that in a later turn.
    struct Events {
        std::function<void(bool paused)> on_paused;
        std::function<void()> on_reader_gone;  // nothing can be delivered any more; the pipe is closed
        std::function<void()> on_stalled;      // likewise
        std::function<void()> on_delivered;    // after finish(): every byte is in the pipe and it is closed
    };

    // `read_end` receives the descriptor to hand out: blocking, close-on-exec here.
    // `stall_timeout` is shorter in tests.
    static base::Result<std::unique_ptr<TextPipe>> open(
        base::EventLoop& loop, Events events, base::UniqueFd& read_end,
        std::chrono::milliseconds stall_timeout = api::Backlog::kStallTimeout);
    ~TextPipe();
    TextPipe(const TextPipe&) = delete;
    TextPipe& operator=(const TextPipe&) = delete;

    // Queues bytes for the reader. Once the pipe is closed they are dropped.
    void write(std::string_view bytes);
    // Nothing more will be written.
    void finish();

private:
    TextPipe(base::EventLoop& loop, Events events, base::UniqueFd write_end, std::chrono::milliseconds stall_timeout);
    void on_ready();
    void drain();
    void update();
    void end(const std::function<void()>& event);

    base::EventLoop& loop_;
    Events events_;
    base::UniqueFd fd_;
    api::Backlog backlog_;
    base::EventLoop::TimerId end_timer_ = 0;  // for on_delivered when finish() finds nothing waiting
};

// The reading end of a pipe that has ended before it began.
base::Result<base::UniqueFd> pipe_at_end();

}  // namespace llmd::dbus
