// A submission is cut where the launches in it would take longer than planned by the last steps' measure; steps in
// flight are told apart.
#include "engine/compute/opencl/runtime/device_queue.h"

#include <gtest/gtest.h>

namespace llmd::test {
namespace {

using compute::SubmitPacer;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr uint64_t kItems = 96 * 64;  // 128 * 64 with what a launch costs
constexpr uint32_t kLaunches = 64;

class Pacer : public testing::Test {
protected:
    // One step, all launches alike; how many submissions it took. It is on its way until a test says that it is done.
    uint32_t submissions_of_step() {
        uint32_t n = 1;
        for (uint32_t i = 0; i < kLaunches; ++i) {
            if (pacer_.must_submit_before(kItems)) {
                pacer_.on_submit(now_);
                ++n;
            }
            pacer_.on_launch(kItems);
        }
        pacer_.on_submit(now_);
        return n;
    }
    uint32_t step(microseconds time) {
        const uint32_t n = submissions_of_step();
        now_ += time;
        pacer_.on_all_done(now_);
        return n;
    }

    SubmitPacer pacer_;
    SubmitPacer::TimePoint now_{};
};

TEST_F(Pacer, SubmitsEachLaunchUntilItKnows) {
    EXPECT_EQ(step(milliseconds(2)), kLaunches);
    EXPECT_EQ(step(milliseconds(2)), 1u);
}

TEST_F(Pacer, CutsAStepIntoPlannedPieces) {
    step(milliseconds(40));
    // 0.625 ms a launch: six fit into 4 ms.
    EXPECT_EQ(step(milliseconds(40)), 11u);
    step(milliseconds(400));
    EXPECT_EQ(step(milliseconds(400)), kLaunches) << "no launch can be cut, but none is joined by another";
}

TEST_F(Pacer, CountsWorkItemsNotLaunches) {
    step(milliseconds(40));
    pacer_.on_launch(40 * kItems);
    EXPECT_TRUE(pacer_.must_submit_before(1));
    pacer_.on_submit(now_);
    EXPECT_FALSE(pacer_.must_submit_before(40 * kItems)) << "nothing is queued";
}

TEST_F(Pacer, BelievesASlowStepAtOnceAndAFastOneSlowly) {
    step(milliseconds(2));
    step(milliseconds(40));
    EXPECT_EQ(step(milliseconds(2)), 11u);
    EXPECT_GT(step(milliseconds(2)), 8u);
    for (int i = 0; i < 100; ++i) step(milliseconds(2));
    EXPECT_EQ(step(milliseconds(2)), 1u);
}

TEST_F(Pacer, TellsStepsInFlightApart) {
    step(milliseconds(2));
    submissions_of_step();
    pacer_.on_step_queued();
    for (int i = 0; i < 100; ++i) {  // the next is queued before the older is done, which takes 40 ms each
        const uint32_t n = submissions_of_step();
        pacer_.on_step_queued();
        if (i > 0) {
            ASSERT_EQ(n, 11u) << i;
        }
        now_ += milliseconds(40);
        pacer_.on_step_done(now_);
    }
}

TEST_F(Pacer, TimeBetweenStepsIsNotCounted) {
    step(milliseconds(2));
    now_ += milliseconds(10'000);
    EXPECT_EQ(step(milliseconds(2)), 1u);
    submissions_of_step();
    pacer_.on_step_queued();
    now_ += milliseconds(2);
    pacer_.on_step_done(now_);
    now_ += milliseconds(10'000);
    step(milliseconds(2));
    EXPECT_EQ(step(milliseconds(2)), 1u);
}

TEST_F(Pacer, LearnsNothingFromAFewLaunches) {
    pacer_.on_launch(1);
    pacer_.on_submit(now_);
    now_ += milliseconds(100);
    pacer_.on_all_done(now_);
    pacer_.on_launch(1);
    EXPECT_TRUE(pacer_.must_submit_before(1)) << "still unknown";
}

}  // namespace
}  // namespace llmd::test
