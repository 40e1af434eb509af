// Calls whose answers are read whole, within kMaxBodyBytes and a time, one after another. Thread-bound to the event
// loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "remote/adapter.h"
#include "remote/retry.h"
#include "remote/transport.h"

namespace llmd::remote {

// Returns the failure of a call that should have been answered with 200; nothing where it was.
std::optional<Failure> failure_of(const TransferEnd& end, std::string_view body);

struct Reply {
    std::string body;
    std::optional<Failure> failure;
};

class Fetch {
public:
    using Done = std::function<void(const Reply& reply)>;
    Fetch(base::EventLoop& loop, Transport& transport, Milliseconds timeout)
        : loop_(loop), transport_(transport), timeout_(timeout) {}
    ~Fetch();
    Fetch(const Fetch&) = delete;
    Fetch& operator=(const Fetch&) = delete;

    // Cancels the call before. `done` may make the next one, or destroy this.
    void start(HttpCall call, Done done);
    // `done` is not called any more.
    void cancel();

private:
    void end(const TransferEnd& how);

    base::EventLoop& loop_;
    Transport& transport_;
    const Milliseconds timeout_;
    Done done_;
    std::string body_;
    base::EventLoop::TimerId timer_ = 0;
    std::unique_ptr<Transfer> transfer_;
};

}  // namespace llmd::remote
