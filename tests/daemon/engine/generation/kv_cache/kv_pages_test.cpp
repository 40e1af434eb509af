#include "engine/generation/kv_cache/kv_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <tuple>

#include "engine/compute/cpu/cpu_memory.h"

namespace llmd::generation {
namespace {

model::DecoderSpec small_spec() {
    model::DecoderSpec spec;
    spec.layers.assign(4, {.n_heads = 2, .n_kv_heads = 2, .head_dim = 64});
    return spec;
}

// 32 positions * 4 layers * (key and value) * 128 elements * 2 bytes.
constexpr uint64_t kPageBytes = 32 * 4 * 2 * 128 * 2;

// Plans for four sequences of 1,000 tokens.
base::Result<uint32_t> plan(uint64_t weight_bytes, const compute::DeviceMemory& memory) {
    compute::BackendLimits limits{.n_ctx = 1000};
    const auto planned = plan_kv_pages(small_spec(), 4, weight_bytes, memory, limits);
    if (!planned) return planned.error();
    return limits.n_pages;
}

TEST(KvPages, AreCountedInWhole) {
    EXPECT_EQ(pages_for(0), 0u);
    EXPECT_EQ(pages_for(1), 1u);
    EXPECT_EQ(pages_for(32), 1u);
    EXPECT_EQ(pages_for(33), 2u);
}

TEST(PlanKvPages, GivesEverySlotAWholeContextWhereMemoryIsPlenty) {
    const auto n = plan(1 << 20, {.available_bytes = uint64_t{1} << 40});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 4 * 32u);
}

TEST(PlanKvPages, TakesHalfOfWhatTheWeightsLeave) {
    const uint64_t weights = 10 << 20;
    const uint64_t available = weights + kMemoryHeadroomBytes + 2 * 50 * kPageBytes;
    const auto n = plan(weights, {.available_bytes = available});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 50u);
}

TEST(PlanKvPages, NeverGivesLessThanOneSequence) {
    const uint64_t weights = 10 << 20;
    const uint64_t available = weights + kMemoryHeadroomBytes + 32 * kPageBytes;
    const auto n = plan(weights, {.available_bytes = available});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 32u);
    EXPECT_FALSE(plan(weights, {.available_bytes = available - 1}));
}

TEST(PlanKvPages, GivesOneSequenceWhereMemoryIsScarce) {
    const auto n = plan(1 << 20, {.available_bytes = uint64_t{1} << 40, .is_scarce = true});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 32u);
}

TEST(PlanKvPages, PutsALayersPagesIntoOneBuffer) {
    const uint64_t of_layer = kPageBytes / small_spec().n_layers();
    compute::DeviceMemory memory{.available_bytes = uint64_t{1} << 40, .max_buffer_bytes = 50 * of_layer};
    const auto n = plan(1 << 20, memory);
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 50u);
    memory.max_buffer_bytes = 32 * of_layer;
    EXPECT_TRUE(plan(1 << 20, memory));
    memory.max_buffer_bytes -= 1;
    const auto none = plan(1 << 20, memory);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(none.error().message.find(std::to_string(memory.max_buffer_bytes)), std::string::npos);
}

TEST(PlanKvPages, NamesBothSizesWhenTheModelDoesNotFit) {
    const auto n = plan(uint64_t{1} << 50, {.available_bytes = 123456});
    ASSERT_FALSE(n);
    EXPECT_EQ(n.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(n.error().message.find("1125899906842624"), std::string::npos) << n.error().message;
    EXPECT_NE(n.error().message.find("123456"), std::string::npos) << n.error().message;
    EXPECT_FALSE(plan(~uint64_t{0}, {.available_bytes = 123456}));
}

// 3 of 4 layers have a window of 256: 13 of 32 pages, and 8 behind a border.
TEST(PlanKvPages, GivesLayersWithAWindowWhatItSees) {
    model::DecoderSpec spec = small_spec();
    for (const uint32_t layer : {0u, 1u, 3u}) spec.layers[layer].window = 256;
    compute::BackendLimits limits{.n_ctx = 1024, .max_rows = 128};
    ASSERT_TRUE(plan_kv_pages(spec, 4, 1 << 20, {.available_bytes = uint64_t{1} << 40}, limits));
    EXPECT_EQ(limits.window, 256u);
    EXPECT_EQ(limits.n_pages, 4 * 32u);
    EXPECT_EQ(limits.n_window_pages, 4 * (13 + 8u));
    const uint64_t least = 32 * kPageBytes / 4 + 13 * kPageBytes / 4 * 3;
    const compute::DeviceMemory scarce{.available_bytes = (1 << 20) + kMemoryHeadroomBytes + least, .is_scarce = true};
    ASSERT_TRUE(plan_kv_pages(spec, 4, 1 << 20, scarce, limits));
    EXPECT_EQ(limits.n_pages, 32u);
    EXPECT_EQ(limits.n_window_pages, 13u);
    limits.n_ctx = 256;
    ASSERT_TRUE(plan_kv_pages(spec, 4, 1 << 20, scarce, limits));
    EXPECT_EQ(limits.window, 0u) << "it sees the whole context";
    spec.layers[2].window = 100;
    limits.n_ctx = 1024;
    ASSERT_TRUE(plan_kv_pages(spec, 4, 1 << 20, {.available_bytes = uint64_t{1} << 40}, limits));
    EXPECT_EQ(limits.window, 256u) << "it saves more";
}

// The plan is one for four sequences of 1,000 tokens, 10 MiB of weights, and as much for the rest.
constexpr uint64_t kBoundWeights = 10 << 20;
base::Result<uint32_t> plan_bounded(uint64_t for_pages, uint64_t available = uint64_t{1} << 40) {
    compute::BackendLimits limits{.n_ctx = 1000};
    const auto planned = plan_kv_pages(small_spec(), 4, kBoundWeights, {.available_bytes = available}, limits,
                                       MemoryBound{2 * kBoundWeights + for_pages, kBoundWeights});
    if (!planned) return planned.error();
    return limits.n_pages;
}

TEST(PlanKvPagesOfABound, TakesAllThatItLeaves) {
    EXPECT_EQ(*plan_bounded(50 * kPageBytes), 50u);
    EXPECT_EQ(*plan_bounded(51 * kPageBytes - 1), 50u);
    EXPECT_EQ(*plan_bounded(1000 * kPageBytes), 4 * 32u) << "no more than all sequences need";
    const uint64_t available = kBoundWeights + kMemoryHeadroomBytes + 40 * kPageBytes;
    EXPECT_EQ(*plan_bounded(50 * kPageBytes, available), 40u) << "nor than there is";
}

TEST(PlanKvPagesOfABound, IsNoSmallerThanOneSequence) {
    EXPECT_EQ(*plan_bounded(32 * kPageBytes), 32u);
    const auto none = plan_bounded(32 * kPageBytes - 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_EQ(none.error().message,
              "the model needs 10485760 bytes for weights, 2097152 for the cache of one sequence of 1000 tokens and "
              "10485760 to work in; 23068671 bytes are allowed");
    compute::BackendLimits limits{.n_ctx = 1000};
    for (const auto& bound : {MemoryBound{1 << 20, 0}, MemoryBound{64 << 20, ~uint64_t{0}}}) {
        EXPECT_FALSE(
            plan_kv_pages(small_spec(), 4, kBoundWeights, {.available_bytes = uint64_t{1} << 40}, limits, bound));
    }
}

// As in GivesLayersWithAWindowWhatItSees. Where a border of the prefix cache does not fit, sequences still do.
TEST(PlanKvPagesOfABound, HoldsWindowedPagesToo) {
    model::DecoderSpec spec = small_spec();
    for (const uint32_t layer : {0u, 1u, 3u}) spec.layers[layer].window = 256;
    const uint64_t sequence = 32 * kPageBytes / 4 + 13 * kPageBytes / 4 * 3;
    const uint64_t border = 8 * kPageBytes / 4 * 3;
    for (const auto& [for_pages, n_pages, n_window_pages] :
         {std::tuple(sequence, 32u, 13u), std::tuple(sequence + border - 1, 42u, 17u),
          std::tuple(sequence + border, 32u, 21u), std::tuple(2 * (sequence + border), 64u, 42u)}) {
        compute::BackendLimits limits{.n_ctx = 1024, .max_rows = 128};
        ASSERT_TRUE(plan_kv_pages(spec, 4, kBoundWeights, {.available_bytes = uint64_t{1} << 40}, limits,
                                  MemoryBound{2 * kBoundWeights + for_pages, kBoundWeights}));
        EXPECT_EQ(limits.n_pages, n_pages);
        EXPECT_EQ(limits.n_window_pages, n_window_pages);
    }
}

// One sequence takes so much of the pages that plan_kv_pages() sets, without those of the prefix cache and with them.
TEST(ContextMemory, IsWhatThePagesOfTheCpuTake) {
    model::DecoderSpec spec = small_spec();
    const compute::BackendLimits small{.n_ctx = 64, .max_rows = 128};
    EXPECT_EQ(context_memory(spec, small).bytes_per_token * compute::kPageTokens, kPageBytes);
    spec.layers[1].head_dim = 20;  // no whole vectors
    spec.layers[2] = {.mixer = model::Mixer::Convolution, .n_heads = 1, .n_kv_heads = 1, .head_dim = 72, .window = 3};
    spec.layers[3].window = 64;
    for (const uint32_t n_ctx : {64u, 512u, 8192u}) {
        for (const bool is_scarce : {false, true}) {
            compute::BackendLimits limits{.n_ctx = n_ctx, .max_rows = 128};
            const ContextMemory memory = context_memory(spec, limits);
            ASSERT_TRUE(plan_kv_pages(spec, 1, 0, {.available_bytes = 1u << 30, .is_scarce = is_scarce}, limits));
            const auto kv = compute::KvStore::allocate(spec, limits);
            ASSERT_TRUE(kv) << kv.error().message;
            const uint32_t kept = memory.window_tokens + (is_scarce ? 0 : memory.border_tokens);
            EXPECT_EQ(memory.bytes_per_token * n_ctx + memory.window_bytes_per_token * std::min(kept, n_ctx),
                      kv->size_bytes())
                << n_ctx << (is_scarce ? " scarce" : "");
            EXPECT_EQ(memory.window_tokens != 0, n_ctx > 64);
        }
    }
}

const std::string kNobody;
const KvPages::Text kNothing{kNobody, {}};

TEST(KvPages, GivesNoPageTwiceAndTakesAllBack) {
    KvPages pages(10, 3);
    const auto a = pages.open(100, kNothing);  // 4 pages
    const auto b = pages.open(32, kNothing);   // 1 page
    ASSERT_TRUE(a && b);
    EXPECT_NE(*a, *b);
    EXPECT_FALSE(pages.fits(6 * 32));
    const auto c = pages.open(5 * 32, kNothing);
    ASSERT_TRUE(c);
    std::set<uint32_t> seen;
    for (const uint32_t slot : {*a, *b, *c}) seen.insert(pages.pages(slot).begin(), pages.pages(slot).end());
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_LT(*seen.rbegin(), 10u);
    EXPECT_FALSE(pages.open(1, kNothing));
    for (const uint32_t slot : {*a, *b, *c}) pages.close(slot);
    EXPECT_TRUE(pages.open(320, kNothing));
}

TEST(KvPages, RunsOutOfSlotsToo) {
    KvPages pages(10, 1);
    ASSERT_TRUE(pages.open(1, kNothing));
    EXPECT_FALSE(pages.open(1, kNothing));
    EXPECT_FALSE(pages.fits_without({}, 1));
    EXPECT_TRUE(pages.fits_without(std::vector<uint32_t>{0}, 320));
}

class SharedPages : public testing::Test {
protected:
    KvPages::Text text(size_t n, size_t from = 0) const { return {scope_, std::span(ids_).subspan(from, n)}; }
    // The pages that a new sequence of this text gets from the cache.
    uint32_t n_found(const KvPages::Text& text) {
        const auto slot = pages_.open(static_cast<uint32_t>(text.ids.size()) + 1, text);
        EXPECT_TRUE(slot);
        const uint32_t n = pages_.n_cached(*slot);
        pages_.close(*slot);
        return n;
    }

    std::string scope_ = "app";
    std::vector<int32_t> ids_ = [] {
        std::vector<int32_t> ids(1000);
        for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
        return ids;
    }();
    KvPages pages_{10, 4};
};

TEST_F(SharedPages, AreThoseThatAreFull) {
    const uint32_t slot = *pages_.open(100, text(70));
    EXPECT_EQ(pages_.n_cached(slot), 0u);
    pages_.enter(slot, text(31));
    EXPECT_EQ(n_found(text(100)), 0u);
    pages_.enter(slot, text(70));
    EXPECT_EQ(n_found(text(100)), 2u) << "while the first one still goes on";
    pages_.close(slot);
    EXPECT_EQ(n_found(text(100)), 2u);
    EXPECT_EQ(n_found(text(65)), 2u);
    EXPECT_EQ(n_found(text(64)), 1u) << "the last token is always computed";
    EXPECT_EQ(n_found(text(33)), 1u);
    EXPECT_EQ(n_found(text(32)), 0u);
    EXPECT_EQ(n_found(text(70, 1)), 0u);
    const std::string other = "another app";
    EXPECT_EQ(n_found({other, text(70).ids}), 0u);
    EXPECT_EQ(n_found({kNobody, text(70).ids}), 0u);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 0, .cached = 2, .total = 10}));
}

TEST_F(SharedPages, FilledFromElsewhereAreTheCachesToo) {
    const uint32_t slot = *pages_.open(128, text(100));
    pages_.take(slot, text(64));
    EXPECT_EQ(pages_.n_cached(slot), 2u);
    EXPECT_EQ(pages_.find(compute::KvPool::Full, text(32)), pages_.pages(slot)[0]);
    EXPECT_EQ(pages_.find(compute::KvPool::Full, text(64)), pages_.pages(slot)[1]);
    EXPECT_FALSE(pages_.find(compute::KvPool::Full, text(96))) << "nothing is in it";
    EXPECT_FALSE(pages_.find(compute::KvPool::Full, text(0)));
    EXPECT_FALSE(pages_.find(compute::KvPool::Full, {kNobody, text(32).ids}));
    pages_.enter(slot, text(100));
    EXPECT_EQ(pages_.find(compute::KvPool::Full, text(96)), pages_.pages(slot)[2]);
    pages_.close(slot);
    EXPECT_EQ(n_found(text(100)), 3u);
    pages_.drop_idle();
    EXPECT_EQ(pages_.free_pages(compute::KvPool::Full).size(), 10u) << "all hold nothing now";
    EXPECT_FALSE(pages_.find(compute::KvPool::Full, text(32)));
}

TEST_F(SharedPages, OfNobodyAreNotKept) {
    const uint32_t slot = *pages_.open(100, {kNobody, text(70).ids});
    pages_.enter(slot, {kNobody, text(70).ids});
    pages_.close(slot);
    EXPECT_EQ(pages_.counts().cached, 0u);
}

TEST_F(SharedPages, AreTheSamePagesAndCountOnce) {
    const uint32_t a = *pages_.open(128, text(100));
    pages_.enter(a, text(100));
    const uint32_t b = *pages_.open(160, text(120));
    EXPECT_EQ(pages_.n_cached(b), 3u);
    EXPECT_TRUE(std::equal(pages_.pages(a).begin(), pages_.pages(a).begin() + 3, pages_.pages(b).begin()));
    EXPECT_NE(pages_.pages(a)[3], pages_.pages(b)[3]);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 6, .cached = 0, .total = 10}));
    EXPECT_TRUE(pages_.fits_without(std::vector<uint32_t>{a}, 5 * 32)) << "one page is a's alone";
    EXPECT_FALSE(pages_.fits_without(std::vector<uint32_t>{a}, 6 * 32));
    EXPECT_TRUE(pages_.fits_without(std::vector<uint32_t>{a, b}, 10 * 32));
    pages_.close(a);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 5, .cached = 0, .total = 10}));
    pages_.close(b);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 0, .cached = 3, .total = 10}));
}

TEST_F(SharedPages, NeverMakeAnybodyWait) {
    const uint32_t a = *pages_.open(320, text(300));
    pages_.enter(a, text(300));
    pages_.close(a);
    EXPECT_EQ(pages_.counts().cached, 9u);
    EXPECT_TRUE(pages_.fits(320));
    const auto b = pages_.open(320, text(200, 500));
    ASSERT_TRUE(b) << "all of the cache goes";
    EXPECT_EQ(std::set<uint32_t>(pages_.pages(*b).begin(), pages_.pages(*b).end()).size(), 10u);
    pages_.close(*b);
    EXPECT_EQ(n_found(text(300)), 0u);
}

TEST_F(SharedPages, OfTheOneThatStartsAreNotWhatMakesRoomForIt) {
    const uint32_t a = *pages_.open(320, text(300));
    pages_.enter(a, text(300));
    pages_.close(a);
    const auto b = pages_.open(320, text(100));
    ASSERT_TRUE(b);
    EXPECT_EQ(pages_.n_cached(*b), 3u);
    EXPECT_EQ(std::set<uint32_t>(pages_.pages(*b).begin(), pages_.pages(*b).end()).size(), 10u);
}

TEST_F(SharedPages, AreKeptOnceOfTwoThatComputedThemBeside) {
    const uint32_t a = *pages_.open(64, text(64));
    const uint32_t b = *pages_.open(96, text(64));
    pages_.enter(a, text(64));
    pages_.enter(b, text(96));
    EXPECT_EQ(pages_.counts().used, 5u);
    pages_.close(a);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 5, .cached = 0, .total = 10})) << "b goes on behind a's";
    pages_.close(b);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 0, .cached = 3, .total = 10}));
    EXPECT_EQ(n_found(text(97)), 3u);
}

TEST_F(SharedPages, AreForgottenWithAllThatContinuesThemButNotTakenFromAnybody) {
    const uint32_t a = *pages_.open(96, text(90));
    pages_.enter(a, text(96));
    const uint32_t b = *pages_.open(160, text(120));
    pages_.enter(b, text(128));
    pages_.forget(a);
    EXPECT_EQ(n_found(text(120)), 0u);
    pages_.enter(b, text(160));
    EXPECT_EQ(n_found(text(150)), 0u) << "b's further pages continue what is wrong";
    pages_.close(a);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 5, .cached = 0, .total = 10}));
    pages_.close(b);
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 0, .cached = 0, .total = 10}));
}

TEST_F(SharedPages, AreDroppedOnDemandButForThoseInUse) {
    const uint32_t a = *pages_.open(96, text(90));
    pages_.enter(a, text(96));
    const uint32_t b = *pages_.open(160, text(33));
    pages_.close(a);
    pages_.drop_idle();
    EXPECT_EQ(pages_.counts(), (KvPages::Counts{.used = 5, .cached = 0, .total = 10}));
    pages_.close(b);
    EXPECT_EQ(n_found(text(90)), 1u);
}

// Records the contents of each page: a sequence that gets a page from the cache must find its own text in it, and no
// sequence writes to a page that another one uses.
TEST(KvPagesSimulation, NoPageIsWrongTakenTwiceOrLost) {
    struct Running {
        uint32_t slot;
        std::string scope;
        std::vector<int32_t> ids;  // computed
    };
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 chance(seed);
    const auto draw = [&](uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance); };
    constexpr uint32_t kPages = 24;
    KvPages pages(kPages, 5);
    std::vector<Running> running;
    std::vector<std::pair<std::string, std::vector<int32_t>>> contents(kPages);  // scope, and all ids to the page's end
    uint32_t n_cached = 0;
    for (int round = 0; round < 5000; ++round) {
        const uint32_t what = draw(0, 9);
        if (what < 5) {
            std::vector<int32_t> ids;
            for (uint32_t n = draw(1, 6), i = 0; i < n; ++i)
                ids.insert(ids.end(), 32, static_cast<int32_t>(draw(0, 1)));
            ids.resize(ids.size() - draw(0, 31));
            const std::string scope = std::array{"", "a", "b"}[draw(0, 2)];
            const auto n_tokens = static_cast<uint32_t>(ids.size()) + draw(1, 64);
            const bool fits = pages.fits(n_tokens);
            const auto slot = pages.open(n_tokens, {scope, ids});
            ASSERT_EQ(fits, slot.has_value());
            if (!slot) continue;
            const auto table = pages.pages(*slot);
            ASSERT_EQ(table.size(), pages_for(n_tokens));
            ASSERT_EQ(std::set<uint32_t>(table.begin(), table.end()).size(), table.size());
            ASSERT_LT(pages.n_cached(*slot) * 32, ids.size());
            n_cached += pages.n_cached(*slot);
            for (uint32_t i = 0; i < table.size(); ++i) {
                if (i < pages.n_cached(*slot)) {
                    const std::vector<int32_t> expected(ids.begin(), ids.begin() + 32 * (i + 1));
                    ASSERT_EQ(contents[table[i]], std::pair(scope, expected));
                    continue;
                }
                for (const Running& other : running) {
                    const auto theirs = pages.pages(other.slot);
                    ASSERT_EQ(std::count(theirs.begin(), theirs.end(), table[i]), 0) << "it is in use";
                }
                const size_t end = std::min<size_t>(32 * (i + 1), ids.size());
                contents[table[i]] = {scope, {ids.begin(), ids.begin() + static_cast<ptrdiff_t>(end)}};
            }
            running.push_back({*slot, scope, std::move(ids)});
        } else if (what < 8 && !running.empty()) {
            const Running& one = running[draw(0, static_cast<uint32_t>(running.size()) - 1)];
            pages.enter(one.slot, {one.scope, one.ids});
            if (what == 7 && draw(0, 9) == 0) pages.forget(one.slot);
        } else if (!running.empty()) {
            std::vector<uint32_t> slots;
            for (const Running& one : running) slots.push_back(one.slot);
            std::shuffle(slots.begin(), slots.end(), chance);
            slots.resize(draw(1, static_cast<uint32_t>(slots.size())));
            const uint32_t n_tokens = draw(1, kPages * 32);
            const bool would_fit = pages.fits_without(slots, n_tokens);
            for (const uint32_t slot : slots) pages.close(slot);
            ASSERT_EQ(pages.fits(n_tokens), would_fit);
            std::erase_if(running,
                          [&](const Running& one) { return std::count(slots.begin(), slots.end(), one.slot); });
        }
        if (running.empty()) {
            ASSERT_EQ(pages.counts().used, 0u) << "none is lost";
        }
    }
    EXPECT_GT(n_cached, 500u);
}

}  // namespace
}  // namespace llmd::generation
