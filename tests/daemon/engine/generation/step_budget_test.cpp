// How long llmd waits for a step: a minute until steps are known, then some times the longest of the last ones.
#include "engine/server/step_budget.h"

#include <gtest/gtest.h>

#include "served_engine.h"

namespace llmd::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StepBudget, FollowsFromTheLongestOfTheLastSteps) {
    StepBudget budget;
    for (uint32_t i = 0; i < kStepsUntilKnown; ++i) {
        EXPECT_EQ(budget.next(), kFirstStepBudget);
        budget.measured(milliseconds(50));
    }
    EXPECT_EQ(budget.next(), kLeastStepBudget);
    budget.measured(seconds(4));
    EXPECT_EQ(budget.next(), kStepsOfBudget * seconds(4));
    budget.measured(milliseconds(50));
    EXPECT_LT(budget.next(), kStepsOfBudget * seconds(4));
    EXPECT_GT(budget.next(), kStepsOfBudget * seconds(3)) << "one quick step does not make the next one quick";
    for (int i = 0; i < 500; ++i) budget.measured(milliseconds(50));
    EXPECT_EQ(budget.next(), kLeastStepBudget);
    budget.measured(seconds(40));
    EXPECT_EQ(budget.next(), kFirstStepBudget) << "no step gets more";
}

using ServedStepBudget = test::ServedEngine;

TEST_F(ServedStepBudget, IsWhatTheEngineTellsLlmd) {
    load();
    say(test::submit(1, "hello", 60));
    say(protocol::Start{1});
    std::vector<uint32_t> budgets;
    for (int i = 0; i < 40 && !left_; ++i) {
        left_ = server_->run_once();
        for (const auto& change : only<protocol::PhaseChange>(hear())) {
            if (change.phase == protocol::Phase::Step) budgets.push_back(change.budget_ms);
        }
    }
    ASSERT_GT(budgets.size(), kStepsUntilKnown);
    EXPECT_EQ(budgets.front(), static_cast<uint32_t>(kFirstStepBudget.count()));
    EXPECT_EQ(budgets.back(), static_cast<uint32_t>(kLeastStepBudget.count()));
}

}  // namespace
}  // namespace llmd::engine
