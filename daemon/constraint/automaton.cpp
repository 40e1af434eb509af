#include "constraint/automaton.h"

#include <algorithm>
#include <utility>

namespace llmd::constraint {

using Kind = Node::Kind;

namespace {

constexpr uint32_t kCaller = 0;  // the frame outside the start rule

uint64_t joined(uint32_t a, uint32_t b) {
    return uint64_t{a} << 32 | b;
}

// The finaliser of SplitMix64 (Vigna, public domain).
uint64_t mixed(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

}  // namespace

size_t Automaton::FrameHash::operator()(const Frame& frame) const {
    return mixed(mixed(joined(frame.parent, frame.next)) + frame.count);
}

Automaton::Automaton(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {
    reset();
}

void Automaton::reset() {
    states_.clear();
    threads_.clear();
    states_by_hash_.clear();
    frames_.clear();
    depths_.clear();
    frames_by_value_.clear();
    intern({kCaller, 0, 0});
    Known dead{.first_thread = 0,
               .n_threads = 0,
               .is_complete = false,
               .after_plain = {},
               .n_after_plain = 0,
               .n_ahead = 0,
               .run = {},
               .next = {}};
    states_.push_back(dead);
    new_threads_.clear();
    new_is_complete_ = false;
    followed_.clear();
    const NodeId entry = grammar_->entry(grammar_->start());
    follow({entry, intern({kCaller, 1, 0})});
    (void)intern_new_threads();
}

uint32_t Automaton::intern(const Frame& frame) {
    const auto [found, is_new] = frames_by_value_.try_emplace(frame, static_cast<uint32_t>(frames_.size()));
    if (is_new) {
        depths_.push_back(frames_.empty() || frame.parent == kCaller ? 0
                                                                     : static_cast<uint8_t>(depth(frame.parent) + 1));
        frames_.push_back(frame);
    }
    return found->second;
}

Automaton::State Automaton::make(State state, uint8_t byte) {
    new_threads_.clear();
    new_is_complete_ = false;
    followed_.clear();
    const Known& from = states_[state];
    int first = 0, last = 255;  // the range of bytes that no thread tells from this one
    for (uint32_t i = 0; i < from.n_threads; ++i) {
        const NfaThread thread = threads_[from.first_thread + i];
        const Node& node = grammar_->node(thread.node);
        if (byte < node.first) {
            last = std::min(last, node.first - 1);
        } else if (byte > node.last) {
            first = std::max(first, node.last + 1);
        } else {
            first = std::max<int>(first, node.first);
            last = std::min<int>(last, node.last);
            follow({node.next, thread.frame});
        }
    }
    const State next = intern_new_threads();
    auto& steps = states_[state].next;
    std::fill(steps.begin() + first, steps.begin() + last + 1, next);
    return next;
}

void Automaton::look_ahead(State state, uint8_t n) {
    const auto found = [&](uint8_t n_ahead, uint8_t n_taken, bool ends) {
        states_[state].n_ahead = n_ahead;
        states_[state].run = {n_taken, ends};
    };
    std::array<State, kMaxPlainStates> from = {state};  // where the bytes so far may have led, ascending
    std::span<const State> states = std::span(from).first(1);
    for (uint8_t taken = 0; taken < n; ++taken) {
        std::array<State, kMaxPlainStates> to{};
        size_t n_to = 0;
        for (const State one : states) {
            const auto after = after_plain(one);
            if (after.empty()) return found(UINT8_MAX, taken, false);
            for (const State next : after) {
                const auto at = std::lower_bound(to.begin(), to.begin() + n_to, next);
                if (at != to.begin() + n_to && *at == next) continue;
                if (n_to == to.size()) return found(UINT8_MAX, taken, false);
                std::move_backward(at, to.begin() + n_to, to.begin() + n_to + 1);
                *at = next;
                ++n_to;
            }
        }
        if (to[0] == kDead) return found(UINT8_MAX, taken, n_to == 1);
        // From some of the same states bytes can only lead to some of the same again.
        if (std::includes(states.begin(), states.end(), to.begin(), to.begin() + n_to)) {
            return found(UINT8_MAX, UINT8_MAX, false);
        }
        from = to;
        states = std::span(from).first(n_to);
    }
    found(n, n, false);
}

std::span<const Automaton::State> Automaton::after_plain(State state) {
    if (states_[state].n_after_plain == 0) {
        std::array<State, kMaxPlainStates> found{};
        uint8_t n = 0;
        for (uint32_t byte = 0; byte < 256 && n <= kMaxPlainStates; ++byte) {
            if (!is_plain(static_cast<uint8_t>(byte))) continue;
            if (!has_room_for(state, static_cast<uint8_t>(byte))) return {};
            const State next = advance(state, static_cast<uint8_t>(byte));
            if (std::find(found.begin(), found.begin() + n, next) != found.begin() + n) continue;
            if (n < kMaxPlainStates) found[n] = next;
            ++n;
        }
        std::sort(found.begin(), found.begin() + std::min(n, kMaxPlainStates));
        states_[state].after_plain = found;
        states_[state].n_after_plain = n;
    }
    const Known& known = states_[state];
    if (known.n_after_plain == kManyStates) return {};
    return std::span(known.after_plain).first(known.n_after_plain);
}

void Automaton::follow(NfaThread from) {
    to_follow_.assign(1, from);
    while (!to_follow_.empty() && new_threads_.size() < kMaxNfaThreads && followed_.size() < kMaxSilentSteps) {
        const NfaThread thread = to_follow_.back();
        to_follow_.pop_back();
        if (depth(thread.frame) + grammar_->depth_needed(thread.node) > kMaxDepth) continue;
        if (!followed_.insert(joined(thread.node, thread.frame)).second) continue;
        take_silent_step(thread);
    }
}

void Automaton::take_silent_step(NfaThread from) {
    const Node& node = grammar_->node(from.node);
    const Frame frame = frames_[from.frame];
    const auto go = [&](NodeId next, uint32_t in) { to_follow_.push_back({next, in}); };
    switch (node.kind) {
        case Kind::Byte:
            new_threads_.push_back(from);
            break;
        case Kind::Choice:  // the first is to be popped first
            go(node.value, from.frame);
            go(node.next, from.frame);
            break;
        case Kind::Call:
            go(grammar_->entry(node.value), grammar_->is_last_call(node) ? intern({frame.parent, frame.next, 0})
                                                                         : intern({from.frame, node.next, 0}));
            break;
        case Kind::Count:
            go(node.next, intern({frame.parent, frame.next, std::min(frame.count + 1, node.value)}));
            break;
        case Kind::AtLeast:
            if (frame.count >= node.value) go(node.next, from.frame);
            break;
        case Kind::Below:
            if (frame.count < node.value) go(node.next, from.frame);
            break;
        case Kind::Return:
            if (frame.parent == kCaller) {
                new_is_complete_ = true;
            } else {
                go(frame.next, frame.parent);
            }
            break;
        case Kind::Fail:
            break;
    }
}

Automaton::State Automaton::intern_new_threads() {
    if (new_threads_.empty() && !new_is_complete_) return kDead;
    uint64_t hash = new_is_complete_ ? 1 : 0;
    for (const NfaThread& thread : new_threads_) hash = mixed(hash ^ joined(thread.node, thread.frame));
    const auto [first, last] = states_by_hash_.equal_range(hash);
    for (auto same = first; same != last; ++same) {
        const Known& known = states_[same->second];
        if (known.is_complete == new_is_complete_ &&
            std::equal(new_threads_.begin(), new_threads_.end(), threads_.begin() + known.first_thread,
                       threads_.begin() + known.first_thread + known.n_threads)) {
            return same->second;
        }
    }
    const auto added = static_cast<State>(states_.size());
    Known& known = states_.emplace_back();
    known.first_thread = static_cast<uint32_t>(threads_.size());
    known.n_threads = static_cast<uint32_t>(new_threads_.size());
    known.is_complete = new_is_complete_;
    known.n_after_plain = known.n_ahead = 0;
    known.run = {};
    known.next.fill(kNotMade);
    threads_.insert(threads_.end(), new_threads_.begin(), new_threads_.end());
    states_by_hash_.emplace(hash, added);
    return added;
}

void Automaton::compact(std::span<State> live) {
    const std::vector<Known> states = std::move(states_);
    const std::vector<NfaThread> threads = std::move(threads_);
    const std::vector<Frame> frames = std::move(frames_);
    states_ = {};
    threads_ = {};
    frames_ = {};
    reset();
    ++n_compactions_;
    std::unordered_map<uint32_t, uint32_t> renamed = {{kCaller, kCaller}};
    const auto rename = [&](uint32_t frame) {
        std::vector<uint32_t> path;
        for (; !renamed.contains(frame); frame = frames[frame].parent) path.push_back(frame);
        uint32_t name = renamed.at(frame);
        for (auto old = path.rbegin(); old != path.rend(); ++old) {
            name = intern({name, frames[*old].next, frames[*old].count});
            renamed.emplace(*old, name);
        }
        return name;
    };
    for (State& state : live) {
        const Known& known = states[state];
        new_is_complete_ = known.is_complete;
        new_threads_.assign(threads.begin() + known.first_thread,
                            threads.begin() + known.first_thread + known.n_threads);
        for (NfaThread& thread : new_threads_) thread.frame = rename(thread.frame);
        state = intern_new_threads();
    }
}

}  // namespace llmd::constraint
