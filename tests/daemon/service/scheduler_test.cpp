// The scheduler keeps the limits and the order, and never mixes models.
#include "service/scheduler.h"

#include <gtest/gtest.h>

namespace llmd::service {
namespace {

constexpr base::TimePoint kNow{};

Ticket ticket(RequestId id, std::string model = "a", std::string client = "") {
    if (client.empty()) client = "client " + std::to_string(id);
    return Ticket{id, std::move(client), std::move(model), Priority::Normal, kNow};
}

Scheduler fifo() {
    return Scheduler(std::make_unique<FifoPolicy>());
}

RequestId start(Scheduler& scheduler, uint32_t n_slots, const std::string& model, bool may_replace = true) {
    const auto next = scheduler.start_next(n_slots, model, may_replace, kNow);
    return next ? next->id : 0;
}

TEST(Scheduler, StartsInOrderUpToTheSlots) {
    Scheduler scheduler = fifo();
    for (RequestId id = 1; id <= 3; ++id) ASSERT_TRUE(scheduler.admit(ticket(id)));
    EXPECT_EQ(start(scheduler, 0, "a"), 0u);
    EXPECT_EQ(start(scheduler, 2, "a"), 1u);
    EXPECT_EQ(start(scheduler, 2, "a"), 2u);
    EXPECT_EQ(start(scheduler, 2, "a"), 0u);
    EXPECT_EQ(scheduler.n_running(), 2u);
    EXPECT_EQ(scheduler.n_waiting(), 1u);
    scheduler.remove(1);
    EXPECT_EQ(start(scheduler, 2, "a"), 3u);
    EXPECT_EQ(start(scheduler, 9, "a"), 0u);
}

TEST(Scheduler, AnotherModelWaitsForRunningOnesAndHoldsLaterArrivals) {
    Scheduler scheduler = fifo();
    ASSERT_TRUE(scheduler.admit(ticket(1, "a")));
    ASSERT_TRUE(scheduler.admit(ticket(2, "b")));
    ASSERT_TRUE(scheduler.admit(ticket(3, "a")));
    EXPECT_EQ(start(scheduler, 4, "a"), 1u);
    EXPECT_EQ(start(scheduler, 4, "a"), 0u);
    scheduler.remove(1);
    EXPECT_EQ(start(scheduler, 4, "a"), 2u);
    EXPECT_EQ(start(scheduler, 4, "b"), 0u);
    scheduler.remove(2);
    EXPECT_EQ(start(scheduler, 4, "b"), 3u);
}

TEST(Scheduler, RefusesTheSeventeenthWaitingRequest) {
    Scheduler scheduler = fifo();
    for (RequestId id = 1; id <= RequestLimits::kMaxQueued; ++id) ASSERT_TRUE(scheduler.admit(ticket(id)));
    const auto refused = scheduler.admit(ticket(100));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::QueueFull);
    EXPECT_EQ(refused.error().message, "16 requests are waiting, at most 16 are allowed");
    EXPECT_EQ(start(scheduler, 1, "a"), 1u);
    EXPECT_TRUE(scheduler.admit(ticket(100)));
}

TEST(Scheduler, RefusesTheFifthRequestOfAClientRunningOnesIncluded) {
    Scheduler scheduler = fifo();
    for (RequestId id = 1; id <= RequestLimits::kMaxPerClient; ++id) {
        ASSERT_TRUE(scheduler.admit(ticket(id, "a", "one")));
    }
    start(scheduler, 1, "a");
    const auto refused = scheduler.admit(ticket(5, "a", "one"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::RateLimited);
    EXPECT_TRUE(scheduler.admit(ticket(6, "a", "two")));
    scheduler.remove(1);
    EXPECT_TRUE(scheduler.admit(ticket(7, "a", "one")));
}

// Last in, first out: positions must come from the policy, not from the order of submission.
class LifoPolicy final : public SchedulingPolicy {
public:
    size_t next(const std::vector<Ticket>& waiting, base::TimePoint) const override { return waiting.size() - 1; }
};

TEST(Scheduler, PositionCountsThoseThatThePolicyPutsAhead) {
    Scheduler first = fifo();
    Scheduler last(std::make_unique<LifoPolicy>());
    for (RequestId id = 1; id <= 3; ++id) {
        ASSERT_TRUE(first.admit(ticket(id)));
        ASSERT_TRUE(last.admit(ticket(id)));
    }
    EXPECT_EQ(first.position(1, kNow), 0u);
    EXPECT_EQ(first.position(3, kNow), 2u);
    EXPECT_EQ(last.position(1, kNow), 2u);
    EXPECT_EQ(last.position(3, kNow), 0u);
    EXPECT_EQ(first.position(4, kNow), std::nullopt);
    EXPECT_EQ(start(last, 1, "a"), 3u);
    EXPECT_EQ(last.position(3, kNow), std::nullopt);
}

TEST(Scheduler, PriorityIsKept) {
    Scheduler scheduler = fifo();
    ASSERT_TRUE(scheduler.admit(ticket(1)));
    scheduler.set_priority(1, Priority::Background);
    scheduler.set_priority(2, Priority::Background);
    EXPECT_EQ(scheduler.start_next(1, "", true, kNow)->priority, Priority::Background);
    scheduler.remove(2);
    EXPECT_EQ(scheduler.n_running(), 1u);
}

TEST(Names, GoThereAndBack) {
    EXPECT_EQ(priority_from_name("background"), Priority::Background);
    EXPECT_EQ(priority_from_name("urgent"), std::nullopt);
    EXPECT_EQ(priority_name(Priority::Interactive), "interactive");
    EXPECT_EQ(request_state_name(RequestState::Paused), "paused");
    EXPECT_EQ(finish_name(Finish::Timeout), "timeout");
}

}  // namespace
}  // namespace llmd::service
