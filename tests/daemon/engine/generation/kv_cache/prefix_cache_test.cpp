// The tree of cached prefixes: chains are found by their ids and within their scope only, whoever holds a page keeps
// it, and the rest go one by one, the least recently used first.
#include "engine/generation/kv_cache/prefix_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace llmd::generation {
namespace {

using Page = std::array<int32_t, compute::kPageTokens>;

// A page's ids; the last one tells pages apart, so that the whole page must be compared.
Page ids_of(int32_t last) {
    Page ids{};
    ids.back() = last;
    return ids;
}
std::vector<int32_t> text_of(std::initializer_list<int32_t> lasts) {
    std::vector<int32_t> ids;
    for (const int32_t last : lasts) {
        const Page page = ids_of(last);
        ids.insert(ids.end(), page.begin(), page.end());
    }
    return ids;
}
std::optional<uint32_t> below(uint32_t page) {
    return page;
}

TEST(PrefixCache, FindsTheLongestChainOfWholePages) {
    PrefixCache cache(8);
    EXPECT_EQ(cache.enter("a", std::nullopt, ids_of(1), 5), 5u);
    EXPECT_EQ(cache.enter("a", below(5), ids_of(2), 3), 3u);
    EXPECT_EQ(cache.enter("a", below(5), ids_of(9), 4), 4u);
    auto text = text_of({1, 2, 7});
    EXPECT_EQ(cache.find("a", text), (std::vector<uint32_t>{5, 3}));
    EXPECT_EQ(cache.find("a", std::span(text).first(63)), std::vector<uint32_t>{5});
    EXPECT_EQ(cache.find("a", std::span(text).first(31)), std::vector<uint32_t>{});
    EXPECT_EQ(cache.find("a", text_of({2, 1})), std::vector<uint32_t>{}) << "an order of its own";
    EXPECT_EQ(cache.n_pages(), 3u);
}

TEST(PrefixCache, SharesNothingAcrossScopes) {
    PrefixCache cache(8);
    cache.enter("a", std::nullopt, ids_of(1), 0);
    EXPECT_TRUE(cache.find("b", text_of({1})).empty());
    EXPECT_TRUE(cache.find("", text_of({1})).empty());
    EXPECT_EQ(cache.enter("b", std::nullopt, ids_of(1), 1), 1u) << "and keeps a copy for each";
    EXPECT_EQ(cache.find("b", text_of({1})), std::vector<uint32_t>{1});
}

TEST(PrefixCache, KeepsOnePageOfTwoAlike) {
    PrefixCache cache(8);
    EXPECT_EQ(cache.enter("a", std::nullopt, ids_of(1), 0), 0u);
    EXPECT_EQ(cache.enter("a", std::nullopt, ids_of(1), 1), 0u);
    EXPECT_EQ(cache.n_holders(0), 2u);
    EXPECT_FALSE(cache.contains(1));
}

TEST(PrefixCache, GivesUpWhatNobodyHoldsLeavesFirstAndTheOldestOfThese) {
    PrefixCache cache(8);
    cache.enter("a", std::nullopt, ids_of(1), 0);
    cache.enter("a", below(0), ids_of(2), 1);
    cache.enter("a", below(0), ids_of(3), 2);
    cache.enter("a", std::nullopt, ids_of(4), 3);
    EXPECT_EQ(cache.evict(), std::nullopt) << "all of them are held";
    cache.release(0);
    EXPECT_EQ(cache.evict(), std::nullopt) << "others are below it";
    for (const uint32_t page : {2u, 3u, 1u}) cache.release(page);
    cache.hold(2);
    EXPECT_EQ(cache.n_idle(), 3u);
    cache.release(2);  // the youngest now
    EXPECT_EQ(cache.evict(), 3u);
    EXPECT_EQ(cache.evict(), 1u);
    EXPECT_EQ(cache.evict(), 2u);
    EXPECT_EQ(cache.evict(), 0u);
    EXPECT_EQ(cache.evict(), std::nullopt);
    EXPECT_EQ(cache.n_pages(), 0u);
}

TEST(PrefixCache, ForgetsAPageWithAllBelowIt) {
    PrefixCache cache(8);
    cache.enter("a", std::nullopt, ids_of(1), 0);
    cache.enter("a", below(0), ids_of(2), 1);
    cache.enter("a", below(1), ids_of(3), 2);
    cache.enter("a", std::nullopt, ids_of(4), 3);
    cache.hold(1);
    for (const uint32_t page : {2u, 1u, 0u}) cache.release(page);
    EXPECT_EQ(cache.forget(0), (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_TRUE(cache.find("a", text_of({1, 2, 3})).empty());
    EXPECT_EQ(cache.find("a", text_of({4})), std::vector<uint32_t>{3});
    EXPECT_FALSE(cache.contains(1));
    EXPECT_TRUE(cache.release(1)) << "its last holder's";
    EXPECT_EQ(cache.n_idle(), 0u);
    EXPECT_EQ(cache.n_pages(), 1u);
}

// Against a list that is searched from end to end.
TEST(PrefixCache, DoesWhatASlowOneDoes) {
    struct Known {
        std::string scope;
        std::vector<int32_t> lasts;
        uint32_t page;
        uint32_t n_holders;
        uint64_t last_used;
    };
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 chance(seed);
    const auto draw = [&](uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance); };

    constexpr uint32_t kPages = 40;
    PrefixCache cache(kPages);
    std::vector<Known> known;
    std::vector<std::vector<uint32_t>> holders;  // pages of chains, from the top
    std::vector<uint32_t> free;
    for (uint32_t page = 0; page < kPages; ++page) free.push_back(page);
    uint64_t now = 0;
    const auto at = [&](uint32_t page) {
        return std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.page == page; });
    };
    const auto find = [&](const std::string& scope, const std::vector<int32_t>& lasts) {
        return std::find_if(known.begin(), known.end(),
                            [&](const Known& k) { return k.scope == scope && k.lasts == lasts; });
    };
    const auto begins_with = [](const Known& k, const Known& top) {
        return k.scope == top.scope && k.lasts.size() >= top.lasts.size() &&
               std::equal(top.lasts.begin(), top.lasts.end(), k.lasts.begin());
    };
    size_t n_hits = 0, n_evicted = 0;
    for (int round = 0; round < 20000; ++round) {
        const uint32_t what = draw(0, 9);
        if (what < 5 && holders.size() < 8) {
            const std::string scope = draw(0, 1) == 0 ? "a" : "b";
            std::vector<int32_t> lasts(draw(1, 4));
            std::vector<int32_t> text;
            for (int32_t& last : lasts) {
                last = static_cast<int32_t>(draw(0, 2));
                const Page ids = ids_of(last);
                text.insert(text.end(), ids.begin(), ids.end());
            }
            std::vector<uint32_t> path = cache.find(scope, text);
            std::vector<uint32_t> expected;
            for (size_t n = 1; n <= lasts.size(); ++n) {
                const auto one = find(scope, {lasts.begin(), lasts.begin() + static_cast<ptrdiff_t>(n)});
                if (one == known.end()) break;
                expected.push_back(one->page);
            }
            ASSERT_EQ(path, expected);
            n_hits += path.size();
            for (const uint32_t page : path) {
                cache.hold(page);
                ++at(page)->n_holders;
            }
            while (path.size() < lasts.size() && !free.empty()) {
                const auto parent = path.empty() ? std::nullopt : std::optional(path.back());
                const uint32_t page = cache.enter(scope, parent, ids_of(lasts[path.size()]), free.back());
                ASSERT_EQ(page, free.back());
                free.pop_back();
                path.push_back(page);
                known.push_back(
                    {scope, {lasts.begin(), lasts.begin() + static_cast<ptrdiff_t>(path.size())}, page, 1, 0});
            }
            holders.push_back(std::move(path));
        } else if (what < 8 && !holders.empty()) {
            const auto which = holders.begin() + draw(0, static_cast<uint32_t>(holders.size()) - 1);
            for (auto page = which->rbegin(); page != which->rend(); ++page) {
                const auto one = at(*page);
                if (cache.release(*page)) {
                    ASSERT_EQ(one, known.end()) << "it was forgotten";
                    free.push_back(*page);
                } else if (one != known.end() && --one->n_holders == 0) {
                    one->last_used = ++now;
                }
            }
            holders.erase(which);
        } else if (what == 8) {
            const Known* oldest = nullptr;
            for (const Known& one : known) {
                const bool is_leaf = std::none_of(known.begin(), known.end(), [&](const Known& other) {
                    return &other != &one && begins_with(other, one);
                });
                const bool is_older = oldest == nullptr || one.last_used < oldest->last_used;
                if (is_leaf && one.n_holders == 0 && is_older) oldest = &one;
            }
            const auto page = cache.evict();
            ASSERT_EQ(page, oldest == nullptr ? std::nullopt : std::optional(oldest->page));
            if (!page) continue;
            known.erase(at(*page));
            free.push_back(*page);
            ++n_evicted;
        } else if (draw(0, 9) == 0 && !known.empty()) {
            const Known top = known[draw(0, static_cast<uint32_t>(known.size()) - 1)];
            std::vector<uint32_t> below, idle;
            std::erase_if(known, [&](const Known& one) {
                if (begins_with(one, top)) below.push_back(one.page);
                if (begins_with(one, top) && one.n_holders == 0) idle.push_back(one.page);
                return begins_with(one, top);
            });
            auto given = cache.forget(top.page);
            std::sort(given.begin(), given.end());
            std::sort(below.begin(), below.end());
            ASSERT_EQ(given, below);
            free.insert(free.end(), idle.begin(), idle.end());
        }
        ASSERT_EQ(cache.n_pages(), known.size());
        ASSERT_EQ(cache.n_idle(),
                  std::count_if(known.begin(), known.end(), [](const Known& k) { return k.n_holders == 0; }));
    }
    EXPECT_GT(n_hits, 100u);
    EXPECT_GT(n_evicted, 100u);
}

}  // namespace
}  // namespace llmd::generation
