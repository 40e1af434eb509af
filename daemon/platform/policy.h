// The limits of llmd on a device that has little: how many requests compute, at which pace, and when the model goes.
// Pure: conditions and the time go in, a directive comes out; what it keeps is what hysteresis and deadlines need.
//
// - Memory: every stall climbs one rung: the cache is dropped; one request computes at a time; the model goes as soon
//   as nobody needs it; new requests are refused with OutOfMemory. Each kMemoryCalm without a stall goes one rung back.
//   What runs is never ended.
// - Sleep: everything pauses at a token's border, new requests are refused with Suspended.
// - Power: on a low battery and with power saving background requests wait; on a critical one new ones are refused with
//   Suspended, and the model goes as soon as nobody needs it.
// - Heat: from kHeatMargin below a passive trip point (where the kernel slows the device down) the engine rests between
//   its steps; from kHeatMargin below a hot or critical one everything pauses.
// - Nobody asks: the model goes after a while, or when the last of its clients has asked for (KeepAlive), and later, if
//   something starts llmd again when it is needed, llmd.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/event_loop.h"
#include "platform/power.h"
#include "platform/thermometer.h"
#include "protocol/messages.h"

namespace llmd::platform {

// Ten windows of the pressure triggers: what the last rung has given back shows in the next.
inline constexpr std::chrono::seconds kMemoryCalm{20};

// The kernel's own measures begin at the trip points; a phone's sensors rise by a degree or two between two readings.
inline constexpr MilliCelsius kHeatMargin = 5'000;
// Pacing and pausing end so far below where they began: else they would begin again with the next reading.
inline constexpr MilliCelsius kPacingHysteresis = 3'000;
inline constexpr MilliCelsius kPauseHysteresis = 5'000;
// Percent of the time that the engine computes: so much where pacing begins, less by so much a degree, and not less
// than the last, since a text that hardly moves keeps the model in memory for longer.
inline constexpr uint32_t kFirstDutyCycle = 80;
inline constexpr uint32_t kDutyCyclePerDegree = 8;
inline constexpr uint32_t kLeastDutyCycle = 20;

// Idle times. A battery pays for memory that is refreshed; on mains only other programs do.
struct IdleTimes {
    std::chrono::seconds unload_on_battery{5 * 60};
    std::chrono::seconds unload_on_mains{30 * 60};  // and where nothing reports a battery
    std::chrono::seconds exit{10 * 60};             // after the model has gone
};

// How long a client asks for the model that it has used to stay. It is a request: memory, power and other models go
// first.
struct KeepAlive {
    base::TimePoint used;                      // the end of its last request
    std::optional<std::chrono::seconds> time;  // after that; nothing: the idle time; negative: for ever
    bool capped = false;                       // it is the idle time at most: the client is in a sandbox
    bool operator==(const KeepAlive&) const = default;
};
// When the last of these ends; TimePoint::max(): never. Precondition: there is one.
base::TimePoint end_of(std::span<const KeepAlive> keep_alives, std::chrono::seconds idle_time);

struct Conditions {
    bool memory_is_watched = false;
    std::optional<Power> power;       // nothing: unknown
    std::optional<HeatReading> heat;  // nothing: not measured, or nothing to measure
    bool goes_to_sleep = false;
    // As in Activity.
    bool has_engine = false;
    bool has_work = false;
    bool has_requests = false;
    std::vector<KeepAlive> keep_alive;
    bool may_exit = false;  // somebody starts llmd again when it is needed
};

// Whoever asks anyway gets this.
struct Refusal {
    base::ErrorCode code = base::ErrorCode::Suspended;
    std::string message;
    base::Error error() const { return {code, message}; }
    bool operator==(const Refusal&) const = default;
};

struct Directive {
    static constexpr uint32_t kAllSlots = std::numeric_limits<uint32_t>::max();

    uint32_t max_slots = kAllSlots;  // requests that compute at a time; 0: everything pauses
    bool run_background = true;
    std::optional<Refusal> refuse_all;                       // new requests and loads
    std::optional<Refusal> refuse_background;                // new requests of that priority
    uint32_t duty_cycle_percent = protocol::kFullDutyCycle;  // share of the time that the engine computes
    bool memory_is_short = false;                            // programs have waited for memory and may do so still
    bool drop_cache = false;                                 // now, once
    bool unload = false;                                     // as soon as nobody needs the model
    std::chrono::seconds idle_time{};  // how long it stays unless somebody asks otherwise; 0: not known
    bool exit = false;                 // nobody has asked for long
    bool throttled = false;
    bool suspended = false;

    // For people; empty: nothing to say.
    struct Words {
        std::string memory, heat, power, sleep;
        std::string paused;  // the work that does not run, and why
        bool operator==(const Words&) const = default;
    } words;

    // The same for programs.
    struct States {
        std::string_view memory = "unknown";  // enough, cache_dropped, one_at_a_time, unloads_when_idle, refuses
        std::string_view heat = "unknown";    // fine, paced, paused
        std::string_view power = "unknown";   // mains, battery, battery_low, battery_critical
        std::string_view sleep = "awake";     // going_to_sleep
        std::string_view paused = "none";     // background, all_but_one, all: the last of these that holds
        bool saves_power = false;
        NearestTrip nearest;  // the one in words.heat; its zone is empty where heat is unknown
        bool operator==(const States&) const = default;
    } states;

    bool operator==(const Directive&) const = default;
};

class Policy {
public:
    explicit Policy(IdleTimes idle_times = {}) : idle_times_(idle_times) {}

    void set_idle_times(IdleTimes idle_times) { idle_times_ = idle_times; }

    // Tasks have waited for memory for longer than the trigger allows.
    void memory_stalled(base::TimePoint now);
    // To be called whenever a condition has changed, and at review_at().
    Directive decide(const Conditions& conditions, base::TimePoint now);
    // When the last directive is out of date, if no condition changes before.
    std::optional<base::TimePoint> review_at() const { return review_at_; }

private:
    enum class Rung : uint8_t { Enough, CacheDropped, OneAtATime, IdleUnloaded, Refusing };

    static void apply_sleep(Directive& directive);
    void apply_heat(const std::optional<HeatReading>& heat, Directive& directive);
    void apply_memory(const Conditions& conditions, base::TimePoint now, Directive& directive);
    static void apply_power(const Power& power, Directive& directive);
    void apply_idleness(const Conditions& conditions, base::TimePoint now, Directive& directive);
    void review(base::TimePoint when);

    IdleTimes idle_times_;
    std::optional<base::TimePoint> review_at_;
    Rung rung_ = Rung::Enough;
    base::TimePoint rung_since_{};  // or the last stall on it
    bool cache_is_due_ = false;     // a stall has not been answered
    bool paces_ = false;
    bool is_too_hot_ = false;
    std::optional<base::TimePoint> idle_since_;   // an engine, and nobody needs it
    std::optional<base::TimePoint> empty_since_;  // no engine, no requests
};

}  // namespace llmd::platform
