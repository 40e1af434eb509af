// Constrains one text to a grammar, token by token: it says which tokens are allowed next and when the text is
// complete. Its answers are a pure function of the tokens accepted so far, so that a replayed text continues in the
// same way. Thread-bound; movable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "constraint/automaton.h"
#include "engine/generation/constraint/token_trie.h"

namespace llmd::constraint {

// The number of states whose token sets are cached, since texts return to a few states, such as the inside of a string.
// A set takes 6 KB for the 50,257 tokens of GPT-2.
inline constexpr size_t kMaxKeptSets = 32;

// Where more tokens are allowed their bytes are not forced, or so long that looking for them takes long.
inline constexpr uint32_t kMaxSpellings = 32;

class Constraint {
public:
    Constraint(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens)
        : tokens_(std::move(tokens)), automaton_(std::move(grammar)), states_{automaton_.start()} {}

    // True if this token is allowed next, which is quick for a few tokens. A token that ends generation is allowed if
    // is_complete().
    bool allows(int32_t id);
    struct Allowed {
        TokenSet tokens;
        uint32_t n = 0;  // tokens.size()
    };
    // Returns all tokens that are allowed next. Valid until the next call of a function that is not const.
    const Allowed& allowed();
    // The next token if exactly one is allowed.
    std::optional<int32_t> only_id();
    // The longest token that is allowed next, if all others are its beginnings and the text cannot end here: then the
    // grammar forces the bytes, and only how they are cut into tokens is open.
    std::optional<int32_t> spelled();
    // Appends the token. Returns false and changes nothing if it is not allowed or ends generation.
    // Precondition: nothing is drafted.
    bool accept(int32_t id);
    // Likewise, but until roll_back(), which takes back all tokens that were drafted. Until then all answers are those
    // behind them.
    bool draft(int32_t id);
    void roll_back() { states_.resize(1); }

    // True if the text so far is a text of the grammar.
    bool is_complete() const { return automaton_.is_complete(states_.back()); }
    // True if moreover nothing can follow it.
    bool is_final() const { return automaton_.is_final(states_.back()); }

private:
    bool ends_generation(int32_t id) const;
    // Returns the state after these bytes; kDead if they are not allowed next.
    Automaton::State after(std::string_view bytes);
    // Drops the cached sets if states were renumbered.
    void drop_renumbered();

    std::shared_ptr<const TokenTrie> tokens_;
    Automaton automaton_;
    std::vector<Automaton::State> states_;  // behind the accepted tokens, then behind each drafted one
    std::unordered_map<Automaton::State, Allowed> sets_;
    uint32_t n_compactions_ = 0;  // of the automaton, when the states of sets_ had these numbers
};

}  // namespace llmd::constraint
