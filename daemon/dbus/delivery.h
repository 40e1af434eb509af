// How the text of one request reaches its caller: collected into Generate's reply, down a pipe, or as signals.
// Thread-bound to the event loop; knows no D-Bus but through the functions it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_calls.h"
#include "api/call.h"
#include "api/logprobs.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "service/request.h"

namespace llmd::dbus {

class Delivery {
public:
    // Called from the loop; on_paused, on_abandoned and on_failed also from text(). None may destroy the delivery.
    struct Events {
        std::function<void(bool paused)> on_paused;
        std::function<void()> on_abandoned;                 // nobody reads any more: cancel the request
        std::function<void(const base::Error&)> on_failed;  // end the request with this error
        // Once, after finish(): all is delivered, or, with an error, given up.
        std::function<void(const std::optional<base::Error>&)> on_delivered;
    };

    virtual ~Delivery() = default;
    virtual void text(std::string_view text) = 0;
    // Log-probabilities that go out with the text that comes next, or at the end. Told in JSON lines only.
    virtual void logprobs(std::span<const api::AlignedLogprobs>) {}
    // What the model thinks before it answers. Told in JSON lines only.
    virtual void thinking(std::string_view) {}
    // A call of a tool has ended; `number` counts them from 0. Told in JSON lines, and by all in the info at the end.
    virtual void call(size_t, const api::AnswerCall&) {}
    // What of the request is not held to the letter. Told in the last of JSON lines, and by all in the info at the end.
    virtual void notes(std::span<const std::string>) {}
    // How the request ended; nothing follows.
    virtual void finish(const service::Outcome& outcome) = 0;
    // For Finished.info: the text as far as it is kept, and whether that is not all of it. Nothing if it is not kept.
    virtual std::optional<std::pair<std::string, bool>> kept_text() const { return std::nullopt; }
};

// Keeps the whole text; on_delivered is called from finish(), after `reply` has been given text and outcome.
std::unique_ptr<Delivery> make_collected_delivery(
    Delivery::Events events, std::function<void(const std::string& text, const service::Outcome& outcome)> reply);

// Writes into a pipe; `read_end` is for the caller.
base::Result<std::unique_ptr<Delivery>> make_pipe_delivery(base::EventLoop& loop, Delivery::Events events,
                                                           api::PipeFormat format, base::UniqueFd& read_end);

// Limits of delivery by signals, which have no flow control: a stopped reader must not fill the bus.
inline constexpr std::chrono::milliseconds kSignalInterval{50};
inline constexpr size_t kMaxSignalBytes = 4u << 10;        // of one signal's text
inline constexpr size_t kMaxSignalledBytes = 256u << 10;   // of one request's text
inline constexpr size_t kMaxKeptBytes = 64u << 10;         // of the text repeated in Finished
inline constexpr size_t kMaxUnsignalledBytes = 64u << 10;  // waiting; more pauses the request

// Hands pieces of at most kMaxSignalBytes to `emit`, one every kSignalInterval at most.
std::unique_ptr<Delivery> make_signal_delivery(base::EventLoop& loop, Delivery::Events events,
                                               std::function<void(uint64_t seq, const std::string& text)> emit);

}  // namespace llmd::dbus
