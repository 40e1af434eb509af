// The engine's report of a load, and how it uses the options of one.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/compute/cpu/processor.h"
#include "served_engine.h"

namespace llmd::engine {
namespace {

using test::submit;
using EngineServerLoad = test::ServedEngine;

TEST_F(EngineServerLoad, LoadsAnnouncingWhatMayBlock) {
    say(protocol::Load{.model_path = "good"});
    const auto all = serve();
    const auto phases = only<protocol::PhaseChange>(all);
    ASSERT_EQ(phases.size(), 3u);
    EXPECT_EQ(phases[0].phase, protocol::Phase::Idle);
    EXPECT_EQ(phases[0].budget_ms, 0u);
    EXPECT_EQ(phases[1].phase, protocol::Phase::Load);
    EXPECT_EQ(phases[1].budget_ms, static_cast<uint32_t>(generation::kReadBudget.count()));
    EXPECT_EQ(phases[2].phase, protocol::Phase::KernelBuild);
    const auto progress = only<protocol::LoadProgress>(all);
    ASSERT_FALSE(progress.empty());
    EXPECT_LE(progress.size(), 101u);
    EXPECT_EQ(progress.back().per_mille, 1000u);
    const auto ready = only<protocol::Ready>(all);
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].architecture, "fake");
    EXPECT_EQ(ready[0].n_ctx, 256u);
    EXPECT_EQ(ready[0].n_vocab, 257u);
    EXPECT_EQ(ready[0].backend, protocol::BackendKind::Cpu);
    const auto chosen = only<protocol::DeviceChosen>(all);
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_EQ(chosen[0].backend, protocol::BackendKind::OpenCl);
    EXPECT_EQ(chosen[0].device, "FD630");
    EXPECT_EQ(chosen[0].driver, "26.1.6");
}

TEST_F(EngineServerLoad, SaysWhichPrecisionTheDeviceComputesWithWhateverWasAskedFor) {
    for (const auto& [of_device, announced] : {std::pair(compute::Precision::Faithful, protocol::Precision::Faithful),
                                               std::pair(compute::Precision::Fast, protocol::Precision::Fast)}) {
        SetUp();
        precision_ = of_device;
        say(protocol::Load{.model_path = "good", .precision = protocol::Precision::Fast});
        const auto ready = only<protocol::Ready>(serve());
        ASSERT_EQ(ready.size(), 1u);
        EXPECT_EQ(asked_, compute::Precision::Fast);
        EXPECT_EQ(ready[0].precision, announced);
    }
}

TEST_F(EngineServerLoad, IsBoundedAndTellsItsOverhead) {
    say(protocol::Load{.model_path = "good", .memory_bytes = 123'456'789});
    const auto ready = only<protocol::Ready>(serve());
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(asked_memory_, 123'456'789u);
    // The fake device holds nothing, so it is all that this process has written.
    const uint64_t written = compute::private_dirty_bytes();
    EXPECT_GE(ready[0].overhead_bytes, written / 2);
    EXPECT_LE(ready[0].overhead_bytes, written * 2);
}

TEST_F(EngineServerLoad, ReservesNothingForDraftsThatMayNotBe) {
    for (const bool speculates : {true, false}) {
        SetUp();
        say(protocol::Load{.model_path = "good", .speculates = speculates});
        ASSERT_EQ(only<protocol::Ready>(serve()).size(), 1u);
        EXPECT_EQ(asked_to_speculate_, speculates);
    }
}

TEST_F(EngineServerLoad, ReportsALoadThatFailedAndStays) {
    say(protocol::Load{.model_path = "bad"});
    const auto failed = only<protocol::LoadFailed>(serve());
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].code, base::ErrorCode::ModelLoadFailed);
    EXPECT_FALSE(left_);
    say(submit(1, "abc"));
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::NotReady);
}

TEST_F(EngineServerLoad, LoadsOnce) {
    load();
    say(protocol::Load{.model_path = "good"});
    serve();
    EXPECT_EQ(left_, EngineServer::Leave::Broken);
}

}  // namespace
}  // namespace llmd::engine
