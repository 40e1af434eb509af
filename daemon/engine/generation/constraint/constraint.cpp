#include "engine/generation/constraint/constraint.h"

#include <algorithm>
#include <array>
#include <utility>

namespace llmd::constraint {

using State = Automaton::State;

bool Constraint::ends_generation(int32_t id) const {
    const auto ends = tokens_->end_ids();
    return std::find(ends.begin(), ends.end(), static_cast<uint32_t>(id)) != ends.end();
}

State Constraint::after(std::string_view bytes) {
    if (bytes.empty()) return Automaton::kDead;
    State state = states_.back();
    for (const char c : bytes) {
        if (automaton_.is_full()) {
            states_.push_back(state);
            automaton_.compact(states_);
            state = states_.back();
            states_.pop_back();
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
    states_.back() = next;
    return true;
}

bool Constraint::draft(int32_t id) {
    const State next = after(tokens_->bytes(id));
    if (next == Automaton::kDead) return false;
    states_.push_back(next);
    return true;
}

const Constraint::Allowed& Constraint::allowed() {
    drop_renumbered();
    if (const auto kept = sets_.find(states_.back()); kept != sets_.end()) return kept->second;
    TokenSet set = tokens_->following(automaton_, states_);
    drop_renumbered();
    if (is_complete()) {
        for (const uint32_t id : tokens_->end_ids()) set.insert(id);
    }
    if (sets_.size() >= kMaxKeptSets) sets_.clear();
    const uint32_t n = set.size();
    return sets_.insert_or_assign(states_.back(), Allowed{std::move(set), n}).first->second;
}

std::optional<int32_t> Constraint::only_id() {
    const Allowed& all = allowed();
    return all.n == 1 ? std::optional(static_cast<int32_t>(all.tokens.first())) : std::nullopt;
}

std::optional<int32_t> Constraint::spelled() {
    const Allowed& all = allowed();
    if (all.n == 0 || all.n > kMaxSpellings || is_complete()) return std::nullopt;
    std::array<uint32_t, kMaxSpellings> ids;
    all.tokens.list(ids);
    const auto bytes = [&](uint32_t id) { return tokens_->bytes(static_cast<int32_t>(id)); };
    const auto spellings = std::span(ids).first(all.n);
    const uint32_t longest = *std::ranges::max_element(spellings, {}, [&](uint32_t id) { return bytes(id).size(); });
    const bool is_forced =
        std::ranges::all_of(spellings, [&](uint32_t id) { return bytes(longest).starts_with(bytes(id)); });
    return is_forced ? std::optional(static_cast<int32_t>(longest)) : std::nullopt;
}

void Constraint::drop_renumbered() {
    if (std::exchange(n_compactions_, automaton_.n_compactions()) != automaton_.n_compactions()) sets_.clear();
}

}  // namespace llmd::constraint
