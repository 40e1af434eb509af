// A trie of the vocabulary's token bytes, in which one walk finds all tokens that are allowed next: a common prefix of
// tokens is read once, and a prefix that is not allowed rules out all tokens that begin with it. Short tokens of plain
// bytes (constraint/automaton.h), which are most of a vocabulary, have a trie of their own: inside a string mostly all
// of them are allowed that are no longer than there is room, and these sets are kept. Immutable: may be used from any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "constraint/automaton.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::constraint {

// Longer tokens are never allowed. GPT-2's longest has 128 bytes.
inline constexpr size_t kMaxTokenBytes = 256;
// The short tokens have at most so many: in GPT-2's vocabulary all but 59 of the 49,201 of plain bytes.
inline constexpr uint8_t kMaxShortBytes = 16;

// A set of ids, with one bit for each id of the vocabulary.
class TokenSet {
public:
    explicit TokenSet(uint32_t n_vocab) : words_((n_vocab + kBits - 1) / kBits) {}
    // Precondition: the id is not in the set.
    void insert(uint32_t id) {
        words_[id / kBits] |= 1u << id % kBits;
        ++size_;
    }
    bool contains(uint32_t id) const { return (words_[id / kBits] >> id % kBits & 1) != 0; }
    // The bits in the form of compute::SampleRequest::allowed.
    std::span<const uint32_t> words() const { return words_; }
    uint32_t size() const { return size_; }
    // Precondition: the set is not empty.
    uint32_t first() const;
    // Fills `ids` with the first ids of the set, rising, and leaves the rest of it.
    void list(std::span<uint32_t> ids) const;

private:
    static constexpr uint32_t kBits = 32;
    std::vector<uint32_t> words_;
    uint32_t size_ = 0;
};

class TokenTrie {
public:
    // n_vocab is the model's. Control tokens and ids that the tokenizer does not have are never allowed, except that
    // the control tokens among `markers`, ascending ids, add their text (chat/call_syntax.h).
    TokenTrie(const tokenizer::Tokenizer& tokenizer, uint32_t n_vocab, std::span<const int32_t> markers = {});

    uint32_t n_vocab() const { return static_cast<uint32_t>(starts_.size() - 1); }
    // The bytes that the token adds to a text, possibly none.
    std::string_view bytes(int32_t id) const;
    // The tokens that end generation.
    std::span<const uint32_t> end_ids() const { return end_ids_; }

    // Returns all tokens whose bytes can follow the last of `states`. All of these may be renumbered.
    TokenSet following(Automaton& automaton, std::span<Automaton::State> states) const;

private:
    // Nodes are in depth-first order: children come after their parent and before any node that is not below it.
    struct Node {
        uint32_t subtree_end;  // the next node that is not below this one
        uint32_t first_id;     // in ids_: the tokens that end here, up to the next node's
        uint16_t depth;        // bytes from the root, at least 1
        uint8_t byte;
        uint8_t plain_below;  // bytes to the deepest node below; 0 if there is none or some byte below is not plain
    };

    // Adds the nodes of the tokens ids_[first, last), a trie of their own.
    void add_nodes(uint32_t first, uint32_t last);
    void find_plain();
    bool is_short_and_plain(uint32_t id) const;

    std::string bytes_;             // of all tokens, by id
    std::vector<uint32_t> starts_;  // in bytes_, by id, and the end of the last token
    std::vector<uint32_t> ids_;     // of tokens with bytes: the short ones of plain bytes first; sorted by their bytes
    std::vector<Node> nodes_;       // those of the short tokens of plain bytes first; with a sentinel at the end
    uint32_t n_short_nodes_ = 0;
    std::vector<TokenSet> short_;  // the short tokens of plain bytes; at n those of at most n bytes
    std::vector<uint32_t> end_ids_;
};

}  // namespace llmd::constraint
