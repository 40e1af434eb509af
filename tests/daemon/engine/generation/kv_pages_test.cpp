#include "engine/generation/kv_pages.h"

#include <gtest/gtest.h>

#include <set>

namespace llmd::generation {
namespace {

model::ModelConfig small_config() {
    model::ModelConfig config;
    config.n_layers = 4;
    config.n_heads = config.n_kv_heads = 2;
    config.head_dim = 64;
    return config;
}

// 32 positions * 4 layers * (key and value) * 128 elements * 2 bytes.
constexpr uint64_t kPageBytes = 32 * 4 * 2 * 128 * 2;

TEST(KvPages, AreCountedInWhole) {
    EXPECT_EQ(kv_page_bytes(small_config()), kPageBytes);
    EXPECT_EQ(pages_for(0), 0u);
    EXPECT_EQ(pages_for(1), 1u);
    EXPECT_EQ(pages_for(32), 1u);
    EXPECT_EQ(pages_for(33), 2u);
}

TEST(PlanKvPages, GivesEverySlotAWholeContextWhereMemoryIsPlenty) {
    const auto n = plan_kv_pages(small_config(), 1000, 4, 1 << 20, {.available_bytes = uint64_t{1} << 40});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 4 * 32u);
}

TEST(PlanKvPages, TakesHalfOfWhatTheWeightsLeave) {
    const uint64_t weights = 10 << 20;
    const uint64_t available = weights + kMemoryHeadroomBytes + 2 * 50 * kPageBytes;
    const auto n = plan_kv_pages(small_config(), 1000, 4, weights, {.available_bytes = available});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 50u);
}

TEST(PlanKvPages, NeverGivesLessThanOneSequence) {
    const uint64_t weights = 10 << 20;
    const uint64_t available = weights + kMemoryHeadroomBytes + 32 * kPageBytes;
    const auto n = plan_kv_pages(small_config(), 1000, 4, weights, {.available_bytes = available});
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 32u);
    EXPECT_FALSE(plan_kv_pages(small_config(), 1000, 4, weights, {.available_bytes = available - 1}));
}

TEST(PlanKvPages, PutsALayersKeysIntoOneBuffer) {
    const uint64_t of_layer = kPageBytes / small_config().n_layers / 2;
    compute::DeviceMemory memory{.available_bytes = uint64_t{1} << 40, .max_buffer_bytes = 50 * of_layer};
    const auto n = plan_kv_pages(small_config(), 1000, 4, 1 << 20, memory);
    ASSERT_TRUE(n) << n.error().message;
    EXPECT_EQ(*n, 50u);
    memory.max_buffer_bytes = 32 * of_layer;
    EXPECT_TRUE(plan_kv_pages(small_config(), 1000, 4, 1 << 20, memory));
    memory.max_buffer_bytes -= 1;
    const auto none = plan_kv_pages(small_config(), 1000, 4, 1 << 20, memory);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(none.error().message.find(std::to_string(memory.max_buffer_bytes)), std::string::npos);
}

TEST(PlanKvPages, NamesBothSizesWhenTheModelDoesNotFit) {
    const auto n = plan_kv_pages(small_config(), 1000, 4, uint64_t{1} << 50, {.available_bytes = 123456});
    ASSERT_FALSE(n);
    EXPECT_EQ(n.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(n.error().message.find("1125899906842624"), std::string::npos) << n.error().message;
    EXPECT_NE(n.error().message.find("123456"), std::string::npos) << n.error().message;
    EXPECT_FALSE(plan_kv_pages(small_config(), 1000, 4, ~uint64_t{0}, {.available_bytes = 123456}));
}

TEST(KvPages, GivesNoPageTwiceAndTakesAllBack) {
    KvPages pages(10, 3);
    const auto a = pages.open(100);  // 4 pages
    const auto b = pages.open(32);   // 1 page
    ASSERT_TRUE(a && b);
    EXPECT_NE(*a, *b);
    EXPECT_FALSE(pages.fits(6 * 32));
    const auto c = pages.open(5 * 32);
    ASSERT_TRUE(c);
    std::set<uint32_t> seen;
    for (const uint32_t slot : {*a, *b, *c}) seen.insert(pages.pages(slot).begin(), pages.pages(slot).end());
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_LT(*seen.rbegin(), 10u);
    EXPECT_FALSE(pages.open(1));
    for (const uint32_t slot : {*a, *b, *c}) pages.close(slot);
    EXPECT_TRUE(pages.open(320));
}

TEST(KvPages, RunsOutOfSlotsToo) {
    KvPages pages(10, 1);
    ASSERT_TRUE(pages.open(1));
    EXPECT_FALSE(pages.open(1));
}

}  // namespace
}  // namespace llmd::generation
