// The state of a remote, known from the requests that went to it. A remote that could not be reached is away for a
// while, which doubles with every try, and one that turned llmd away or is not who it should be is off until the
// settings are read again: whoever asks meanwhile gets the same error at once, without any contact.
// Pure: the caller passes the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/event_loop.h"

namespace llmd::handover {

inline constexpr std::chrono::seconds kFirstAway{30};
inline constexpr std::chrono::seconds kLongestAway{10 * 60};

// A failed request's error as a program in a sandbox gets it. What RemoteUnreachable, RemoteRefused, RemoteLost,
// NotReady and Failed say may hold the remote's address, its certificate's name, a path of the settings or words of its
// own: they are sent without.
base::Error without_address(base::Error error, std::string_view remote);

class RemoteState {
public:
    // `name` of its [[remote]].
    explicit RemoteState(std::string name) : name_(std::move(name)) {}

    // Returns the error that a request gets at once, instead of being sent: RemoteUnreachable while the remote is away,
    // RemoteRefused while it is off. The reason, which may hold an address, is for callers outside of sandboxes.
    std::optional<base::Error> refusal(bool sandboxed, base::TimePoint now) const;

    // A request goes to the remote, which has accepted it or not, and ends: well, or with an error. RemoteUnreachable
    // makes the remote away, RemoteRefused off. Any other error says nothing of it.
    void begin(base::TimePoint now);
    void accepted(base::TimePoint now);
    void end(const std::optional<base::Error>& error, base::TimePoint now);
    // The request ends before the remote has said anything: nothing is known of it by that.
    void left(base::TimePoint now);

    // Another network may reach it: it is no longer away, and the next absence is short again.
    void network_changed();
    // The settings were read again: it is neither away nor off.
    void reload();

    // For status and `llmctl remote list`.
    struct Words {
        std::string_view state;            // "unused", "ready", "away", "off"
        std::chrono::seconds since{0};     // for how long, rounded down; 0 with "unused"
        std::chrono::seconds retry_in{0};  // rounded up; with "away" only, where 0 is the next request
        // The name of the last request's error that failed, and what was said where that concerns the remote and not
        // the request; empty: none has.
        std::string last_error;
        std::optional<std::chrono::seconds> last_use;  // how long ago a request last began or ended; nothing: never
        uint32_t in_flight = 0;
        bool operator==(const Words&) const = default;
    };
    Words words(base::TimePoint now) const;

private:
    enum class State : uint8_t { Unused = 0, Ready, Away, Off };  // words() names them
    void become(State state, base::TimePoint now);

    std::string name_;
    State state_ = State::Unused;
    base::TimePoint since_{};
    std::chrono::seconds away_for_{0};  // the present or last absence; 0: none since it was last reached
    base::TimePoint retry_at_{};        // while Away
    std::string reason_;                // why it is away or off
    std::string last_error_;
    std::optional<base::TimePoint> last_use_;
    uint32_t in_flight_ = 0;
};

}  // namespace llmd::handover
