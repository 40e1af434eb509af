// Where the answer to one request goes: into Generate's reply, down a pipe, or into signals.
// Thread-bound to the event loop; knows no D-Bus but through the functions it is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/answer_sink.h"
#include "api/backlog.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::dbus {

class BusSink : public api::AnswerSink {
public:
    // Called once, after finish(), reply() or refuse(), possibly from within: all is delivered or, with an error, the
    // reader was dropped. It may not destroy the sink at once.
    using OnDelivered = std::function<void(const std::optional<base::Error>&)>;

    void set_events(Events events) final { events_ = std::move(events); }
    // For Finished.info: the text as far as it is kept, and whether that is not all of it. Nothing if it is not kept.
    virtual std::optional<std::pair<std::string, bool>> kept_text() const { return std::nullopt; }

protected:
    explicit BusSink(OnDelivered on_delivered) : on_delivered_(std::move(on_delivered)) {}

    Events events_;
    const OnDelivered on_delivered_;
};

// For an answer that is not a stream: `on_reply` gets its one choice, `on_error` why there is none.
std::unique_ptr<BusSink> make_reply_sink(
    BusSink::OnDelivered on_delivered,
    std::function<void(const api::AnswerHead& head, const api::Choice& choice)> on_reply,
    std::function<void(const base::Error&)> on_error);

// The writing end of a pipe: what the kernel's pipe (64 KiB) does not take waits in a backlog. `read_end` receives the
// descriptor for the caller: blocking, close-on-exec here. SIGPIPE must be ignored. `stall_timeout` is shorter in
// tests.
base::Result<std::unique_ptr<BusSink>> make_pipe_sink(
    base::EventLoop& loop, BusSink::OnDelivered on_delivered, base::UniqueFd& read_end,
    std::chrono::milliseconds stall_timeout = api::Backlog::kStallTimeout);

// Limits of delivery by signals, which have no flow control: a stopped reader must not fill the bus.
inline constexpr std::chrono::milliseconds kSignalInterval{50};
inline constexpr size_t kMaxSignalBytes = 4u << 10;        // of one signal's text
inline constexpr size_t kMaxSignalledBytes = 256u << 10;   // of one request's text
inline constexpr size_t kMaxKeptBytes = 64u << 10;         // of the text repeated in Finished
inline constexpr size_t kMaxUnsignalledBytes = 64u << 10;  // waiting; more pauses the request

// Hands at most kMaxSignalBytes of text to `emit`, once every kSignalInterval at most.
std::unique_ptr<BusSink> make_signal_sink(base::EventLoop& loop, BusSink::OnDelivered on_delivered,
                                          std::function<void(uint64_t seq, const std::string& text)> emit);

// The reading end of a pipe that has ended before it began.
base::Result<base::UniqueFd> pipe_at_end();

}  // namespace llmd::dbus
