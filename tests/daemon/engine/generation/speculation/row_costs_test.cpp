#include "engine/generation/speculation/row_costs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace llmd::generation {
namespace {

using std::chrono::microseconds;

microseconds linear(uint32_t rows, double each) {
    return microseconds(static_cast<int64_t>(1000 * (1 + each * (rows - 1))));
}

TEST(RowCosts, LearnsWhatRowsCost) {
    for (const double each : {0.02, 0.4, 1.0}) {
        RowCosts costs(compute::BackendKind::Cpu);
        EXPECT_NEAR(costs.cost(4), 1.65, 1e-9);
        for (int i = 0; i < 200; ++i) {
            for (const uint32_t rows : {1u, 2u, 5u, 9u, 16u}) costs.measured(rows, linear(rows, each), false);
        }
        for (const uint32_t rows : {2u, 5u, 9u, 16u}) {
            const double truth = 1 + each * (rows - 1);
            EXPECT_NEAR(costs.cost(rows), truth, 0.12 * truth) << each << ", " << rows << " rows";
        }
        EXPECT_EQ(costs.cost(1), 1);
    }
}

// A text that repeats itself has no steps of one row for long, and the device becomes slower or faster meanwhile.
TEST(RowCosts, KnowTheDevicesSpeedWithoutStepsOfOneRow) {
    for (const int percent : {50, 80, 125, 200}) {
        RowCosts costs(compute::BackendKind::Cpu);
        for (int i = 0; i < 100; ++i) {
            for (const uint32_t rows : {1u, 9u}) costs.measured(rows, linear(rows, 0.2), false);
        }
        for (int i = 0; i < 200; ++i) costs.measured(9, linear(9, 0.2), false);
        for (int i = 0; i < 200; ++i) costs.measured(9, linear(9, 0.2) * percent / 100, false);
        EXPECT_NEAR(costs.cost(9), 2.6, 0.15 * 2.6) << percent;
        EXPECT_NEAR(costs.time_us(1), 10 * percent, 1.5 * percent) << percent;
    }
}

// The first steps of such a text are not taken for the device's speed.
TEST(RowCosts, LearnFromStepsOfManyRowsAlone) {
    for (const double each : {0.05, 0.5}) {
        RowCosts costs(compute::BackendKind::Cpu);
        for (int i = 0; i < 20; ++i) costs.measured(1, linear(1, each), false);
        for (int i = 0; i < 60; ++i) costs.measured(9, linear(9, each), false);
        const double truth = 1 + 8 * each;
        EXPECT_NEAR(costs.cost(9), truth, 0.12 * truth) << each;
    }
}

// Four sequences together have no steps of one row for hours.
TEST(RowCosts, KeepWhatTheyHaveLearnedWithOtherRows) {
    for (const double each : {0.05, 0.5}) {
        RowCosts costs(compute::BackendKind::Cpu);
        for (int i = 0; i < 20; ++i) costs.measured(1, linear(1, each), false);
        const double truth = (1 + 11 * each) / (1 + 3 * each);
        for (const int n : {200, 5000}) {
            for (int i = 0; i < n; ++i) {
                for (const uint32_t rows : {4u, 12u}) costs.measured(rows, linear(rows, each), false);
            }
            EXPECT_NEAR(costs.cost(12) / costs.cost(4), truth, 0.08 * truth) << each << ", " << n;
        }
    }
}

TEST(RowCosts, NeverFallWithTheRows) {
    RowCosts costs(compute::BackendKind::Cpu);
    for (int i = 0; i < 100; ++i) {
        for (const uint32_t rows : {1u, 4u, 8u}) costs.measured(rows, microseconds(rows == 4 ? 9000 : 1000), false);
    }
    for (uint32_t rows = 1; rows < 40; ++rows) EXPECT_LE(costs.cost(rows), costs.cost(rows + 1));
    for (int i = 0; i < 50; ++i) costs.measured(2, microseconds(100), false);
    for (uint32_t rows = 1; rows < 40; ++rows) EXPECT_LE(costs.cost(rows), costs.cost(rows + 1));
}

// A step that waited for the processor, once.
TEST(RowCosts, OneSlowStepChangesLittleAndIsForgotten) {
    RowCosts costs(compute::BackendKind::Cpu);
    for (int i = 0; i < 50; ++i) {
        for (const uint32_t rows : {1u, 4u}) costs.measured(rows, linear(rows, 0.2), false);
    }
    const double before = costs.cost(4);
    costs.measured(4, microseconds(1'000'000), false);
    EXPECT_LT(costs.cost(4), 1.1 * before);
    for (int i = 0; i < 2000; ++i) costs.measured(1, linear(1, 0.2), false);
    EXPECT_NEAR(costs.cost(4), 1.65, 0.02);
}

TEST(RowCosts, ExactlyLearnsNothing) {
    auto costs = RowCosts::exactly(0.5);
    costs.measured(1, microseconds(1), false);
    costs.measured(2, microseconds(100), false);
    EXPECT_EQ(costs.cost(3), 2);
}

std::vector<DraftChance> chances_of(std::span<const double> probabilities, uint32_t n) {
    std::vector<DraftChance> chances;
    for (uint32_t i = 0; i < probabilities.size(); ++i) {
        double all = 1;
        for (uint32_t k = 0; k < n; ++k) chances.push_back({i, all *= probabilities[i], false});
    }
    return chances;
}

TEST(WorthwhileDrafts, AreThoseThatGiveMoreTokensInTheSameTime) {
    const auto costs = RowCosts::exactly(0.2);
    const auto taken = [&](double probability) {
        return worthwhile_drafts(chances_of(std::vector{probability}, 15), 1, 1, 1, 15, costs, false).at(0);
    };
    EXPECT_EQ(taken(0.1), 0u);
    EXPECT_EQ(taken(0.2), 0u);  // as much time as it saves
    EXPECT_EQ(taken(0.4), 1u);
    EXPECT_EQ(taken(1), 15u);
    for (const double probability : {0.3, 0.5, 0.7, 0.9, 0.97}) {
        uint32_t best = 0;
        double best_rate = 1.08, tokens = 1, all = 1;
        for (uint32_t n = 1; n <= 15; ++n) {
            tokens += all *= probability;
            if (tokens / (1 + 0.2 * n) > best_rate) best = n, best_rate = tokens / (1 + 0.2 * n);
        }
        EXPECT_EQ(taken(probability), best) << probability;
    }
}

TEST(WorthwhileDrafts, GoToTheLikeliestSequencesFirst) {
    const auto costs = RowCosts::exactly(0.04);
    const auto chances = chances_of(std::vector{0.3, 0.95, 0.0}, 8);
    const auto taken = worthwhile_drafts(chances, 3, 3, 3, 6, costs, false);
    EXPECT_EQ(taken[0], 0u);
    EXPECT_EQ(taken[1], 6u);
    EXPECT_EQ(taken[2], 0u);
}

// Who gets no draft waits for the step all the same.
TEST(WorthwhileDrafts, LetOthersWaitALittle) {
    const auto costs = RowCosts::exactly(0.1);
    const auto taken = [&](uint32_t n_sequences, std::vector<double> probabilities) {
        return worthwhile_drafts(chances_of(probabilities, 15), n_sequences, n_sequences, n_sequences, 15, costs,
                                 false);
    };
    EXPECT_EQ(taken(1, {1})[0], 15u);
    EXPECT_EQ(taken(2, {1})[0], 2u);  // (1.1 + 0.2) / 1.1 <= 1.25
    const auto both = taken(2, {0.95, 0.95});
    EXPECT_GT(both[0], 2u);
    EXPECT_GT(both[1], 2u);
}

TEST(WorthwhileDrafts, FitAStepThatANewRequestCanWaitFor) {
    RowCosts costs(compute::BackendKind::Cpu);
    for (int i = 0; i < 300; ++i) {
        for (const uint32_t rows : {1u, 2u, 4u, 8u, 16u}) costs.measured(rows, 100 * linear(rows, 0.2), false);
    }
    // 100 ms for one row and 20 for each further one.
    const auto taken = worthwhile_drafts(chances_of(std::vector{1.0}, 15), 1, 1, 1, 15, costs, false)[0];
    EXPECT_GE(taken, 6u);
    EXPECT_LE(taken, 8u);
}

// A step with drafts is never one ahead.
TEST(WorthwhileDrafts, GiveTheHostsTimeBack) {
    RowCosts costs(compute::BackendKind::OpenCl);
    for (int i = 0; i < 100; ++i) {
        for (const uint32_t rows : {1u, 8u}) costs.measured(rows, linear(rows, 0.1), false);
        costs.measured(1, linear(1, 0.1) * 6 / 10, true);
    }
    EXPECT_NEAR(costs.cost_ahead(), 0.6, 0.01);
    EXPECT_NEAR(costs.cost(8), 1.7, 0.1);
    const auto unlikely = chances_of(std::vector{0.3}, 8), likely = chances_of(std::vector{0.8}, 8);
    EXPECT_GT(worthwhile_drafts(unlikely, 1, 1, 1, 15, costs, false)[0], 0u);
    EXPECT_EQ(worthwhile_drafts(unlikely, 1, 1, 1, 15, costs, true)[0], 0u);
    EXPECT_GT(worthwhile_drafts(likely, 1, 1, 1, 15, costs, true)[0], 0u);
}

// A certain one comes with the token before it in any case.
TEST(WorthwhileDrafts, CertainOnesCountForWhatIsBehindThem) {
    const auto costs = RowCosts::exactly(0.2);
    const std::vector<DraftChance> alone = {{0, 0.3, false}, {0, 0.3, true}, {0, 0.3, true}};
    EXPECT_EQ(worthwhile_drafts(alone, 1, 1, 1, 15, costs, false)[0], 1u);
    const std::vector<DraftChance> before = {{0, 1, false}, {0, 1, true}, {0, 1, false}};
    EXPECT_EQ(worthwhile_drafts(before, 1, 1, 1, 15, costs, false)[0], 3u);
}

}  // namespace
}  // namespace llmd::generation
