#include "supervisor/pool.h"

#include <algorithm>
#include <tuple>

namespace llmd::supervisor {
namespace {

using protocol::Priority;

// This decides which of the residents goes first: the smaller one.
auto idle_rank(const Resident& resident, base::TimePoint now) {
    return std::tuple(resident.pinned, resident.kept_until > now, resident.last_use);
}

// Whether these and the wanted one may be resident together.
bool fits(const std::vector<const Resident*>& stay, const WantedModel& wanted, const PoolLimits& limits) {
    if (stay.empty()) return true;
    if (limits.max_models != 0 && stay.size() >= limits.max_models) return false;
    uint64_t left = limits.budget_bytes;
    for (const Resident* resident : stay) {
        if (resident->bytes > left) return false;
        left -= resident->bytes;
    }
    return wanted.bytes <= left;
}

// Whether it may ever be asked to go for the wanted one.
bool is_protected(const Resident& resident, const WantedModel& wanted) {
    return resident.pinned && wanted.priority == Priority::Background;
}

bool makes_room(const Resident& resident, const WantedModel& wanted) {
    if (resident.state != ResidentState::Ready || is_protected(resident, wanted)) return false;
    if (wanted.has_starved) return true;
    if (resident.is_due_to && *resident.is_due_to <= wanted.priority) return false;
    return !resident.runs || *resident.runs >= wanted.priority;
}

// One that only waits for its first slot has nothing that could end: it is evicted as it is.
bool is_to_yield(const Resident& resident) {
    return resident.runs || resident.owes_answer;
}

std::string in_words(const WantedModel& wanted) {
    return base::concat(wanted.name, " needs ", wanted.bytes >> 20, " MiB");
}

}  // namespace

Step next_step(std::span<const Resident> residents, const WantedModel& wanted, const PoolLimits& limits,
               base::TimePoint now) {
    std::vector<const Resident*> all;
    std::vector<const Resident*> pinned;
    for (const Resident& resident : residents) {
        if (resident.model == wanted.model) return Wait{base::concat(wanted.name, " has an engine already")};
        all.push_back(&resident);
        if (is_protected(resident, wanted)) pinned.push_back(&resident);
    }
    // While others load or go it is not known yet what there is to share.
    const bool settles = std::any_of(residents.begin(), residents.end(), [&](const Resident& resident) {
        return resident.state != ResidentState::Ready && !is_protected(resident, wanted);
    });
    if (!settles && !fits(pinned, wanted, limits)) {
        return base::Error{base::ErrorCode::OutOfMemory,
                           base::concat(in_words(wanted),
                                        ", and does not fit beside pinned models, which do not make "
                                        "room for background requests")};
    }
    for (const Resident& resident : residents) {
        if (resident.state == ResidentState::Loading) return Wait{base::concat(resident.name, " is being loaded")};
    }
    if (fits(all, wanted, limits)) return LoadIt{};
    for (const Resident& resident : residents) {
        if (resident.state == ResidentState::Ending) return Wait{base::concat(resident.name, " is being unloaded")};
    }

    // Who could go, the first to go first; then the first of them that are enough.
    std::vector<const Resident*> stay;
    std::vector<const Resident*> candidates;
    for (const Resident* resident : all) (makes_room(*resident, wanted) ? candidates : stay).push_back(resident);
    const auto rank = [&](const Resident* resident) {
        const int lowest_first = resident->runs ? -static_cast<int>(*resident->runs) : 0;
        return std::tuple(is_to_yield(*resident), lowest_first, idle_rank(*resident, now));
    };
    std::sort(candidates.begin(), candidates.end(),
              [&](const Resident* a, const Resident* b) { return rank(a) < rank(b); });
    const auto fit_without = [&](const std::vector<const Resident*>& going) {
        std::vector<const Resident*> left = stay;
        for (const Resident* candidate : candidates) {
            if (std::find(going.begin(), going.end(), candidate) == going.end()) left.push_back(candidate);
        }
        return fits(left, wanted, limits);
    };
    std::vector<const Resident*> going;
    for (const Resident* candidate : candidates) {
        if (fit_without(going)) break;
        going.push_back(candidate);
    }
    if (!fit_without(going)) {
        return Wait{base::concat(in_words(wanted), ", and what is loaded is in use at a higher priority")};
    }
    // A large one may have made the smaller ones before it needless, those that are the last to go above all.
    for (size_t i = going.size(); i-- > 0;) {
        auto fewer = going;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
        if (fit_without(fewer)) going = std::move(fewer);
    }
    for (const Resident* resident : going) {
        if (is_to_yield(*resident)) return Yield{resident->model, wanted.priority, wanted.has_starved};
    }
    return Evict{going.front()->model};
}

std::vector<std::string> eviction_order(std::span<const Resident> residents, base::TimePoint now) {
    std::vector<const Resident*> idle;
    for (const Resident& resident : residents) {
        if (resident.state == ResidentState::Ready && !resident.is_busy()) idle.push_back(&resident);
    }
    std::sort(idle.begin(), idle.end(),
              [now](const Resident* a, const Resident* b) { return idle_rank(*a, now) < idle_rank(*b, now); });
    std::vector<std::string> order;
    for (const Resident* resident : idle) order.push_back(resident->model);
    return order;
}

}  // namespace llmd::supervisor
