// Which choice of a launch a batch takes.
#include "engine/compute/opencl/gpu/launch_plan.h"

#include <gtest/gtest.h>

namespace llmd::test {
namespace {

using compute::gpu::Launch;

// `batch_rows` and `spread_rows` of each choice.
Launch launch_of(std::initializer_list<std::pair<uint32_t, uint32_t>> kernel_choice) {
    Launch launch;
    for (const auto& [batch_rows, spread_rows] : kernel_choice) {
        launch.choices.push_back({.batch_rows = batch_rows, .spread_rows = spread_rows});
    }
    return launch;
}

size_t taken_for(const Launch& launch, uint32_t rows) {
    return static_cast<size_t>(&launch.for_rows(rows) - launch.choices.data());
}

TEST(Launch, TakesTheNarrowestVariantThatHoldsAllRows) {
    const Launch launch = launch_of({{1, 0}, {2, 0}, {4, 0}, {8, 0}});
    const size_t expected[] = {0, 1, 2, 2, 3, 3, 3, 3, 3};
    for (uint32_t rows = 1; rows <= std::size(expected); ++rows) EXPECT_EQ(taken_for(launch, rows), expected[rows - 1]);
}

TEST(Launch, TakesANarrowerVariantForTheRowsThatItSpreadsWell) {
    const Launch matmuls = launch_of({{1, 0}, {2, 0}, {4, 8}, {8, 0}});
    EXPECT_EQ(taken_for(matmuls, 4), 2u);
    EXPECT_EQ(taken_for(matmuls, 8), 2u);
    EXPECT_EQ(taken_for(matmuls, 9), 3u);
    const Launch attention = launch_of({{1, 16}, {1, 0}});
    EXPECT_EQ(taken_for(attention, 1), 0u);
    EXPECT_EQ(taken_for(attention, 16), 0u);
    EXPECT_EQ(taken_for(attention, 17), 1u);
    EXPECT_EQ(taken_for(attention, 128), 1u);
}

}  // namespace
}  // namespace llmd::test
