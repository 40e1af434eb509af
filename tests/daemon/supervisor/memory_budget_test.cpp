// The budget leaves the reserve, estimates are bounded, and no size from a file wraps around.
#include "supervisor/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace llmd::supervisor {
namespace {

constexpr uint64_t kMib = 1u << 20;
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST(AvailableBytes, AreTheKernelsFigure) {
    EXPECT_EQ(available_bytes("MemTotal:        1915932 kB\nMemFree:          103640 kB\nMemAvailable:     921600 kB\n"
                              "Buffers:           31408 kB\n"),
              921'600u * 1024);
    EXPECT_EQ(available_bytes("MemAvailable: 1 kB"), 1024u) << "the last line need not end";
}

TEST(AvailableBytes, AreUnknownWhereTheKernelDoesNotSaySo) {
    for (const char* text : {"", "\n", "MemTotal: 5 kB\n", "MemAvailable:\n", "MemAvailable: kB\n", "MemAvailable: 5\n",
                             "MemAvailable: -5 kB\n", "MemAvailable: 5x kB\n", "MemAvailable: 5 6 kB\n",
                             "XMemAvailable: 5 kB\n", "MemAvailable: 99999999999999999999 kB\n"}) {
        EXPECT_EQ(available_bytes(text), std::nullopt) << text;
    }
    EXPECT_EQ(available_bytes("MemAvailable: 18446744073709551615 kB"), kMost);
}

TEST(MemoryBudget, IsWhatThereIsLessTheReserve) {
    EXPECT_EQ(memory_budget(0, kReserveBytes + 500 * kMib, 0), 500 * kMib);
    EXPECT_EQ(memory_budget(0, kReserveBytes, 300 * kMib), 300 * kMib) << "what engines have comes back";
    EXPECT_EQ(memory_budget(0, 100 * kMib, 0), 0u);
    EXPECT_EQ(memory_budget(0, std::nullopt, 300 * kMib), 300 * kMib) << "nothing beside what is there";
    EXPECT_EQ(memory_budget(0, kMost, kMost), kMost - kReserveBytes);
}

TEST(MemoryBudget, IsWhatTheSettingsSay) {
    EXPECT_EQ(memory_budget(700, 100 * kMib, 50 * kMib), 700 * kMib);
    EXPECT_EQ(memory_budget(700, std::nullopt, 0), 700 * kMib);
    EXPECT_EQ(memory_budget(1'048'576, std::nullopt, 0), 1'048'576 * kMib) << "more than 32 bits of bytes";
}

TEST(EstimatedBytes, AreWeightsPagesAndOverhead) {
    const EngineSize size{
        .weight_bytes = 400 * kMib, .context = {.kv_bytes_per_token = 1024}, .n_ctx = 4096, .n_slots = 4};
    EXPECT_EQ(estimated_bytes(size, kMost), 400 * kMib + kOverheadBytes + 16 * kMib);
    EXPECT_EQ(estimated_bytes(size, 400 * kMib + kOverheadBytes + 20 * kMib), 400 * kMib + kOverheadBytes + 10 * kMib)
        << "half of what is left";
    EXPECT_EQ(estimated_bytes(size, 0), 400 * kMib + kOverheadBytes + 4 * kMib) << "a context at least";
}

TEST(EstimatedBytes, CountWhatWindowsKeep) {
    const ContextSize context{1024, 4096, 512, 256};
    EXPECT_EQ(context_bytes(context, 4096), 4 * kMib + 2 * kMib);
    EXPECT_EQ(context_bytes(context, 100), 100u * (1024 + 4096)) << "less than the windows see";
    EXPECT_EQ(estimated_bytes({0, context, 4096, 2}, kMost), kOverheadBytes + 2 * (4 * kMib + 3 * kMib))
        << "with the prefix cache";
}

TEST(EstimatedBytes, DoNotWrapAround) {
    const auto of_tokens = [](uint64_t bytes) { return ContextSize{.kv_bytes_per_token = bytes}; };
    EXPECT_EQ(estimated_bytes({kMost, {kMost, kMost, UINT32_MAX, UINT32_MAX}, UINT32_MAX, UINT32_MAX}, kMost), kMost);
    EXPECT_EQ(estimated_bytes({0, of_tokens(kMost / 2), 3, 1}, 0), kMost);
    EXPECT_EQ(estimated_bytes({0, of_tokens(kMost / 4), 3, 2}, kMost / 4), kOverheadBytes + kMost / 4 * 3);
}

}  // namespace
}  // namespace llmd::supervisor
