// Reads text byte by byte and knows at each place which bytes can follow so that the whole still becomes a text of the
// grammar. All ways to read what has come are followed at once; a set of them is a state. States and the steps between
// them are made when they are first needed and kept, as lexers do (Thompson 1968; Cox 2007), so that a byte mostly
// costs one look into a table, and a state is cheap to copy.
//
// Of a text that can be read in more than kMaxWays ways only the first are followed, in the order of the grammar: some
// text of it may then not come up, but none that is not of it.
//
// The same bytes give the same answers whatever was read before. Thread-bound.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/generation/constraint/grammar.h"

namespace llmd::constraint {

inline constexpr size_t kMaxWays = 256;              // of one state; an object may leave out as many properties
inline constexpr size_t kMaxStates = 4096;           // 2 MB of steps
inline constexpr size_t kMaxKeptWays = 1u << 17;     // 1 MB
inline constexpr size_t kMaxFrames = 1u << 16;       // 1 MB
inline constexpr size_t kMaxSilentSteps = 1u << 12;  // that one byte may cost

// What strings of JSON hold as it is, of one byte a character: inside them no state tells one from another.
constexpr bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

class Automaton {
public:
    using State = uint16_t;
    static constexpr State kDead = 0;  // no text begins so

    explicit Automaton(std::shared_ptr<const Grammar> grammar);

    // Before the first byte.
    State start() const { return kStart; }
    // The state behind one more byte. Precondition: the state is alive, and !is_full().
    State advance(State state, uint8_t byte);
    // Any n plain bytes can follow, and any fewer. May be false where that is not known yet and there is no room to
    // find out. Precondition: the state is alive.
    bool takes_plain(State state, uint32_t n);
    // The text so far is one of the grammar.
    bool is_complete(State state) const { return states_[state].is_complete; }
    // And nothing can follow.
    bool is_final(State state) const { return is_complete(state) && states_[state].n_ways == 0; }

    // No room for another state: compact() makes some.
    bool is_full() const {
        return states_.size() >= kMaxStates || ways_.size() >= kMaxKeptWays || frames_.size() >= kMaxFrames;
    }
    // Forgets all states but these, start() and kDead, and renames these.
    void compact(std::span<State> live);
    // How often states have been renamed.
    uint32_t n_compactions() const { return n_compactions_; }

private:
    static constexpr State kStart = 1;
    static constexpr State kNotMade = 0xFFFF;
    static_assert(kMaxStates < kNotMade);

    // One call that has not returned. Equal ones are one, so comparing ids is comparing whole stacks.
    struct Frame {
        uint32_t parent;
        NodeId next;     // where to go on after it
        uint32_t count;  // repetitions so far
        bool operator==(const Frame&) const = default;
    };
    struct FrameHash {
        size_t operator()(const Frame& frame) const;
    };
    // One way to read the text so far.
    struct Way {
        NodeId node;  // a Byte
        uint32_t frame;
        bool operator==(const Way&) const = default;
    };
    struct Known {
        uint32_t first_way;
        uint32_t n_ways;
        bool is_complete;
        State behind_plain;  // any plain byte, if it is one state; else kDead
        std::array<State, 256> next;
    };

    void reset();
    uint32_t intern(const Frame& frame);
    uint32_t depth(uint32_t frame) const { return depths_[frame]; }
    // Follows what needs no byte from a place, into new_ways_.
    void follow(Way from);
    void take_silent_step(Way from);
    State intern_new_ways();
    State behind_plain(State state);

    std::shared_ptr<const Grammar> grammar_;
    std::vector<Known> states_;
    std::vector<Way> ways_;  // of all states
    std::unordered_multimap<uint64_t, State> states_by_hash_;
    std::vector<Frame> frames_;    // the first is the caller of the whole text
    std::vector<uint8_t> depths_;  // of frames
    std::unordered_map<Frame, uint32_t, FrameHash> frames_by_value_;
    uint32_t n_compactions_ = 0;
    // Of the state that is being made.
    std::vector<Way> new_ways_;
    bool new_is_complete_ = false;
    std::vector<Way> to_follow_;
    std::unordered_set<uint64_t> followed_;
};

}  // namespace llmd::constraint
