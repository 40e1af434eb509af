// The scheduler keeps the limits and the order, and tells engines apart. The invariants are in
// scheduler_simulation_test.cpp.
#include "service/scheduler.h"

#include <gtest/gtest.h>

namespace llmd::service {
namespace {

using std::chrono::milliseconds;
using Ids = std::vector<RequestId>;

class SchedulerTest : public testing::Test {
protected:
    static Ticket ticket(RequestId id, std::string client = "", Priority priority = Priority::Normal,
                         std::string model = "a") {
        if (client.empty()) client = "client " + std::to_string(id);
        return {.id = id,
                .call = id,
                .caller = {.sandboxed = false, .application = {}, .share = client, .name = client},
                .model_path = std::move(model),
                .priority = priority,
                .max_tokens = 100};
    }
    static Ticket of_application(RequestId id, std::string share, std::string client, bool sandboxed = false) {
        Ticket made = ticket(id, std::move(client));
        made.caller.share = std::move(share);
        made.caller.sandboxed = sandboxed;
        return made;
    }
    void admit(RequestId id, std::string client = "", Priority priority = Priority::Normal, std::string model = "a") {
        EXPECT_EQ(refusal({ticket(id, std::move(client), priority, std::move(model))}), "");
    }
    // Why a call is not admitted; empty when it is.
    std::string refusal(std::vector<Ticket> call) {
        const auto admitted = scheduler_.admit(std::move(call));
        return admitted ? "" : admitted.error().message;
    }
    // The answers of one call.
    static std::vector<Ticket> call(RequestId first, size_t n, const std::string& client) {
        std::vector<Ticket> out;
        for (size_t i = 0; i < n; ++i) {
            out.push_back(ticket(first + i, client));
            out.back().call = first;
        }
        return out;
    }
    // With one engine, of model a, or with these.
    Ids starts(uint32_t n_slots = 1) { return starts({{"a", n_slots}}, n_slots); }
    Ids starts(std::vector<EngineSlots> engines, uint32_t max_slots = 16) {
        changes_ = scheduler_.plan(engines, max_slots, now_);
        return changes_.starts;
    }
    // The model that is to be loaded next.
    std::string wants() const { return changes_.wants ? changes_.wants->model : ""; }
    const Ids& stops() const { return changes_.stops; }

    Scheduler scheduler_;
    Scheduler::Changes changes_;  // of the last starts()
    base::TimePoint now_{};
};

TEST_F(SchedulerTest, StartsInOrderUpToThePlaces) {
    for (RequestId id = 1; id <= 3; ++id) admit(id);
    EXPECT_EQ(starts(0), Ids{});
    EXPECT_EQ(starts(2), (Ids{1, 2}));
    EXPECT_EQ(starts(2), Ids{});
    EXPECT_EQ(scheduler_.n_running(), 2u);
    EXPECT_EQ(scheduler_.n_waiting(), 1u);
    scheduler_.remove(1);
    EXPECT_EQ(starts(2), Ids{3});
    EXPECT_EQ(starts(9), Ids{});
    EXPECT_EQ(starts(1), Ids{});  // another engine has fewer
    EXPECT_EQ(stops(), Ids{3});
}

// The slots that the policy takes for heat or memory are slots of this device.
TEST_F(SchedulerTest, ALimitOfThisDeviceIsNotForRemotes) {
    const auto engines = [](uint32_t n_away) {
        EngineSlots away{"r@home", n_away};
        away.is_remote = true;
        return std::vector<EngineSlots>{{"a", 2}, away};
    };
    for (RequestId id = 1; id <= 3; ++id) admit(id);
    for (RequestId id = 4; id <= 6; ++id) admit(id, "", Priority::Normal, "r@home");
    EXPECT_EQ(starts(engines(2), 2), (Ids{1, 2, 4, 5})) << "two of each";
    EXPECT_EQ(scheduler_.position(6), 0u) << "nobody of this device comes into its way";
    EXPECT_EQ(scheduler_.position(3), 0u);
    EXPECT_EQ(starts(engines(2), 1), Ids{});
    EXPECT_EQ(stops(), Ids{2});
    EXPECT_EQ(starts(engines(2), 0), Ids{});
    EXPECT_EQ(stops(), Ids{1}) << "those that are away go on";
    scheduler_.remove(4);
    EXPECT_EQ(starts(engines(2), 0), Ids{6}) << "and new ones go";
    EXPECT_EQ(starts(engines(0), 0), Ids{});
    EXPECT_EQ(stops(), (Ids{5, 6})) << "who goes to sleep gives the remote no slots either";
    EXPECT_EQ(starts(engines(2), 2), (Ids{1, 2, 5, 6}));
    // A request of a higher class that waits on this device takes a slot from no remote request, whatever its class.
    admit(7, "", Priority::Interactive, "a");
    EXPECT_EQ(starts(engines(2), 1), Ids{7});
    EXPECT_EQ(stops(), (Ids{1, 2}));
}

TEST_F(SchedulerTest, BackgroundThatIsHeldBackHasNoPlaceAndNoTurn) {
    admit(1, "x", Priority::Background);
    admit(2, "y", Priority::Normal);
    EXPECT_EQ(starts(2), (Ids{1, 2}));
    scheduler_.set_runs_background(false);
    EXPECT_EQ(starts(2), Ids{});
    EXPECT_EQ(stops(), Ids{1});
    now_ += 2 * kStarvationTimeout;
    EXPECT_EQ(starts(2), Ids{}) << "hunger is no reason";
    EXPECT_FALSE(scheduler_.add_generated(2, kReviewTokens)) << "nobody waits for a slot";
    EXPECT_EQ(scheduler_.position(1), 0u) << "it keeps its turn";
    scheduler_.set_priority(1, Priority::Normal);
    EXPECT_EQ(starts(2), Ids{1}) << "it is none any more";
    admit(3, "z", Priority::Background);
    EXPECT_EQ(starts(3), Ids{});
    scheduler_.set_runs_background(true);
    EXPECT_EQ(starts(3), Ids{3});
}

TEST_F(SchedulerTest, NobodyStarvesWhileThereAreNoPlaces) {
    admit(1, "x", Priority::Background);
    admit(2, "y", Priority::Normal, "b");
    EXPECT_EQ(starts(0), Ids{});
    EXPECT_EQ(wants(), "") << "nothing is loaded for it either";
    now_ += 2 * kStarvationTimeout;
    EXPECT_EQ(starts(0), Ids{});
    admit(3, "z", Priority::Interactive);
    EXPECT_EQ(starts(1), Ids{3}) << "before those that were kept waiting by the device";
    EXPECT_EQ(starts({{"a", 0}}, 1), Ids{});
    EXPECT_EQ(stops(), Ids{3});
    now_ += 2 * kStarvationTimeout;
    EXPECT_EQ(starts({{"a", 0}}, 1), Ids{});
    EXPECT_EQ(wants(), "b") << "an engine that cannot compute has a place";
}

TEST_F(SchedulerTest, HigherClassesComeFirstAndTakePlaces) {
    admit(1, "x", Priority::Background);
    admit(2, "y", Priority::Normal);
    EXPECT_EQ(starts(1), Ids{2});
    admit(3, "z", Priority::Interactive);
    EXPECT_EQ(starts(1), Ids{3});
    EXPECT_EQ(stops(), Ids{2});
    scheduler_.remove(3);
    EXPECT_EQ(starts(1), Ids{2});
    scheduler_.set_priority(1, Priority::Interactive);
    EXPECT_EQ(starts(1), Ids{1});
    EXPECT_EQ(stops(), Ids{2});
}

TEST_F(SchedulerTest, TheYoungestOfTheLowestClassLosesItsPlace) {
    for (RequestId id = 1; id <= 4; ++id) admit(id, "", id == 2 ? Priority::Normal : Priority::Background);
    EXPECT_EQ(starts(4).size(), 4u);
    admit(5, "", Priority::Interactive);
    EXPECT_EQ(starts(4), Ids{5});
    EXPECT_EQ(stops(), Ids{4});
}

TEST_F(SchedulerTest, ANewcomerGetsItsPartOfThePlacesAtOnce) {
    for (RequestId id = 1; id <= 4; ++id) admit(id, "first");
    EXPECT_EQ(starts(4).size(), 4u);
    for (RequestId id = 1; id <= 4; ++id) scheduler_.add_generated(id, 1000);  // which nobody else wanted
    for (RequestId id = 5; id <= 8; ++id) admit(id, "second");
    EXPECT_EQ(starts(4), (Ids{5, 6}));
    EXPECT_EQ(stops(), (Ids{3, 4}));
}

TEST_F(SchedulerTest, ClientsShareAPlaceInTurns) {
    admit(1, "first");
    EXPECT_EQ(starts(), Ids{1});
    admit(2, "second");
    EXPECT_EQ(starts(), Ids{});
    EXPECT_FALSE(scheduler_.add_generated(1, kReviewTokens - 1));
    EXPECT_TRUE(scheduler_.add_generated(1, kFairTokens - kReviewTokens));
    EXPECT_EQ(starts(), Ids{});
    scheduler_.add_generated(1, 1);
    EXPECT_EQ(starts(), Ids{2});
    scheduler_.add_generated(2, 2 * kFairTokens - 1);
    EXPECT_EQ(starts(), Ids{});
    scheduler_.add_generated(2, 1);
    EXPECT_EQ(starts(), Ids{1});
}

TEST_F(SchedulerTest, PromptsCountLess) {
    admit(1, "first");
    EXPECT_EQ(starts(), Ids{1});
    admit(2, "second");
    scheduler_.add_prefilled(1, kFairTokens * kPromptTokensPerToken - kPromptTokensPerToken);
    EXPECT_EQ(starts(), Ids{});
    scheduler_.add_prefilled(1, kPromptTokensPerToken);
    EXPECT_EQ(starts(), Ids{2});
}

TEST_F(SchedulerTest, AStarvingClassGetsATurn) {
    admit(1, "patient", Priority::Background);
    admit(2, "busy", Priority::Interactive);
    EXPECT_EQ(starts(), Ids{2});
    now_ += kStarvationTimeout - milliseconds(1);
    EXPECT_EQ(starts(), Ids{});
    now_ += milliseconds(1);
    EXPECT_EQ(starts(), Ids{1});
    admit(3, "hasty", Priority::Interactive);
    EXPECT_EQ(starts(), Ids{});
    EXPECT_FALSE(scheduler_.add_generated(1, kReviewTokens - 1));
    EXPECT_EQ(starts(), Ids{});
    EXPECT_TRUE(scheduler_.add_generated(1, kTurnTokens - kReviewTokens + 1));
    EXPECT_EQ(starts(), Ids{2});
    now_ += kStarvationTimeout - milliseconds(1);
    EXPECT_EQ(starts(), Ids{});
}

TEST_F(SchedulerTest, ABlockedRequestGivesItsPlaceAway) {
    admit(1);
    admit(2);
    EXPECT_EQ(starts(), Ids{1});
    scheduler_.set_blocked(1, true);
    EXPECT_EQ(starts(), Ids{2});
    EXPECT_EQ(stops(), Ids{1});
    EXPECT_EQ(scheduler_.n_waiting(), 1u);
    scheduler_.remove(2);
    EXPECT_EQ(starts(), Ids{});
    scheduler_.set_blocked(1, false);
    EXPECT_EQ(starts(), Ids{1});
}

TEST_F(SchedulerTest, EnginesHaveSlotsOfTheirOwn) {
    for (RequestId id = 1; id <= 3; ++id) admit(id);
    admit(4, "", Priority::Background, "b");
    EXPECT_EQ(starts({{"a", 2}, {"b", 1}}), (Ids{1, 2, 4})) << "a full engine keeps nobody from another";
    EXPECT_EQ(wants(), "");
    admit(5, "", Priority::Interactive, "b");
    EXPECT_EQ(starts({{"a", 2}, {"b", 1}}), Ids{5});
    EXPECT_EQ(stops(), Ids{4}) << "on its own engine, though lower than another's";
    EXPECT_EQ(scheduler_.highest_running("a"), Priority::Normal);
    EXPECT_EQ(scheduler_.highest_running("b"), Priority::Interactive);
    EXPECT_EQ(scheduler_.highest_running("c"), std::nullopt);
    EXPECT_EQ(scheduler_.n_running("a"), 2u);
}

TEST_F(SchedulerTest, TheTotalIsOverAllEngines) {
    admit(1, "", Priority::Background);
    admit(2, "", Priority::Normal);
    admit(3, "", Priority::Normal, "b");
    EXPECT_EQ(starts({{"a", 2}, {"b", 2}}, 2), (Ids{2, 3}));
    admit(4, "", Priority::Interactive);
    EXPECT_EQ(starts({{"a", 2}, {"b", 2}}, 2), Ids{4});
    EXPECT_EQ(stops(), Ids{3}) << "the last of all, wherever it runs";
    EXPECT_EQ(starts({{"a", 2}, {"b", 2}}, 1), Ids{});
    EXPECT_EQ(stops(), Ids{2}) << "the policy has taken one away";
    EXPECT_EQ(starts({{"a", 2}, {"b", 2}}, 4), (Ids{2, 3}));
    EXPECT_EQ(scheduler_.n_running(), 3u) << "the engine's slots hold too";
}

TEST_F(SchedulerTest, SharesAreOneForAllEngines) {
    admit(1, "first");
    EXPECT_EQ(starts({{"a", 1}, {"b", 1}}, 1), Ids{1});
    admit(2, "second", Priority::Normal, "b");
    EXPECT_EQ(starts({{"a", 1}, {"b", 1}}, 1), Ids{});
    scheduler_.add_generated(1, kFairTokens);
    EXPECT_EQ(starts({{"a", 1}, {"b", 1}}, 1), Ids{2});
    EXPECT_EQ(stops(), Ids{1}) << "its turn is over, whichever engine computed it";
}

TEST_F(SchedulerTest, NamesTheFirstThatHasNoEngine) {
    admit(1);
    admit(2, "", Priority::Background, "b");
    admit(3, "", Priority::Normal, "c");
    admit(4, "", Priority::Interactive, "d");
    scheduler_.set_blocked(4, true);
    EXPECT_EQ(starts(), Ids{1});
    ASSERT_TRUE(changes_.wants);
    EXPECT_EQ(changes_.wants->id, 3u);
    EXPECT_EQ(changes_.wants->priority, Priority::Normal);
    EXPECT_FALSE(changes_.wants->has_starved);
    EXPECT_EQ(wants(), "c");
    scheduler_.remove(3);
    starts();
    EXPECT_EQ(wants(), "b");
    scheduler_.set_runs_background(false);
    starts();
    EXPECT_EQ(wants(), "") << "background is held back";
}

TEST_F(SchedulerTest, AnEngineThatIsGoneHasNoRequests) {
    admit(1);
    EXPECT_EQ(starts(), Ids{1});
    EXPECT_EQ(starts(std::vector<EngineSlots>{}), Ids{});
    EXPECT_EQ(stops(), Ids{1});
    EXPECT_EQ(wants(), "a");
}

TEST_F(SchedulerTest, AnEngineThatYieldsEndsWhatItHasAndStartsNothing) {
    admit(1);
    EXPECT_EQ(starts({{"a", 4, Priority::Normal}}), Ids{1}) << "nobody needs another";
    admit(2, "", Priority::Normal, "b");
    admit(3);
    EXPECT_EQ(starts({{"a", 4, Priority::Normal}}), Ids{}) << "it is behind the one that needs another";
    EXPECT_EQ(stops(), Ids{});
    admit(4, "", Priority::Interactive);
    EXPECT_EQ(starts({{"a", 4, Priority::Normal}}), Ids{4}) << "it is before that";
    scheduler_.remove(1);
    scheduler_.remove(4);
    EXPECT_EQ(starts({{"a", 4, Priority::Normal}}), Ids{});
    EXPECT_EQ(wants(), "b");
    EXPECT_EQ(starts({{"b", 4}}), Ids{2});
    EXPECT_EQ(wants(), "a");
    EXPECT_EQ(starts({{"b", 4}, {"a", 4}}), Ids{3});
}

TEST_F(SchedulerTest, AnEngineThatYieldsTakesPoorerApplicationsFirst) {
    admit(1, "rich");
    EXPECT_EQ(starts(), Ids{1});
    admit(2, "rich", Priority::Normal, "b");
    admit(3, "poor");
    scheduler_.add_generated(1, kFairTokens);
    scheduler_.remove(1);
    EXPECT_EQ(starts({{"a", 1, Priority::Normal}}), Ids{3});
}

TEST_F(SchedulerTest, WhatIsLowerLosesItsSlotOnAnEngineThatYields) {
    admit(1, "", Priority::Background);
    admit(2, "", Priority::Normal);
    admit(3, "", Priority::Background, "c");
    EXPECT_EQ(starts({{"a", 2}, {"c", 2}}), (Ids{1, 2, 3}));
    admit(4, "", Priority::Normal, "b");
    EXPECT_EQ(starts({{"a", 2, Priority::Normal}, {"c", 2}}), Ids{});
    EXPECT_EQ(stops(), Ids{1}) << "and nobody on another engine";
    scheduler_.remove(2);
    EXPECT_EQ(starts({{"b", 2}, {"c", 2}}), Ids{4});
    EXPECT_EQ(wants(), "a") << "who was stopped waits again";
    EXPECT_EQ(changes_.wants->id, 1u);
}

TEST_F(SchedulerTest, OneThatStarvesForAnEngineComesBeforeAll) {
    admit(1, "busy", Priority::Interactive);
    admit(2, "patient", Priority::Background, "b");
    admit(3, "other", Priority::Interactive, "c");
    EXPECT_EQ(starts(), Ids{1});
    EXPECT_EQ(wants(), "c");
    scheduler_.remove(3);
    now_ += kStarvationTimeout - milliseconds(1);
    starts();
    EXPECT_FALSE(changes_.wants->has_starved);
    now_ += milliseconds(1);
    admit(4, "other", Priority::Interactive, "c");
    EXPECT_EQ(starts(), Ids{});
    EXPECT_EQ(wants(), "b");
    EXPECT_TRUE(changes_.wants->has_starved);
    EXPECT_EQ(scheduler_.position(2), 0u);
    std::vector<EngineSlots> engines{{"a", 1, Priority::Background, true}};
    EXPECT_EQ(starts(engines), Ids{});
    EXPECT_EQ(stops(), Ids{1}) << "whatever it computes";
    EXPECT_EQ(wants(), "b");
    EXPECT_EQ(starts({{"b", 0}}), Ids{}) << "it loads, and";
    admit(5, "hasty", Priority::Interactive, "b");
    // The pool may have it make room for the next at once: its turn goes on.
    EXPECT_EQ(starts({{"b", 1, Priority::Interactive}}), Ids{2}) << "its turn is not forgotten";
    EXPECT_EQ(wants(), "a");
    EXPECT_EQ(starts({{"b", 1, Priority::Interactive}}), Ids{});
    EXPECT_EQ(stops(), Ids{});
    scheduler_.add_generated(2, kTurnTokens);
    EXPECT_EQ(starts({{"b", 1, Priority::Interactive}}), Ids{});
    EXPECT_EQ(stops(), Ids{2});
}

TEST_F(SchedulerTest, EachModelOfAClassStarvesByItself) {
    admit(1);
    admit(2, "", Priority::Normal, "b");
    EXPECT_EQ(starts(), Ids{1});
    now_ += kStarvationTimeout;
    EXPECT_EQ(starts(), Ids{});
    EXPECT_TRUE(changes_.wants->has_starved) << "though one of its class runs, elsewhere";
}

TEST_F(SchedulerTest, AnEngineThatCannotComputeStarvesNobody) {
    admit(1, "", Priority::Background);
    admit(2, "", Priority::Interactive, "b");
    EXPECT_EQ(starts({{"a", 0}, {"b", 1}}), Ids{2});
    now_ += 2 * kStarvationTimeout;
    EXPECT_EQ(starts({{"a", 0}, {"b", 1}}), Ids{});
    EXPECT_EQ(starts({{"a", 1}, {"b", 1}}, 1), Ids{}) << "it begins to starve now";
}

TEST_F(SchedulerTest, PositionsAndEstimatesGoByEngine) {
    for (RequestId id = 1; id <= 2; ++id) admit(id);
    admit(3, "", Priority::Normal, "b");
    EXPECT_EQ(starts({{"a", 1}, {"b", 1}}), (Ids{1, 3}));
    scheduler_.add_generated(3, 30);
    admit(4, "", Priority::Normal, "b");
    admit(5, "", Priority::Normal, "c");
    const Pace pace{.ms_per_token = 10, .mean_tokens = 50};
    starts({{"a", 1}, {"b", 1}});
    EXPECT_EQ(scheduler_.position(2), 0u);
    EXPECT_EQ(scheduler_.position(4), 0u) << "the one before it is another engine's";
    EXPECT_EQ(scheduler_.position(5), 0u) << "it may have room beside the others";
    EXPECT_EQ(scheduler_.estimated_wait(2, pace), milliseconds(500));
    EXPECT_EQ(scheduler_.estimated_wait(4, pace), milliseconds(200));
    EXPECT_EQ(scheduler_.estimated_wait(5, pace), milliseconds(0));
    starts({{"a", 1, Priority::Normal}, {"b", 1}});
    EXPECT_EQ(scheduler_.position(5), 1u) << "the engine that makes room has one to start before";
    EXPECT_EQ(scheduler_.estimated_wait(5, pace), milliseconds(500)) << "until the one there has ended";
    starts({{"a", 1}, {"b", 1}}, UINT32_MAX);
    EXPECT_EQ(scheduler_.estimated_wait(2, pace), milliseconds(500)) << "the policy need not name a limit";
    starts({{"a", 1}, {"b", 1}}, 1);
    EXPECT_EQ(scheduler_.position(4), 1u) << "all wait for one slot";
}

TEST_F(SchedulerTest, RefusesTheSeventeenthWaitingRequest) {
    for (RequestId id = 1; id <= RequestLimits::kMaxQueued; ++id) admit(id);
    const auto refused = scheduler_.admit({ticket(100)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::QueueFull);
    EXPECT_EQ(refused.error().message, "16 requests are waiting, at most 16 are allowed");
    EXPECT_EQ(starts(1), Ids{1});
    admit(100);
}

TEST_F(SchedulerTest, RefusesTheFifthRequestOfAClientRunningOnesIncluded) {
    for (RequestId id = 1; id <= RequestLimits::kMaxPerClient; ++id) admit(id, "one");
    starts();
    const auto refused = scheduler_.admit({ticket(5, "one")});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::RateLimited);
    EXPECT_EQ(refused.error().message, "this client has 4 requests in flight, at most 4 are allowed");
    admit(6, "two");
    scheduler_.remove(1);
    admit(7, "one");
}

TEST_F(SchedulerTest, SandboxedCallersHaveHalfTheLimits) {
    EXPECT_EQ(refusal({of_application(1, "app", "one", true)}), "");
    EXPECT_EQ(refusal({of_application(2, "app", "one", true)}), "");
    EXPECT_EQ(refusal({of_application(3, "app", "one", true)}),
              "this client has 2 requests in flight, at most 2 are allowed");
    for (RequestId id = 3; id <= 8; ++id) admit(id);
    EXPECT_EQ(refusal({of_application(9, "other", "two", true)}), "8 requests are waiting, at most 8 are allowed");
    admit(9);
}

TEST_F(SchedulerTest, ASandboxHasOneAllowanceHoweverManyClientsItHas) {
    EXPECT_EQ(refusal({of_application(1, "app", "one", true)}), "");
    EXPECT_EQ(refusal({of_application(2, "app", "two", true)}), "");
    for (RequestId id = 3; id <= 4; ++id) {
        EXPECT_EQ(refusal({of_application(id, "app", std::to_string(id), true)}),
                  "this application has 2 requests in flight, at most 2 are allowed");
    }
    starts();
    EXPECT_NE(refusal({of_application(3, "app", "three", true)}), "") << "running ones count";
    EXPECT_EQ(refusal({of_application(3, "another", "three", true)}), "");
    scheduler_.remove(1);
    EXPECT_EQ(refusal({of_application(4, "app", "four", true)}), "");
}

TEST_F(SchedulerTest, AnApplicationOutsideASandboxLeavesRoomInTheQueue) {
    for (RequestId id = 1; id <= RequestLimits::kMaxPerApplication; ++id) {
        EXPECT_EQ(refusal({of_application(id, "app", std::to_string(id))}), "");
    }
    EXPECT_EQ(refusal({of_application(100, "app", "one more")}),
              "this application has 12 requests in flight, at most 12 are allowed");
    admit(100);
}

TEST_F(SchedulerTest, TheAnswersOfACallAreAdmittedAsOne) {
    for (RequestId first = 10; first <= 40; first += 10) EXPECT_EQ(refusal(call(first, 8, "one")), "");
    EXPECT_EQ(refusal(call(50, 1, "one")), "this client has 4 requests in flight, at most 4 are allowed");
    for (RequestId id = 51; id <= 62; ++id) admit(id);
    EXPECT_EQ(refusal(call(70, 2, "two")), "16 requests are waiting, at most 16 are allowed");
    EXPECT_EQ(scheduler_.n_waiting(), 44u) << "nothing of what was refused";
    EXPECT_EQ(starts(2), (Ids{10, 51})) << "each runs by itself, and its client's share goes by places";
    EXPECT_EQ(refusal(call(70, 2, "two")), "") << "a call of which one answer runs does not wait";
    for (RequestId id = 10; id < 17; ++id) scheduler_.remove(id);
    EXPECT_NE(refusal(call(80, 1, "one")), "") << "one of its answers is still there";
    scheduler_.remove(17);
    EXPECT_EQ(refusal(call(80, 1, "one")), "");
}

TEST_F(SchedulerTest, ClientsOfAnApplicationShareItsPart) {
    for (RequestId id = 1; id <= 3; ++id) {
        EXPECT_EQ(refusal({of_application(id, "many", "client " + std::to_string(id))}), "");
    }
    EXPECT_EQ(starts(2), (Ids{1, 2}));
    admit(4, "alone");
    EXPECT_EQ(starts(2), Ids{4});
    EXPECT_EQ(stops(), Ids{2});
    EXPECT_EQ(scheduler_.position(2), 0u);
    EXPECT_EQ(scheduler_.position(3), 1u);
    // One slot each; within the application its clients take turns.
    scheduler_.add_generated(1, kFairTokens - 1);
    scheduler_.add_generated(4, kFairTokens);
    EXPECT_EQ(starts(2), Ids{});
    scheduler_.add_generated(1, 1);
    EXPECT_EQ(starts(2), Ids{2});
    EXPECT_EQ(stops(), Ids{1});
    scheduler_.add_generated(2, 2 * kFairTokens);
    EXPECT_EQ(starts(2), Ids{3}) << "which has waited longest of those that got as little";
    EXPECT_EQ(stops(), Ids{2});
}

TEST_F(SchedulerTest, AClientOfAnApplicationDoesNotWaitBehindAllThatAnotherHasAsked) {
    for (RequestId id = 1; id <= 3; ++id) EXPECT_EQ(refusal({of_application(id, "host", "busy")}), "");
    EXPECT_EQ(starts(), Ids{1});
    EXPECT_EQ(refusal({of_application(4, "host", "late")}), "");
    EXPECT_EQ(scheduler_.position(4), 0u);
    scheduler_.add_generated(1, kFairTokens);
    EXPECT_EQ(starts(), Ids{4});
}

TEST_F(SchedulerTest, PositionsFollowTheOrderOfTheClasses) {
    admit(1, "one", Priority::Interactive);
    EXPECT_EQ(starts(), Ids{1});
    admit(2, "two", Priority::Background);
    admit(3, "three", Priority::Normal);
    admit(4, "three", Priority::Normal);
    admit(5, "five", Priority::Normal);
    EXPECT_EQ(scheduler_.position(3), 0u);
    EXPECT_EQ(scheduler_.position(5), 1u);  // its client has nothing yet
    EXPECT_EQ(scheduler_.position(4), 2u);
    EXPECT_EQ(scheduler_.position(2), 3u);
    EXPECT_EQ(scheduler_.position(1), std::nullopt);
    EXPECT_EQ(scheduler_.position(9), std::nullopt);
}

TEST_F(SchedulerTest, EstimatesFromWhatIsLeftOfThoseAhead) {
    for (RequestId id = 1; id <= 2; ++id) admit(id);
    EXPECT_EQ(starts(2), (Ids{1, 2}));
    for (RequestId id = 3; id <= 5; ++id) admit(id);
    scheduler_.add_generated(1, 10);
    scheduler_.add_generated(2, 60);  // more than most: up to 40 are left
    const Pace pace{.ms_per_token = 10, .mean_tokens = 50};
    EXPECT_EQ(scheduler_.estimated_wait(3, pace), milliseconds(400));
    EXPECT_EQ(scheduler_.estimated_wait(4, pace), milliseconds(400));
    EXPECT_EQ(scheduler_.estimated_wait(5, pace), milliseconds(900));
    EXPECT_EQ(scheduler_.estimated_wait(1, pace), milliseconds(0));
    EXPECT_EQ(scheduler_.estimated_wait(5, {}), milliseconds(0));
}

TEST(Names, AreThoseOfTheBus) {
    EXPECT_EQ(priority_name(Priority::Interactive), "interactive");
    EXPECT_EQ(request_state_name(RequestState::Paused), "paused");
    EXPECT_EQ(finish_name(Finish::Timeout), "timeout");
}

}  // namespace
}  // namespace llmd::service
