// A hash index from keys that are stored elsewhere to their positions there. It uses open addressing in one array, at 8
// to 16 bytes an entry; a node-based map of a vocabulary needs five times that. Once it is filled it may be read from
// any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace llmd::tokenizer {

class SlotTable {
public:
    // Forgets everything and makes room for `entries` entries; no more may be inserted.
    void reset(size_t entries) {
        slots_.assign(std::bit_ceil(entries * 2 + 2), kEmpty);
        shift_ = 64 - std::countr_zero(slots_.size());
    }

    // Returns the value that was inserted with this hash and for which `is_match(value)` holds; -1 if there is none.
    template <typename IsMatch>
    int32_t find(uint64_t hash, const IsMatch& is_match) const {
        for (size_t at = home(hash);; at = next(at)) {
            const int32_t value = slots_[at];
            if (value == kEmpty || is_match(value)) return value;
        }
    }

    // Precondition: find() does not find the value's key; value >= 0.
    void insert(uint64_t hash, int32_t value) {
        size_t at = home(hash);
        while (slots_[at] != kEmpty) at = next(at);
        slots_[at] = value;
    }

private:
    static constexpr int32_t kEmpty = -1;

    // Fibonacci hashing (Knuth, TAOCP 6.4): the high bits of the multiplication's result depend on all bits of the
    // hash.
    size_t home(uint64_t hash) const { return static_cast<size_t>(hash * 0x9E3779B97F4A7C15u >> shift_); }
    size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }

    std::vector<int32_t> slots_ = {kEmpty, kEmpty};
    int shift_ = 63;  // 64 - log2(slots_.size())
};

}  // namespace llmd::tokenizer
