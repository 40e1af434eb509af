// The index finds what was inserted and nothing else, also where it is as full as it may be and where hashes are equal.
#include "engine/tokenizer/token_texts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace llmd::tokenizer {
namespace {

void expect_finds_all(const std::vector<uint64_t>& keys, uint64_t hash_mask) {
    SlotTable table;
    table.reset(keys.size());
    const auto find = [&](uint64_t key) {
        return table.find(key & hash_mask, [&](int32_t i) { return keys[static_cast<size_t>(i)] == key; });
    };
    for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(find(keys[i]), -1);
        table.insert(keys[i] & hash_mask, static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(find(keys[i]), static_cast<int32_t>(i));
    for (const uint64_t key : keys) EXPECT_EQ(find(key ^ uint64_t{1} << 63), -1);
}

TEST(SlotTable, FindsWhatWasInserted) {
    for (const size_t n : {0u, 1u, 2u, 3u, 255u, 256u, 257u, 4096u}) {
        std::mt19937_64 bits(n);
        std::vector<uint64_t> keys(n);
        for (uint64_t& key : keys) key = bits() >> 1;
        expect_finds_all(keys, ~uint64_t{0});
    }
}

TEST(SlotTable, TellsKeysOfEqualHashesApart) {
    std::vector<uint64_t> keys(256);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    expect_finds_all(keys, 0);
    expect_finds_all(keys, 7);
}

}  // namespace
}  // namespace llmd::tokenizer
