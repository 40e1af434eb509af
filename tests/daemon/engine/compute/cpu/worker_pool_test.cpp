// Every item runs exactly once, on a valid worker, and run() returns only then; also under ThreadSanitizer.
#include "engine/compute/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace llmd::compute {
namespace {

TEST(WorkerPool, RunsEveryItemOnce) {
    for (const uint32_t n_threads : {1u, 2u, 3u, 8u}) {
        auto pool = WorkerPool::create(n_threads);
        ASSERT_TRUE(pool);
        EXPECT_EQ((*pool)->n_threads(), n_threads);
        for (uint32_t loop = 0; loop < 300; ++loop) {
            const uint32_t n_items = loop % 37;
            std::vector<uint32_t> runs(n_items);  // plain: a second writer or an early return would be a race
            (*pool)->run(n_items, [&](uint32_t item, uint32_t worker) {
                ASSERT_LT(worker, n_threads);
                ++runs[item];
            });
            for (const uint32_t n : runs) ASSERT_EQ(n, 1u);
        }
    }
}

// A worker that comes late to a loop meets the next one while its ranges are being filled. What it takes then must be
// run once, and what it takes from another's range must not be lost when its own is filled.
TEST(WorkerPool, ALateWorkerLosesNothingOfTheNextLoop) {
    constexpr uint32_t kLong = 64;
    for (const uint32_t n_threads : {2u, 3u, 8u}) {
        auto pool = WorkerPool::create(n_threads);
        ASSERT_TRUE(pool);
        std::vector<uint32_t> runs(kLong);
        for (uint32_t loop = 0; loop < 20'000; ++loop) {
            const uint32_t n_items = loop % 2 == 0 ? 2 + loop % 3 : kLong;
            std::fill(runs.begin(), runs.end(), 0);
            (*pool)->run(n_items, [&](uint32_t item, uint32_t) { ++runs[item]; });
            for (uint32_t item = 0; item < kLong; ++item) ASSERT_EQ(runs[item], item < n_items ? 1u : 0u);
        }
    }
}

TEST(WorkerPool, RunsRangesOfAtMostSoManyItems) {
    for (const uint32_t n_threads : {1u, 4u}) {
        auto pool = WorkerPool::create(n_threads);
        ASSERT_TRUE(pool);
        for (const uint32_t most : {0u, 1u, 7u, 1000u}) {
            std::vector<uint32_t> runs(100);
            (*pool)->run_ranges(100, most, [&](uint32_t first, uint32_t n, uint32_t) {
                ASSERT_LE(n, std::max(most, 1u));
                ASSERT_GE(n, 1u);
                for (uint32_t item = first; item < first + n; ++item) ++runs[item];
            });
            for (const uint32_t n : runs) EXPECT_EQ(n, 1u);
        }
    }
}

TEST(WorkerPool, AWorkerIsNeverInTwoItemsAtOnce) {
    auto pool = WorkerPool::create(4);
    ASSERT_TRUE(pool);
    std::vector<uint64_t> scratch(4);  // as backends use it: one place a worker, no atomics
    for (int loop = 0; loop < 200; ++loop) {
        (*pool)->run(64, [&](uint32_t item, uint32_t worker) { scratch[worker] += item; });
    }
    uint64_t sum = 0;
    for (const uint64_t s : scratch) sum += s;
    EXPECT_EQ(sum, 200u * (63u * 64u / 2));
}

TEST(WorkerPool, WakesWorkersThatHaveGoneToSleep) {
    auto pool = WorkerPool::create(2);
    ASSERT_TRUE(pool);
    for (int round = 0; round < 20; ++round) {
        // Item 0 waits for item 1, so the loop ends only if a second thread joins, asleep or not.
        std::atomic<bool> other = false;
        (*pool)->run(2, [&](uint32_t, uint32_t) {
            if (!other.exchange(true)) {
                other.wait(true);
            } else {
                other.store(false);
                other.notify_all();
            }
        });
        // Longer than a worker spins, without a clock: sums that the compiler cannot drop.
        volatile uint64_t work = 0;
        for (uint32_t i = 0; i < 1'000'000; ++i) work = work + i;
    }
}

TEST(WorkerPool, StopsWhileWorkersSpinOrSleep) {
    for (int i = 0; i < 50; ++i) {
        auto pool = WorkerPool::create(3);
        ASSERT_TRUE(pool);
        if (i % 2 == 0) (*pool)->run(5, [](uint32_t, uint32_t) {});
    }
}

}  // namespace
}  // namespace llmd::compute
