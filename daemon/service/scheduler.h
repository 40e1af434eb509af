// Decides who may enter and who computes; pure: no I/O and no clock of its own, so every decision can be tested.
//
// A request that has entered either has one of the engine's slots (it runs) or waits for one: for its first, or for
// the next after another request has taken its slot. Whoever loses its slot goes on later where it was; the engine
// keeps its KV pages while memory allows. plan() gives the slots:
//
// - Classes are strict: interactive before normal before background. One of a higher class that waits takes the slot
//   of one of a lower class at once.
// - Within a class applications share by tokens, not by requests. Each share has a counter of what it was served: a
//   generated token counts 1, a token of a prompt 1/kPromptTokensPerToken, since prefill runs in large batches.
//   The share with the smallest counter plus kFairTokens for each slot that it has is next; a share that waits takes a
//   slot from another of its class when it is still behind that one afterwards. So newcomers get their part of the
//   slots at once, and more shares than slots take turns of kFairTokens.
// - A share that begins to wait is raised to its class's clock, the smallest counter of those that wait: having been
//   away is no credit, and what others were served meanwhile is no debt. While nobody waits the clock follows the
//   largest counter, because tokens that nobody else wanted are free. A share that has left and is not ahead of the
//   clock is forgotten.
// - Within a class and share its clients share what it gets in the same way.
// - Within a class, share, client and model: first in, first out.
// - Each engine has slots of its own and computes one model; those of this device together have no more than the policy
//   allows, which is about its heat and memory and so not about remotes. There is one ledger of shares for all engines.
//   One that waits takes a slot on its own engine when that is full, and otherwise, when all of this device together
//   have no slot left, on any of these. A full engine keeps nobody from the others.
// - A request whose model has no engine waits, in the same order, until the caller has one: plan() names the first of
//   them. The caller may have an engine make room for it. That engine yields: nothing starts there any more but what
//   comes before the first that has no engine, and what runs there at a lower class loses its slot. Those of its class
//   and higher ones that run go on to their ends; who waits for that engine keeps its place in the order.
// - Nobody starves: a class of which requests wait for a model for kStarvationTimeout, and none runs there, gets a slot
//   there for kTurnTokens tokens, before all others. Only one class and model at a time, so that with more than one
//   slot an interactive request never waits for it where the engine is there; otherwise engines yield to it whatever
//   they compute, and it comes when its model is loaded. A turn and not a share of every step, because on a phone each
//   row of the batch makes all the others slower.
// - A blocked request, whose client does not read, has no slot and is passed over. So has every background request
//   while the policy holds background back.
//
// Deadlines are the service's timers: a near one brings nobody forward.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "service/request.h"

namespace llmd::service {

// A turn between applications that share a slot: long enough to be worth the rebuilding of a sequence whose pages are
// gone.
inline constexpr uint32_t kFairTokens = 128;
// Prefill is about so much faster than decode.
inline constexpr uint32_t kPromptTokensPerToken = 8;
// A class without a slot gets a turn after so long: background is late by it, and takes 3 s of a minute from the
// others on a device that decodes 10 tokens a second.
inline constexpr std::chrono::seconds kStarvationTimeout{60};
inline constexpr uint32_t kTurnTokens = 32;
// While somebody waits, plan() is due again after so many tokens.
inline constexpr uint32_t kReviewTokens = 16;

// The scheduler knows this of a request.
struct Ticket {
    RequestId id = 0;    // rising in order of submission
    RequestId call = 0;  // the first request of its call, of which all count once against the limits
    base::Caller caller;
    std::string model_path;  // which engine: EngineSlots::model
    Priority priority = Priority::Normal;
    uint32_t max_tokens = 0;  // the most that it may generate
};

// These were measured of requests that have ended; 0: nothing yet.
struct Pace {
    double ms_per_token = 0;  // of one sequence
    double mean_tokens = 0;   // of one text
};

// An engine as plan() gets it.
struct EngineSlots {
    std::string model;
    uint32_t n_slots = 0;               // 0: it has a place in memory but cannot compute now
    std::optional<Priority> yields_to;  // the class that it is to make room for
    bool yields_to_all = false;         // to a request that has starved: nothing runs or starts on it
    bool is_remote = false;             // another machine computes: the policy's limit on slots is not for it
};

class Scheduler {
public:
    // The requests of one call: all or none. RateLimited (this client or its application has enough requests) or
    // QueueFull (everybody together has), naming number and limit.
    base::Result<void> admit(std::vector<Ticket> call);
    // Whether admit() would take another call of this caller.
    base::Result<void> admits(const base::Caller& caller) const;

    // The first of the waiting whose model has no engine.
    struct Wanted {
        RequestId id = 0;
        std::string model;
        Priority priority = Priority::Normal;
        bool has_starved = false;  // and is to come before everything
    };
    struct Changes {
        std::vector<RequestId> stops;   // have lost their slots
        std::vector<RequestId> starts;  // have got one, the first or another
        std::optional<Wanted> wants;    // nothing while there are no slots at all
    };
    // Gives the slots of these engines, `max_slots` of this device's at a time; with none, nobody starves there. What
    // runs on an engine that is not among them any more loses its slot. Which engines yield follows from what was
    // wanted before: whoever changes that plans again. An engine that is the only one there is room for always yields
    // to Background at least, which takes no slot from anybody; so nothing starts in front of a request that has just
    // come and was first.
    Changes plan(std::span<const EngineSlots> engines, uint32_t max_slots, base::TimePoint now);

    // The request was served. True when plan() is due because of it.
    bool add_generated(RequestId id, uint32_t n_tokens);
    void add_prefilled(RequestId id, uint32_t n_tokens);

    // The others ignore an unknown id.
    void set_blocked(RequestId id, bool blocked);
    void set_priority(RequestId id, Priority priority);
    // Another model is asked from its beginning: it loses its slot, and keeps its place in the order.
    void set_model(RequestId id, std::string model);
    // Whether background requests get slots.
    void set_runs_background(bool runs);
    void remove(RequestId id);

    // The three below go by the engines of the last plan().

    // Requests that will get a slot before this one; nothing when it runs or is unknown. Those of other engines count
    // where they come into its way: while all engines of this device together have too few slots, and where one makes
    // room.
    std::optional<uint32_t> position(RequestId id) const;
    // Until it gets one, if those that run go on to their ends: each generates as many tokens as the mean, or as it
    // may when it has passed that. For a request whose model has no engine, until those have ended that run on engines
    // that yield; loading comes on top of it. 0 when it runs, is unknown, or nothing was measured.
    std::chrono::milliseconds estimated_wait(RequestId id, const Pace& pace) const;
    // The highest class that runs on the engine of this model; nothing when it is idle.
    std::optional<Priority> highest_running(std::string_view model) const;
    size_t n_waiting() const { return entries_.size() - n_running(); }  // blocked ones included
    size_t n_running() const;
    size_t n_running(std::string_view model) const;
    size_t n_running_here() const;  // at no remote, by the engines of the last plan()

private:
    struct Entry {
        Ticket ticket;
        uint32_t n_tokens = 0;  // generated
        bool running = false;
        bool blocked = false;
    };
    // The tokens that those that share have been served.
    struct Counters {
        uint64_t clock = 0;
        std::map<std::string, uint64_t> served;
    };
    struct Class {
        Counters shares;
        std::map<std::string, Counters> clients;  // of each share that is here
    };
    // Requests are ordered by this; the smallest is served first.
    struct Key {
        uint32_t rank;
        uint64_t share_served;  // and about to be
        uint64_t client_served;
        RequestId id;
        auto operator<=>(const Key&) const = default;
    };

    Entry* find(RequestId id);
    const Entry* find(RequestId id) const;
    // How many calls have a request that is like this.
    template <typename Condition>
    size_t n_calls(Condition is_like) const;
    Class& class_of(const Entry& entry) { return classes_[static_cast<size_t>(entry.ticket.priority)]; }
    const Class& class_of(const Entry& entry) const { return classes_[static_cast<size_t>(entry.ticket.priority)]; }
    Key key(const Entry& entry) const;
    // Adds to the key of `ticket` what the turn of one that has a slot, or gets one before it, is worth.
    static void expect_turn(Key& key, const Ticket& ticket, const Ticket& other);
    // Has no slot and would take one.
    bool waits(const Entry& entry) const { return !entry.running && may_run(entry); }
    bool may_run(const Entry& entry) const {
        return !entry.blocked && (runs_background_ || entry.ticket.priority != Priority::Background);
    }
    // Null: the model has none.
    const EngineSlots* engine_of(const Entry& entry) const;
    // One without an engine is this device's until it has one.
    bool is_remote(const Entry& entry) const;
    // The first of those that wait and are like this.
    template <typename Condition>
    Entry* first_waiting(Condition is_like);
    Entry* first_without_engine();
    // The last of all on this device, or of those on one engine; or of these those in the class and share of `rival`.
    Entry* last_running(const EngineSlots* engine = nullptr, const Entry* rival = nullptr);
    // Who gives its slot to one that waits, on this engine or any of this device; null: nobody.
    Entry* loser_to(const Entry& waiting, const EngineSlots* engine);
    bool takes_slot_of(const Entry& waiting, const Entry& running) const;
    void start(Entry& entry) { entry.running = true; }
    void stop(Entry& entry);
    void add_served(const Entry& entry, uint32_t n_tokens);
    // Before a share and its client begin to wait in the class of `entry`.
    void raise_to_clocks(const Entry& entry);
    void advance_clocks(Priority priority);
    // Advances the clock of the shares of a class, or of the clients of a share.
    void advance_clock(Counters& counters, Priority priority, const std::string* share);
    void forget_those_who_left();
    // Whether one that runs may go on where it is.
    bool keeps_slot(const Entry& entry) const;
    // Whether its engine makes room for another request, behind which this one is.
    bool is_held(const Entry& waiting);
    void take_slots();
    void fill_slots();
    void note_hunger(base::TimePoint now);
    void grant_turn(base::TimePoint now);
    // The waiting, in the order in which slots will be given if nothing else happens.
    std::vector<const Entry*> queue() const;
    // Whether one that waits ahead of another comes into its way.
    bool is_in_the_way(const Entry& ahead, const Entry& behind) const;

    std::vector<Entry> entries_;        // in order of submission
    std::vector<EngineSlots> engines_;  // of the last plan
    uint32_t max_slots_ = 0;
    bool runs_background_ = true;
    std::array<Class, 3> classes_;
    // Since when requests of a class wait for a model on which none of the class runs.
    std::map<std::pair<Priority, std::string>, base::TimePoint> hungry_since_;
    std::optional<RequestId> turn_;  // of one that was starving
    uint32_t turn_tokens_ = 0;       // left of it
    uint32_t unreviewed_tokens_ = 0;
};

}  // namespace llmd::service
