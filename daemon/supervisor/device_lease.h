// Which of the engines on one device may compute; pure: events and the time go in, what engines are to be notified of
// comes out. If two computed at the same time, a driver or the kernel would decide whose text waits, and each step
// would take longer than its phase's budget expects.
//
// - At most one engine holds the lease. Whoever is asked to give it back holds it until it has sent LeaseReleased, at
//   the border of a step; the next is notified only then.
// - An engine that is the only one with work keeps the lease, however long. While two have work each holds it for
//   kLeaseTurn, and whoever has no work any more gives it back.
// - Everybody has a turn before anybody has a second one. Within such a round higher classes come first, and one that
//   has not had its turn takes the lease from a lower class at once; that engine's turn of the round is still to come.
//   So an interactive text does not wait for a background one's turn, and takes no more than its own.
// - Who loads, tests or tunes holds the lease alone until it is ready: what it measures must not depend on others.
// - The lease of an engine that has ended is free at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "protocol/messages.h"

namespace llmd::supervisor {

// Some steps of a phone, so that the change costs little; and short enough that two texts both seem to flow.
inline constexpr std::chrono::milliseconds kLeaseTurn{250};

class DeviceLease {
public:
    using EngineId = uint64_t;  // the caller's; never reused

    struct Change {
        EngineId engine = 0;
        bool held = false;  // as in protocol::SetLease
        bool operator==(const Change&) const = default;
    };
    struct Review {
        std::vector<Change> changes;              // to be sent in this order
        std::optional<base::TimePoint> next_due;  // nothing: with the next event
    };

    // The events. After each, and when it is due, review(). All but the first ignore an unknown engine.

    // An engine has been started on the device, which may compute until it is asked to stop; it has no work yet, and is
    // notified before it gets any. One that loads when it joins is not made to stop, since nothing interrupts a load:
    // for as long as the holder takes to give the lease back, both compute.
    void join(EngineId engine);
    // The engine's work is of this class at most; nothing: it has no work.
    void set_work(EngineId engine, std::optional<protocol::Priority> highest);
    // Begins or ends to need the device alone, which counts as work: interactive, where set_work() names no class.
    void set_alone(EngineId engine, bool alone);
    // It has sent LeaseReleased.
    void release(EngineId engine);
    // It has ended, or left the device.
    void leave(EngineId engine);

    Review review(base::TimePoint now);

    // Who may compute, or has not given the lease back yet.
    std::optional<EngineId> holder() const { return holder_; }

private:
    struct Engine {
        std::optional<protocol::Priority> work;
        bool alone = false;
        bool is_told = true;  // its last message said that it holds the lease; at first it believes so
        bool owes_release = false;
        bool had_turn = false;    // in this round
        uint64_t last_grant = 0;  // rising
        bool has_work() const { return alone || work; }
        // Told to hold the lease before it has said that it does not, it might not say so any more.
        bool may_be_next() const { return has_work() && !owes_release; }
        protocol::Priority priority() const { return work.value_or(protocol::Priority::Interactive); }
    };

    // Those that have joined, that it is not theirs.
    void tell_others(Review& review);
    void tell(EngineId id, bool held, Review& review);
    // Somebody else could have the lease, and the holder has not been notified yet.
    bool is_contended() const;
    bool is_overtaken(const Engine& held) const;
    std::optional<EngineId> next();

    std::map<EngineId, Engine> engines_;
    std::optional<EngineId> holder_;
    base::TimePoint granted_{};
    uint64_t n_grants_ = 0;
};

}  // namespace llmd::supervisor
