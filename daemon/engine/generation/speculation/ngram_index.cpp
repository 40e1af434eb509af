#include "engine/generation/speculation/ngram_index.h"

#include <algorithm>
#include <bit>

namespace llmd::generation {

void NgramIndex::extend(std::span<const int32_t> ids) {
    if (nexts_.empty()) {
        constexpr size_t kSizes = kLongestNgram - kShortestNgram + 1;
        nexts_.resize(std::min(std::bit_ceil(kSizes * max_tokens_), kMaxNgrams));
    }
    // An n-gram is entered once the token behind it is there, so that the end of the text never finds itself.
    for (; n_indexed_ < ids.size(); ++n_indexed_) {
        const uint32_t longest = std::min(kLongestNgram, n_indexed_);
        for (uint32_t n = kShortestNgram; n <= longest; ++n) {
            nexts_[place(ids.subspan(n_indexed_ - n, n))] = n_indexed_;
        }
    }
}

std::optional<NgramIndex::Match> NgramIndex::find(std::span<const int32_t> ids) const {
    const auto longest = static_cast<uint32_t>(std::min<size_t>(kLongestNgram, ids.size()));
    for (uint32_t n = longest; n >= kShortestNgram; --n) {
        const auto end = ids.last(n);
        const uint32_t next = nexts_[place(end)];
        if (next >= n && std::equal(end.begin(), end.end(), ids.begin() + (next - n))) return Match{next, n};
    }
    return std::nullopt;
}

size_t NgramIndex::place(std::span<const int32_t> ngram) const {
    uint64_t hash = ngram.size();
    for (const int32_t id : ngram) {
        hash = (hash ^ static_cast<uint32_t>(id)) * 0x9e3779b97f4a7c15u;  // Fibonacci hashing, Knuth 6.4
        hash ^= hash >> 32;
    }
    return hash & (nexts_.size() - 1);
}

}  // namespace llmd::generation
