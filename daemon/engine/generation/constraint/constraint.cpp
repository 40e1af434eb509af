#include "engine/generation/constraint/constraint.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace llmd::constraint {

using State = Automaton::State;

bool Constraint::ends_generation(int32_t id) const {
    const auto ends = tokens_->end_ids();
    return std::find(ends.begin(), ends.end(), static_cast<uint32_t>(id)) != ends.end();
}

State Constraint::after(std::string_view bytes) {
    if (bytes.empty()) return Automaton::kDead;
    State state = state_;
    for (const char c : bytes) {
        if (automaton_.is_full()) {
            std::array<State, 2> live = {state_, state};
            automaton_.compact(live);
            std::tie(state_, state) = std::pair(live[0], live[1]);
        }
        state = automaton_.advance(state, static_cast<uint8_t>(c));
        if (state == Automaton::kDead) break;
    }
    return state;
}

bool Constraint::allows(int32_t id) {
    return ends_generation(id) ? is_complete() : after(tokens_->bytes(id)) != Automaton::kDead;
}

bool Constraint::accept(int32_t id) {
    const State next = after(tokens_->bytes(id));
    if (next == Automaton::kDead) return false;
    state_ = next;
    return true;
}

const Constraint::Allowed& Constraint::allowed() {
    drop_renumbered();
    if (const auto kept = sets_.find(state_); kept != sets_.end()) return kept->second;
    TokenSet set = tokens_->following(automaton_, state_);
    drop_renumbered();
    if (is_complete()) {
        for (const uint32_t id : tokens_->end_ids()) set.insert(id);
    }
    if (sets_.size() >= kMaxKeptSets) sets_.clear();
    const uint32_t n = set.size();
    return sets_.insert_or_assign(state_, Allowed{std::move(set), n}).first->second;
}

void Constraint::drop_renumbered() {
    if (std::exchange(n_compactions_, automaton_.n_compactions()) != automaton_.n_compactions()) sets_.clear();
}

}  // namespace llmd::constraint
