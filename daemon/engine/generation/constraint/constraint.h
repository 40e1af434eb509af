// Constrains one text to a grammar, token by token: it says which tokens are allowed next and when the text is
// complete. Its answers are a pure function of the tokens accepted so far, so that a replayed text continues in the
// same way. Thread-bound; movable.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "constraint/automaton.h"
#include "engine/generation/constraint/token_trie.h"

namespace llmd::constraint {

// The number of states whose token sets are cached, since texts return to a few states, such as the inside of a string.
// A set takes 6 KB for the 50,257 tokens of GPT-2.
inline constexpr size_t kMaxKeptSets = 32;

class Constraint {
public:
    Constraint(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens)
        : tokens_(std::move(tokens)), automaton_(std::move(grammar)), state_(automaton_.start()) {}

    // True if this token is allowed next, which is quick for a few tokens. A token that ends generation is allowed if
    // is_complete().
    bool allows(int32_t id);
    struct Allowed {
        TokenSet tokens;
        uint32_t n = 0;  // tokens.size()
    };
    // Returns all tokens that are allowed next. Valid until accept().
    const Allowed& allowed();
    // Appends the token. Returns false and changes nothing if it is not allowed or ends generation.
    bool accept(int32_t id);

    // True if the text so far is a text of the grammar.
    bool is_complete() const { return automaton_.is_complete(state_); }
    // True if moreover nothing can follow it.
    bool is_final() const { return automaton_.is_final(state_); }

private:
    bool ends_generation(int32_t id) const;
    // Returns the state after these bytes; kDead if they are not allowed next.
    Automaton::State after(std::string_view bytes);
    // Drops the cached sets if states were renumbered.
    void drop_renumbered();

    std::shared_ptr<const TokenTrie> tokens_;
    Automaton automaton_;
    Automaton::State state_;
    std::unordered_map<Automaton::State, Allowed> sets_;
    uint32_t n_compactions_ = 0;  // of the automaton, when the states of sets_ had these numbers
};

}  // namespace llmd::constraint
