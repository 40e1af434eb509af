// A vocabulary by the bytes of its tokens, so that all tokens that can come next are found in one walk: tokens that
// begin alike are looked at once, and what no text can go on with is left out with all that begins so.
// Immutable: may be used from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/generation/constraint/automaton.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::constraint {

// Longer tokens are never chosen: GPT-2's longest has 128 bytes.
inline constexpr size_t kMaxTokenBytes = 256;

// One bit for each id of the vocabulary.
class TokenSet {
public:
    explicit TokenSet(uint32_t n_vocab) : words_((n_vocab + kBits - 1) / kBits) {}
    void insert(uint32_t id) { words_[id / kBits] |= 1u << id % kBits; }
    bool contains(uint32_t id) const { return (words_[id / kBits] >> id % kBits & 1) != 0; }
    // As compute::SampleRequest::allowed has it.
    std::span<const uint32_t> words() const { return words_; }
    uint32_t size() const;
    // Precondition: it is not empty.
    uint32_t first() const;

private:
    static constexpr uint32_t kBits = 32;
    std::vector<uint32_t> words_;
};

class TokenTrie {
public:
    // n_vocab is the model's: ids that the tokenizer does not have are never allowed, nor are control tokens.
    TokenTrie(const tokenizer::Tokenizer& tokenizer, uint32_t n_vocab);

    uint32_t n_vocab() const { return static_cast<uint32_t>(starts_.size() - 1); }
    // What the token adds to a text; empty for one that adds nothing.
    std::string_view bytes(int32_t id) const;
    // The tokens that end generation.
    std::span<const uint32_t> end_ids() const { return end_ids_; }

    // Every token whose bytes can follow `state`, which keeps its meaning but may be renamed.
    TokenSet following(Automaton& automaton, Automaton::State& state) const;

private:
    // In the order of a walk: children come behind their parent, in front of what is not below it.
    struct Node {
        uint32_t behind;    // the first node that is not below this one
        uint32_t first_id;  // in ids_: the tokens that end here, up to the next node's
        uint16_t depth;     // bytes from the root; of the first ones 1
        uint8_t byte;
        uint8_t plain_below;  // bytes to the deepest node below; 0 if there is none or one has a byte that is not plain
    };

    void add_nodes();
    void find_plain();

    std::string bytes_;             // of all tokens, by id
    std::vector<uint32_t> starts_;  // in bytes_, and the end of the last
    std::vector<uint32_t> ids_;     // of tokens with bytes, sorted by these
    std::vector<Node> nodes_;       // and one behind the last
    std::vector<uint32_t> end_ids_;
};

}  // namespace llmd::constraint
