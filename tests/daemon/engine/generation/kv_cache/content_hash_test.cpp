// Whatever differs in one bit, in its order or in where its parts end has another hash.
#include "engine/generation/kv_cache/content_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace llmd::generation {
namespace {

uint64_t hash_of(std::initializer_list<std::string_view> parts) {
    ContentHash hash;
    for (const auto part : parts) hash.add(part);
    return hash.value();
}

TEST(ContentHash, TellsEveryBitAndEveryLength) {
    std::set<uint64_t> seen;
    size_t n = 0;
    for (size_t size = 0; size <= 100; ++size, ++n) seen.insert(hash_of({std::string(size, '\0')}));
    const std::string text(100, 'x');
    for (size_t bit = 0; bit < 8 * text.size(); ++bit, ++n) {
        std::string other = text;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
        seen.insert(hash_of({other}));
    }
    EXPECT_EQ(seen.size(), n);
}

// Signs of floats are the highest bits of words: two that change must not cancel.
TEST(ContentHash, TwoHighestBitsDoNotCancel) {
    std::set<uint64_t> seen;
    size_t n = 0;
    for (size_t i = 7; i < 256; i += 8) {
        for (size_t k = i + 8; k < 256; k += 8, ++n) {
            std::string text(256, '\0');
            text[i] = text[k] = '\x80';
            seen.insert(hash_of({text}));
        }
    }
    EXPECT_EQ(seen.size(), n);
}

TEST(ContentHash, TellsPartsAndOrder) {
    const std::set<uint64_t> seen = {hash_of({"ab"}),     hash_of({"a", "b"}), hash_of({"", "ab"}),
                                     hash_of({"ab", ""}), hash_of({"b", "a"}), hash_of({})};
    EXPECT_EQ(seen.size(), 6u);
    EXPECT_EQ(hash_of({"a", "b"}), hash_of({"a", "b"}));
}

}  // namespace
}  // namespace llmd::generation
