#include "engine/generation/constraint/automaton.h"

#include <algorithm>
#include <utility>

namespace llmd::constraint {

using Kind = Node::Kind;

namespace {

constexpr uint32_t kCaller = 0;  // the frame outside the whole text

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
    ways_.clear();
    states_by_hash_.clear();
    frames_.clear();
    depths_.clear();
    frames_by_value_.clear();
    intern({kCaller, 0, 0});
    Known dead{.first_way = 0, .n_ways = 0, .is_complete = false, .behind_plain = kDead, .next = {}};
    states_.push_back(dead);
    new_ways_.clear();
    new_is_complete_ = false;
    followed_.clear();
    const NodeId entry = grammar_->entry(grammar_->start());
    follow({entry, intern({kCaller, 1, 0})});
    (void)intern_new_ways();
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

Automaton::State Automaton::advance(State state, uint8_t byte) {
    if (const State known = states_[state].next[byte]; known != kNotMade) return known;
    new_ways_.clear();
    new_is_complete_ = false;
    followed_.clear();
    const Known& from = states_[state];
    int first = 0, last = 255;  // of the bytes that no way tells from this one
    for (uint32_t i = 0; i < from.n_ways; ++i) {
        const Way way = ways_[from.first_way + i];
        const Node& node = grammar_->node(way.node);
        if (byte < node.first) {
            last = std::min(last, node.first - 1);
        } else if (byte > node.last) {
            first = std::max(first, node.last + 1);
        } else {
            first = std::max<int>(first, node.first);
            last = std::min<int>(last, node.last);
            follow({node.next, way.frame});
        }
    }
    const State next = intern_new_ways();
    auto& steps = states_[state].next;
    std::fill(steps.begin() + first, steps.begin() + last + 1, next);
    return next;
}

bool Automaton::takes_plain(State state, uint32_t n) {
    for (; n > 0; --n) {
        const State next = behind_plain(state);
        if (next == kDead) return false;
        if (next == state) return true;
        state = next;
    }
    return true;
}

Automaton::State Automaton::behind_plain(State state) {
    if (const State known = states_[state].behind_plain; known != kNotMade) return known;
    State all = kNotMade;
    for (uint32_t byte = 0; byte < 256 && all != kDead; ++byte) {
        if (!is_plain(static_cast<uint8_t>(byte))) continue;
        if (states_[state].next[byte] == kNotMade && is_full()) return kDead;
        const State next = advance(state, static_cast<uint8_t>(byte));
        all = all == kNotMade || all == next ? next : kDead;
    }
    states_[state].behind_plain = all;
    return all;
}

void Automaton::follow(Way from) {
    to_follow_.assign(1, from);
    while (!to_follow_.empty() && new_ways_.size() < kMaxWays && followed_.size() < kMaxSilentSteps) {
        const Way way = to_follow_.back();
        to_follow_.pop_back();
        if (depth(way.frame) + grammar_->depth_needed(way.node) > kMaxDepth) continue;
        if (!followed_.insert(joined(way.node, way.frame)).second) continue;
        take_silent_step(way);
    }
}

void Automaton::take_silent_step(Way from) {
    const Node& node = grammar_->node(from.node);
    const Frame frame = frames_[from.frame];
    const auto go = [&](NodeId next, uint32_t in) { to_follow_.push_back({next, in}); };
    switch (node.kind) {
        case Kind::Byte:
            new_ways_.push_back(from);
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

Automaton::State Automaton::intern_new_ways() {
    if (new_ways_.empty() && !new_is_complete_) return kDead;
    uint64_t hash = new_is_complete_ ? 1 : 0;
    for (const Way& way : new_ways_) hash = mixed(hash ^ joined(way.node, way.frame));
    const auto [first, last] = states_by_hash_.equal_range(hash);
    for (auto same = first; same != last; ++same) {
        const Known& known = states_[same->second];
        if (known.is_complete == new_is_complete_ &&
            std::equal(new_ways_.begin(), new_ways_.end(), ways_.begin() + known.first_way,
                       ways_.begin() + known.first_way + known.n_ways)) {
            return same->second;
        }
    }
    const auto made = static_cast<State>(states_.size());
    Known& known = states_.emplace_back();
    known.first_way = static_cast<uint32_t>(ways_.size());
    known.n_ways = static_cast<uint32_t>(new_ways_.size());
    known.is_complete = new_is_complete_;
    known.behind_plain = kNotMade;
    known.next.fill(kNotMade);
    ways_.insert(ways_.end(), new_ways_.begin(), new_ways_.end());
    states_by_hash_.emplace(hash, made);
    return made;
}

void Automaton::compact(std::span<State> live) {
    const std::vector<Known> states = std::move(states_);
    const std::vector<Way> ways = std::move(ways_);
    const std::vector<Frame> frames = std::move(frames_);
    states_ = {};
    ways_ = {};
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
        new_ways_.assign(ways.begin() + known.first_way, ways.begin() + known.first_way + known.n_ways);
        for (Way& way : new_ways_) way.frame = rename(way.frame);
        state = intern_new_ways();
    }
}

}  // namespace llmd::constraint
