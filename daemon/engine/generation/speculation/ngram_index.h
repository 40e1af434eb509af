// Where the last tokens of a text came before, so that what followed them there can be drafted (prompt look-up,
// Saxena 2023). The last occurrence of every n-gram of 2 to 5 tokens is kept in a hash table of fixed size; an older
// one that falls on the same place is forgotten. Thread-bound, one a sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace llmd::generation {

inline constexpr uint32_t kShortestNgram = 2;  // one token alone comes again too often to say what follows
inline constexpr uint32_t kLongestNgram = 5;
// Entries of a sequence's table: 256 KiB. A text of 16,384 tokens has as many n-grams; of a longer one the old ones
// become fewer.
inline constexpr size_t kMaxNgrams = 1u << 16;

class NgramIndex {
public:
    // For a text of at most so many tokens. Memory is taken by the first extend().
    explicit NgramIndex(uint32_t max_tokens) : max_tokens_(max_tokens) {}

    struct Match {
        uint32_t next = 0;    // the position of the token behind the earlier occurrence
        uint32_t length = 0;  // tokens that agree before it, at most kLongestNgram
    };
    // `ids` is the text so far, which has grown at its end since the last call.
    void extend(std::span<const int32_t> ids);
    // The longest end of the text that came before, where it came last; nothing if none of kShortestNgram did.
    // Precondition: extend(ids).
    std::optional<Match> find(std::span<const int32_t> ids) const;

private:
    size_t place(std::span<const int32_t> ngram) const;

    uint32_t max_tokens_;
    uint32_t n_indexed_ = 0;       // tokens that n-grams have been entered before
    std::vector<uint32_t> nexts_;  // by hash: the position behind an n-gram; 0: none
};

}  // namespace llmd::generation
