#include "engine/generation/speculation/ngram_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace llmd::generation {
namespace {

// The index must find the longest end, where it came last.
std::optional<NgramIndex::Match> searched(std::span<const int32_t> ids) {
    for (uint32_t n = kLongestNgram; n >= kShortestNgram; --n) {
        for (size_t next = ids.size() - 1; ids.size() > n && next >= n; --next) {
            if (std::equal(ids.end() - n, ids.end(), ids.begin() + static_cast<ptrdiff_t>(next - n))) {
                return NgramIndex::Match{static_cast<uint32_t>(next), n};
            }
        }
    }
    return std::nullopt;
}

TEST(NgramIndex, FindsTheLongestEndWhereItCameLast) {
    std::mt19937 random(1);
    for (const uint32_t n_ids : {2u, 4u, 20u}) {
        std::vector<int32_t> ids;
        NgramIndex index(1u << 14);  // large enough that few n-grams share a place
        uint32_t n_found = 0, n_missed = 0;
        while (ids.size() < 400) {
            for (uint32_t n = 1 + random() % 3; n > 0; --n) ids.push_back(static_cast<int32_t>(random() % n_ids));
            index.extend(ids);
            const auto found = index.find(ids), expected = searched(ids);
            n_missed += expected && (!found || found->next != expected->next || found->length != expected->length);
            n_found += expected ? 1 : 0;
            ASSERT_TRUE(!found || expected);
            if (!found) continue;
            ASSERT_TRUE(std::equal(ids.end() - found->length, ids.end(),
                                   ids.begin() + static_cast<ptrdiff_t>(found->next - found->length)));
        }
        EXPECT_GT(n_found, 50u);
        EXPECT_LE(n_missed, n_found / 8);  // two on one place
    }
}

TEST(NgramIndex, TheEndDoesNotFindItself) {
    const std::vector<int32_t> ids = {1, 2, 3, 4, 5, 6};
    NgramIndex index(100);
    index.extend(ids);
    EXPECT_FALSE(index.find(ids));
    NgramIndex of_nothing(100);
    of_nothing.extend(std::span(ids).first(1));
    EXPECT_FALSE(of_nothing.find(std::span(ids).first(1)));
}

TEST(NgramIndex, ALongTextKeepsWhatCameLast) {
    std::vector<int32_t> ids(3 * kMaxNgrams);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
    NgramIndex index(static_cast<uint32_t>(ids.size() + 10));
    index.extend(ids);
    const auto from = ids.size() - 100;
    for (size_t i = from; i < from + 8; ++i) ids.push_back(static_cast<int32_t>(i));
    index.extend(ids);
    ASSERT_TRUE(index.find(ids));
    EXPECT_EQ(index.find(ids)->next, from + 8);
}

}  // namespace
}  // namespace llmd::generation
