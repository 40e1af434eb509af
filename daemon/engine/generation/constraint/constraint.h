// Holds one text to a grammar, token by token: which tokens may come next, and when the text is whole. A pure function
// of the tokens accepted so far, so a text that is replayed goes on as it would have. Thread-bound; movable.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/generation/constraint/automaton.h"
#include "engine/generation/constraint/token_trie.h"

namespace llmd::constraint {

// States whose sets of tokens are kept: texts come back to a few, such as the inside of a string. 6 KB each for the
// 50,257 tokens of GPT-2.
inline constexpr size_t kMaxKeptSets = 32;

class Constraint {
public:
    Constraint(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens)
        : tokens_(std::move(tokens)), automaton_(std::move(grammar)), state_(automaton_.start()) {}

    // Whether this token may come next, by its own bytes: quick for a few tokens. A token that ends generation may when
    // is_complete().
    bool allows(int32_t id);
    struct Allowed {
        TokenSet tokens;
        uint32_t n = 0;  // of them
    };
    // All tokens that may come next. Valid until accept().
    const Allowed& allowed();
    // The token comes next. False, and nothing has changed, when it may not or ends generation.
    bool accept(int32_t id);

    // The text so far is one of the grammar.
    bool is_complete() const { return automaton_.is_complete(state_); }
    // And nothing can follow it.
    bool is_final() const { return automaton_.is_final(state_); }

private:
    bool ends_generation(int32_t id) const;
    // The state behind these bytes; kDead if they cannot come next.
    Automaton::State behind(std::string_view bytes);
    // Drops the sets if states have other names now.
    void forget_renamed();

    std::shared_ptr<const TokenTrie> tokens_;
    Automaton automaton_;
    Automaton::State state_;
    std::unordered_map<Automaton::State, Allowed> sets_;
    uint32_t n_compactions_ = 0;  // of the automaton, when the sets' states had these names
};

}  // namespace llmd::constraint
