// A call whose answer is read whole, within kMaxBodyBytes and a time. Thread-bound to the event loop.
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

struct Reply {
    TransferEnd end;
    std::string body;
};
// What is wrong with a call that should have been answered with 200; nothing where it was.
std::optional<Failure> failure_of(const TransferEnd& end, std::string_view body);

class Fetch {
public:
    using Done = std::function<void(const Reply& reply)>;
    // Destroying it cancels the call; `done` may do that.
    Fetch(base::EventLoop& loop, Transport& transport, HttpCall call, Milliseconds timeout, Done done);
    ~Fetch();
    Fetch(const Fetch&) = delete;
    Fetch& operator=(const Fetch&) = delete;

private:
    void end(TransferEnd how);

    base::EventLoop& loop_;
    Done done_;
    Reply reply_;
    base::EventLoop::TimerId timer_ = 0;
    std::unique_ptr<Transfer> transfer_;
};

}  // namespace llmd::remote
