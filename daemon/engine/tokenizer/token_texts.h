// The vocabulary's token texts as the file spells them, with an index from text to id. They are copied, since the
// pages of the model file are dropped after loading.
// Immutable after create(): may be used from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/slot_table.h"

namespace llmd::tokenizer {

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
