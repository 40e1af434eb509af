// A lazily built automaton for a grammar: it reads text byte by byte and knows which bytes can follow so that the whole
// can still become a text of the grammar. The grammar's nodes are an NFA with a stack. All NFA threads that match the
// text so far are run in parallel, and a set of them is a state. States and transitions are built when they are first
// needed and cached, as in a lazy DFA (Thompson 1968; Cox 2007), so that a byte mostly costs one table lookup, and a
// state is cheap to copy.
//
// A state keeps at most kMaxNfaThreads threads, the first ones in the order of the grammar. Some text of the grammar
// may then be refused, but no other text is accepted.
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

#include "constraint/grammar.h"

namespace llmd::constraint {

inline constexpr size_t kMaxNfaThreads = 256;           // of one state; an object may leave out as many properties
inline constexpr size_t kMaxStates = 4096;              // 2 MB of transitions
inline constexpr size_t kMaxKeptNfaThreads = 1u << 17;  // 1 MB
inline constexpr size_t kMaxFrames = 1u << 16;          // 1 MB
inline constexpr size_t kMaxSilentSteps = 1u << 12;     // for one byte

// The one-byte characters that JSON strings hold unescaped. Inside a string no state tells them apart.
constexpr bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

class Automaton {
public:
    using State = uint16_t;
    static constexpr State kDead = 0;  // no text of the grammar begins with the bytes so far

    explicit Automaton(std::shared_ptr<const Grammar> grammar);

    // The state before the first byte.
    State start() const { return kStart; }
    // Returns the state after one more byte. Precondition: the state is not kDead, and has_room_for() it.
    State advance(State state, uint8_t byte) {
        const State known = states_[state].next[byte];
        return known != kNotMade ? known : make(state, byte);
    }
    // False if the state after this byte is neither known nor has room; compact() makes some.
    bool has_room_for(State state, uint8_t byte) const { return states_[state].next[byte] != kNotMade || !is_full(); }
    // A run of plain bytes that can follow: any `n` or fewer, whichever they are. `ends`: and after n of them none can.
    struct PlainRun {
        uint8_t n;
        bool ends;
    };
    // Looks at most `n` bytes ahead. The run may be too short where states are many, or not known yet without room to
    // find out. Precondition: the state is not kDead.
    PlainRun plain_run(State state, uint8_t n) {
        const Known& known = states_[state];
        if (n > known.n_ahead && known.run.n == known.n_ahead) look_ahead(state, n);
        const PlainRun& run = states_[state].run;
        return run.n < n ? run : PlainRun{n, run.n == n && run.ends};
    }
    // True if the text so far is a text of the grammar.
    bool is_complete(State state) const { return states_[state].is_complete; }
    // True if moreover nothing can follow.
    bool is_final(State state) const { return is_complete(state) && states_[state].n_threads == 0; }

    // There is no room for another state.
    bool is_full() const {
        return states_.size() >= kMaxStates || threads_.size() >= kMaxKeptNfaThreads || frames_.size() >= kMaxFrames;
    }
    // Drops all states except `live`, start() and kDead, and renumbers those in `live`.
    void compact(std::span<State> live);
    // How often states have been renumbered.
    uint32_t n_compactions() const { return n_compactions_; }

private:
    static constexpr State kStart = 1;
    static constexpr State kNotMade = 0xFFFF;
    static constexpr uint8_t kMaxPlainStates = 4;
    static constexpr uint8_t kManyStates = kMaxPlainStates + 1;
    static_assert(kMaxStates < kNotMade);

    // A call that has not returned. Equal frames are interned, so equal ids mean equal stacks.
    struct Frame {
        uint32_t parent;
        NodeId next;     // where to go on after it
        uint32_t count;  // repetitions so far
        bool operator==(const Frame&) const = default;
    };
    struct FrameHash {
        size_t operator()(const Frame& frame) const;
    };
    // One parse of the text so far.
    struct NfaThread {
        NodeId node;  // a Byte
        uint32_t frame;
        bool operator==(const NfaThread&) const = default;
    };
    struct Known {
        uint32_t first_thread;
        uint32_t n_threads;
        bool is_complete;
        std::array<State, kMaxPlainStates> after_plain;  // the states after plain bytes, ascending
        uint8_t n_after_plain;                           // 0: not found yet; kManyStates: more than have a place
        uint8_t n_ahead;                                 // bytes that have been looked at for `run`
        PlainRun run;                                    // as long as n_ahead: it may go on
        std::array<State, 256> next;
    };

    void reset();
    State make(State state, uint8_t byte);
    uint32_t intern(const Frame& frame);
    uint32_t depth(uint32_t frame) const { return depths_[frame]; }
    // Follows the silent steps from a thread, and adds the threads that wait for a byte to new_threads_.
    void follow(NfaThread from);
    void take_silent_step(NfaThread from);
    State intern_new_threads();
    void look_ahead(State state, uint8_t n);
    // The states after any plain byte; none if they are too many, or some is not known and has no room.
    std::span<const State> after_plain(State state);

    std::shared_ptr<const Grammar> grammar_;
    std::vector<Known> states_;
    std::vector<NfaThread> threads_;  // of all states
    std::unordered_multimap<uint64_t, State> states_by_hash_;
    std::vector<Frame> frames_;    // the first is the caller of the whole text
    std::vector<uint8_t> depths_;  // of frames
    std::unordered_map<Frame, uint32_t, FrameHash> frames_by_value_;
    uint32_t n_compactions_ = 0;
    // Scratch of the state that is being built.
    std::vector<NfaThread> new_threads_;
    bool new_is_complete_ = false;
    std::vector<NfaThread> to_follow_;
    std::unordered_set<uint64_t> followed_;
};

}  // namespace llmd::constraint
