// Which models stay loaded, and who makes room for whom; pure: what is resident and what is wanted go in, the next step
// comes out. The caller takes that step and asks again when anything has changed; it keeps no state here.
//
// - Every engine is booked with its bytes from before it loads until its process has ended. All together take no more
//   than the budget and are no more than max_models; but a model that would be alone may always try.
// - One load at a time, because what an engine takes is known only when it is ready.
// - What is wanted goes beside the others where it fits. Else the fewest that are needed make room: first idle ones,
// the
//   least recently used first, those that somebody asks to stay (keep_alive) after the others and pinned ones last;
//   then those that compute for a lower class, and at last for the same class. These yield: what runs there at a lower
//   class loses its slot, what runs at the same class goes on to its end. Nothing makes room for a lower class.
// - keep_alive is a request of one application and never outranks a request of another. A pin is in the settings of
// whoever
//   owns the device, for models whose loading somebody would wait for: it outranks background requests, for which
//   nobody waits, and nothing else, for then the device could do nothing but what is pinned.
// - An engine that has served nobody since it was loaded, and for which somebody waits, counts as busy for that class.
//   So each load serves a request, and two models of one class cannot send each other away for nothing.
// - A request that has starved is behind nobody: everything yields to it. This, once in kStarvationTimeout for a class
//   and model, bounds how often models that do not fit side by side take turns.
// - Nothing that is busy is evicted before it is idle, and nothing idle goes before all else that is needed is
//   idle too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/event_loop.h"
#include "protocol/messages.h"

namespace llmd::supervisor {

enum class ResidentState : uint8_t { Loading, Ready, Ending };

// An engine, with or without a process at the moment.
struct Resident {
    std::string model;   // engines differ by it
    std::string name;    // of the model, for people
    uint64_t bytes = 0;  // estimated; as soon as it is ready measured, and kRequestBytes
    ResidentState state = ResidentState::Ready;
    base::TimePoint last_use{};
    base::TimePoint kept_until{};                 // when the last keep_alive ends; TimePoint::max(): never
    bool pinned = false;                          // in the settings
    std::optional<protocol::Priority> runs;       // the highest class that has a slot
    std::optional<protocol::Priority> is_due_to;  // the highest class that waits for it, while it has served nobody yet
    bool owes_answer = false;                     // to a question that needs no slot
    bool is_busy() const { return runs || is_due_to || owes_answer; }
};

struct WantedModel {
    std::string model;
    std::string name;
    uint64_t bytes = 0;
    protocol::Priority priority = protocol::Priority::Normal;
    bool has_starved = false;
};

struct PoolLimits {
    uint64_t budget_bytes = 0;
    uint32_t max_models = 0;  // 0: as many as fit
};

struct LoadIt {};  // the wanted model, now
struct Evict {     // this idle one ends
    std::string model;
};
struct Yield {  // this one makes room for that class, or for all (EngineSlots); evicted when it is idle
    std::string model;
    protocol::Priority priority = protocol::Priority::Normal;
    bool to_all = false;
};
struct Wait {
    std::string reason;
};
using Step = std::variant<LoadIt, Evict, Yield, Wait, base::Error>;  // OutOfMemory: not as long as this is pinned

// The next step towards having the wanted model, which has no engine yet. To be asked after the scheduler has given the
// slots, so that what an engine was loaded for runs by now.
Step next_step(std::span<const Resident> residents, const WantedModel& wanted, const PoolLimits& limits,
               base::TimePoint now);

// The idle ones in the order in which they go when memory is short, whoever wants what: pinned ones too, the last. All
// of them go before anything is loaded after the kernel has ended an engine for its memory.
std::vector<std::string> eviction_order(std::span<const Resident> residents, base::TimePoint now);

}  // namespace llmd::supervisor
