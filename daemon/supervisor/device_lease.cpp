#include "supervisor/device_lease.h"

#include <algorithm>
#include <tuple>

namespace llmd::supervisor {

void DeviceLease::join(EngineId engine) {
    engines_[engine] = {};
}

void DeviceLease::set_work(EngineId engine, std::optional<protocol::Priority> highest) {
    const auto found = engines_.find(engine);
    if (found != engines_.end()) found->second.work = highest;
}

void DeviceLease::set_alone(EngineId engine, bool alone) {
    const auto found = engines_.find(engine);
    if (found != engines_.end()) found->second.alone = alone;
}

void DeviceLease::release(EngineId engine) {
    const auto found = engines_.find(engine);
    if (found == engines_.end() || !found->second.owes_release) return;
    found->second.owes_release = false;
    if (holder_ == engine) holder_.reset();
}

void DeviceLease::leave(EngineId engine) {
    engines_.erase(engine);
    if (holder_ == engine) holder_.reset();
}

DeviceLease::Review DeviceLease::review(base::TimePoint now) {
    Review review;
    tell_others(review);
    if (is_contended()) {
        Engine& held = engines_[*holder_];
        const bool turn_is_over = !held.has_work() || now - granted_ >= kLeaseTurn;
        held.had_turn = held.had_turn || turn_is_over;
        if (turn_is_over || is_overtaken(held)) tell(*holder_, false, review);
    }
    if (!holder_) {
        if (const auto engine = next()) {
            holder_ = engine;
            granted_ = now;
            engines_[*engine].last_grant = ++n_grants_;
            tell(*engine, true, review);
        }
    }
    tell_others(review);
    if (is_contended()) review.next_due = granted_ + kLeaseTurn;
    return review;
}

void DeviceLease::tell_others(Review& review) {
    for (auto& [id, engine] : engines_) {
        if (holder_ && holder_ != id && engine.is_told && !engine.alone) tell(id, false, review);
    }
}

void DeviceLease::tell(EngineId id, bool held, Review& review) {
    Engine& engine = engines_[id];
    if (engine.is_told == held) return;
    engine.is_told = held;
    engine.owes_release = !held;
    review.changes.push_back({id, held});
}

bool DeviceLease::is_contended() const {
    if (!holder_ || engines_.at(*holder_).owes_release || engines_.at(*holder_).alone) return false;
    return std::any_of(engines_.begin(), engines_.end(),
                       [this](const auto& one) { return one.first != *holder_ && one.second.may_be_next(); });
}

bool DeviceLease::is_overtaken(const Engine& held) const {
    return std::any_of(engines_.begin(), engines_.end(), [&](const auto& one) {
        const Engine& other = one.second;
        return other.may_be_next() && !other.had_turn && other.priority() < held.priority();
    });
}

std::optional<DeviceLease::EngineId> DeviceLease::next() {
    std::vector<std::pair<const EngineId, Engine>*> waiting;
    for (auto& one : engines_) {
        if (one.second.may_be_next()) waiting.push_back(&one);
    }
    if (waiting.empty()) return std::nullopt;
    if (std::all_of(waiting.begin(), waiting.end(), [](const auto* one) { return one->second.had_turn; })) {
        for (auto& [id, engine] : engines_) engine.had_turn = false;
    }
    const auto order = [](const auto* one) {
        const Engine& engine = one->second;
        return std::tuple(engine.had_turn, engine.priority(), engine.last_grant, one->first);
    };
    return (*std::min_element(waiting.begin(), waiting.end(),
                              [&](const auto* a, const auto* b) { return order(a) < order(b); }))
        ->first;
}

}  // namespace llmd::supervisor
