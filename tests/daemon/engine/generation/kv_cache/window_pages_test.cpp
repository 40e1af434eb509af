// Slots hold what their windows see and never run short of what they reserved; a text goes on only from a border whose
// windowed pages are all there, and the borders that come again are kept longest.
#include "engine/generation/kv_cache/window_pages.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace llmd::generation {
namespace {

using compute::kPageTokens;

std::vector<uint32_t> nodes(uint32_t first, uint32_t n) {
    std::vector<uint32_t> chain(n);
    std::iota(chain.begin(), chain.end(), first);
    return chain;
}

TEST(WindowPages, CountsWhatRowsSee) {
    for (const uint32_t window : {1u, 2u, 32u, 33u, 48u, 512u}) {
        for (const uint32_t n : {0u, 1u, 2u, 17u}) {
            const uint32_t position = n * kPageTokens;
            const uint32_t first = position + 1 < window ? 0 : position + 1 - window;
            EXPECT_EQ(WindowPages::first_seen(window, n), first / kPageTokens) << window << ", " << n;
        }
        for (const uint32_t rows : {1u, 7u, 128u}) {
            std::set<uint32_t> counts;
            for (uint32_t begin = 0; begin < 2000; ++begin) {
                const uint32_t first = begin + 1 < window ? 0 : begin + 1 - window;
                counts.insert((begin + rows - 1) / kPageTokens - first / kPageTokens + 1);
            }
            EXPECT_LE(*counts.rbegin(), WindowPages::most_held(window, rows, 2000)) << window << ", " << rows;
            EXPECT_GE(*counts.rbegin() + 1, WindowPages::most_held(window, rows, 2000)) << window << ", " << rows;
        }
    }
    EXPECT_EQ(WindowPages::most_held(512, 128, 40), 2u) << "not more than the text has";
}

class WindowPagesTest : public testing::Test {
protected:
    // A text of n pages is computed in slot 0, 32 rows at a time, and enters the cache as nodes first, first + 1, …
    void compute(uint32_t n, uint32_t first_node, uint32_t n_prompt = 0) {
        pages_.open(0, n * kPageTokens, {}, n_prompt, 0);
        for (uint32_t i = 0; i < n; ++i) {
            pages_.cover(0, i * kPageTokens, (i + 1) * kPageTokens);
            pages_.attach(0, i, first_node + i);
        }
        pages_.close(0);
    }

    // The position behind a border sees three pages.
    WindowPages pages_{{.window = 70, .n_pages = 12, .max_rows = 32}, 2, 64};
};

TEST_F(WindowPagesTest, AreHeldWhileTheyAreSeen) {
    pages_.open(0, 640, {}, 0, 0);
    EXPECT_TRUE(pages_.cover(0, 0, 20));
    EXPECT_FALSE(pages_.cover(0, 20, 32)) << "the same page";
    for (uint32_t begin = 32; begin < 640; begin += 32) {
        EXPECT_TRUE(pages_.cover(0, begin, begin + 32));
        EXPECT_EQ(pages_.first(0), model::first_seen(begin, 70) / kPageTokens);
        EXPECT_EQ(pages_.first(0) + pages_.pages(0).size(), begin / kPageTokens + 1);
        EXPECT_LE(pages_.pages(0).size(), pages_.n_reserved(0));
    }
    EXPECT_TRUE(pages_.fits(640));
    pages_.open(1, 640, {}, 0, 0);
    EXPECT_EQ(pages_.fits(640), pages_.n_reserved(0) + pages_.n_reserved(1) + 5 <= 12);
    pages_.close(0);
    pages_.close(1);
    EXPECT_EQ(pages_.free_pages().size(), 12u) << "none is lost";
}

TEST_F(WindowPagesTest, AreThereForWhoGoesOnFromTheEnd) {
    compute(6, 10);
    EXPECT_EQ(pages_.longest(nodes(10, 6)), 6u);
    pages_.open(0, 320, nodes(10, 6), 6, 6);
    EXPECT_EQ(pages_.first(0), 3u);
    EXPECT_EQ(pages_.pages(0)[2], *pages_.of_node(15));
    EXPECT_TRUE(pages_.cover(0, 192, 200)) << "the backend does not know them yet";
    pages_.close(0);
    pages_.drop_node(14);
    EXPECT_EQ(pages_.longest(nodes(10, 6)), 4u) << "the pages before the gap, of which none was needed meanwhile";
    EXPECT_EQ(pages_.longest(nodes(10, 2)), 2u);
    pages_.drop_node(10);
    EXPECT_EQ(pages_.longest(nodes(10, 2)), 0u) << "a whole beginning is seen";
}

TEST_F(WindowPagesTest, AreGivenAwayWhereNoTextIsLikelyToGoOn) {
    compute(8, 10, 4);  // four of its pages are the prompt
    pages_.open(0, 640, {}, 0, 0);
    for (uint32_t i = 0; i < 4; ++i) pages_.cover(0, 0, (i + 1) * kPageTokens);
    EXPECT_TRUE(pages_.of_node(10)) << "there were four free ones";
    pages_.close(0);
    auto all = pages_.borrow(3);
    ASSERT_TRUE(all);
    auto more = pages_.borrow(2);
    ASSERT_TRUE(more);
    EXPECT_FALSE(pages_.of_node(10)) << "behind no border";
    EXPECT_EQ(pages_.longest(nodes(10, 4)), 4u);
    EXPECT_EQ(pages_.longest(nodes(10, 8)), 8u);
    pages_.give_back(*all);
    pages_.give_back(*more);
}

TEST_F(WindowPagesTest, OfABranchAreKeptUntilTheyAreKnownToBeSound) {
    pages_.open(0, 320, {}, 8, 4);
    for (uint32_t i = 0; i < 8; ++i) pages_.cover(0, i * kPageTokens, (i + 1) * kPageTokens);
    for (uint32_t i = 0; i < 8; ++i) pages_.attach(0, i, 20 + i);
    EXPECT_EQ(pages_.longest(nodes(20, 4)), 4u);
    EXPECT_EQ(pages_.longest(nodes(20, 8)), 8u);
    EXPECT_FALSE(pages_.of_node(20));
    pages_.close(0);
    for (uint32_t i = 0; i < 8; ++i) pages_.drop_node(20 + i);
    EXPECT_EQ(pages_.free_pages().size(), 12u);
}

TEST_F(WindowPagesTest, FilledFromElsewhereAreTheSlots) {
    compute(3, 10);
    pages_.open(0, 320, nodes(10, 2), 2, 2);
    auto borrowed = pages_.borrow(7);
    ASSERT_TRUE(borrowed);
    EXPECT_EQ(borrowed->size(), 3u);
    const auto numbers = *borrowed;
    pages_.replace(0, 7, *std::move(borrowed));
    EXPECT_EQ(pages_.first(0), 4u);
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), pages_.pages(0).begin(), pages_.pages(0).end()));
    EXPECT_TRUE(pages_.cover(0, 224, 225));
    EXPECT_EQ(pages_.longest(nodes(10, 2)), 2u) << "what it held is in the cache still";
    EXPECT_FALSE(pages_.borrow(11) && pages_.borrow(11) && pages_.borrow(11)) << "there are not so many";
}

}  // namespace
}  // namespace llmd::generation
