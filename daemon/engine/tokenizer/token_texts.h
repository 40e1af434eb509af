// The vocabulary's token texts as the file spells them, with an index from text to id. They are copied, since the
// pages of the model file are dropped after loading.
// Immutable after create(): may be used from any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model/gguf.h"

namespace llmd::tokenizer {

// A hash index from keys that are stored elsewhere to their positions there. It uses open addressing in one array, at 8
// to 16 bytes an entry; a node-based map of a vocabulary needs five times that. Once it is filled it may be read from
// any thread.
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

class TokenTexts {
public:
    // All texts together have at most this many bytes. The largest known vocabularies have under 4 MiB.
    static constexpr size_t kMaxTotalBytes = 1u << 30;

    // Reads tokenizer.ggml.tokens. ModelLoadFailed when there are none, when two are equal (a text must have one id) or
    // when they exceed kMaxTotalBytes. Empty texts are kept and never found.
    static base::Result<TokenTexts> create(const model::Gguf& gguf);

    size_t size() const { return ends_.size(); }
    // Precondition: 0 <= id < size().
    std::string_view operator[](int32_t id) const;
    // Returns the id of the text, or -1.
    int32_t find(std::string_view text) const;
    // Bytes of the longest text.
    size_t longest() const { return longest_; }

private:
    std::string bytes_;           // all texts, one after the other
    std::vector<uint32_t> ends_;  // by id: where its text ends in bytes_
    SlotTable by_text_;
    size_t longest_ = 0;
};

}  // namespace llmd::tokenizer
