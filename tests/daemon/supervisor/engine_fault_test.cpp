// The table of deaths: what each means for the engine and for a request.
#include "supervisor/engine_fault.h"

#include <gtest/gtest.h>

#include "supervisor/load_failures.h"

namespace llmd::supervisor {
namespace {

using base::ErrorCode;
using Cause = EngineEnd::Cause;
using std::chrono::seconds;

TEST(FaultCount, TwoCountedFailuresAreADeviceError) {
    for (const Cause cause : {Cause::Fault, Cause::Signal, Cause::Silence, Cause::Protocol, Cause::Exit}) {
        FaultCount count;
        count.add({cause, ""});
        EXPECT_EQ(count.verdict(), std::nullopt);
        count.add({cause, ""});
        EXPECT_EQ(count.verdict(), ErrorCode::DeviceError);
    }
}

TEST(FaultCount, SevenForeignKillsAreOutOfMemory) {
    FaultCount count;
    count.add({Cause::Signal, ""});
    for (int i = 0; i < 6; ++i) count.add({i < 2 ? Cause::ForeignKill : Cause::NoMemory, ""});
    EXPECT_EQ(count.verdict(), std::nullopt);
    count.add({Cause::ForeignKill, ""});
    EXPECT_EQ(count.verdict(), ErrorCode::OutOfMemory);
    FaultCount asked;
    for (int i = 0; i < 9; ++i) asked.add({Cause::Asked, ""});
    EXPECT_EQ(asked.verdict(), std::nullopt);
}

// A disk or the memory holds it up; the device has no part in that. It is bounded all the same.
TEST(FaultCount, ASilenceWhileIdleIsNotTheDevices) {
    const EngineEnd end{Cause::Silence, "", protocol::Phase::Idle};
    EXPECT_FALSE(end.counts_against_device());
    EXPECT_TRUE((EngineEnd{Cause::Silence, "", protocol::Phase::Step}).counts_against_device());
    EXPECT_TRUE((EngineEnd{Cause::Fault, "", protocol::Phase::Idle}).counts_against_device());
    FaultCount count;
    for (uint32_t i = 1; i < kMaxForeignKills; ++i) count.add(end);
    EXPECT_EQ(count.verdict(), std::nullopt);
    count.add(end);
    EXPECT_EQ(count.verdict(), ErrorCode::OutOfMemory);
}

TEST(Judge, Table) {
    const struct {
        const char* what;
        EngineDeath death;
        EngineVerdict verdict;
    } rows[] = {
        {"crash while loading", {false, false, false, false, {1, 0}}, EngineVerdict::LoadFailed},
        {"kill while loading", {true, false, false, true, {0, 1}}, EngineVerdict::LoadFailed},
        {"crash while loading, auto", {false, false, false, true, {2, 0}}, EngineVerdict::LoadFailed},
        {"first crash", {false, true, false, false, {1, 0}}, EngineVerdict::Resume},
        {"first crash, auto", {false, true, false, true, {1, 0}}, EngineVerdict::Resume},
        {"second crash", {false, true, false, false, {2, 0}}, EngineVerdict::Resume},
        {"second crash, auto", {false, true, false, true, {2, 0}}, EngineVerdict::QuarantineDevice},
        {"crash with nothing to do", {false, true, false, true, {0, 0}}, EngineVerdict::Resume},
        {"kill", {true, true, false, true, {0, 5}}, EngineVerdict::Resume},
        {"replacement killed while loading", {true, false, true, true, {0, 2}}, EngineVerdict::Resume},
        {"replacement crashed while loading", {false, false, true, false, {2, 0}, false, 3}, EngineVerdict::Resume},
        {"same for the fourth time", {false, false, true, false, {2, 0}, false, 4}, EngineVerdict::LoadFailed},
        {"same after a kill", {false, false, true, true, {1, 1}, false, 2}, EngineVerdict::Resume},
        {"replacement killed for the fourth time", {true, false, true, true, {0, 4}, false, 4}, EngineVerdict::Resume},
        {"same, auto", {false, false, true, true, {2, 0}}, EngineVerdict::QuarantineDevice},
        {"device's third crash", {false, true, false, true, {1, 0}, true}, EngineVerdict::QuarantineDevice},
        {"same while loading", {false, false, false, true, {1, 0}, true}, EngineVerdict::QuarantineDevice},
    };
    for (const auto& row : rows) EXPECT_EQ(judge(row.death), row.verdict) << row.what;
}

TEST(PauseBeforeRestart, GrowsWithTheLoadsThatFailed) {
    EngineDeath death;
    death.was_ready = true;
    EXPECT_EQ(pause_before_restart(death), seconds(0));
    death.was_ready = false;
    for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
        ++death.failed_loads;
        EXPECT_EQ(pause_before_restart(death), seconds(expected)) << death.failed_loads;
    }
}

// A program that takes the memory for 40 s costs no text, even where the kernel says nothing of pressure.
TEST(PauseBeforeRestart, GrowsWithTheKillsWhileMemoryIsShort) {
    EngineDeath death;
    death.was_ready = true;
    seconds all{0};
    for (const int expected : {1, 2, 4, 8, 16, 32}) {
        death.worst.add({Cause::ForeignKill, ""});
        EXPECT_EQ(death.worst.verdict(), std::nullopt);
        death.memory_was_short = false;
        death.lacked_memory = true;
        EXPECT_EQ(pause_before_restart(death), seconds(expected == 1 ? 0 : expected)) << "the first is a person's";
        death.lacked_memory = false;
        EXPECT_EQ(pause_before_restart(death), seconds(0)) << "it crashed";
        death.memory_was_short = true;
        EXPECT_EQ(pause_before_restart(death), seconds(expected));
        all += pause_before_restart(death);
    }
    EXPECT_GT(all, seconds(40));
    // Whichever is longer.
    death.was_ready = false;
    death.failed_loads = 2;
    EXPECT_EQ(pause_before_restart(death), seconds(32));
    death.worst = {};
    EXPECT_EQ(pause_before_restart(death), seconds(2));
}

// A crash while a model is loaded again would else be a DeviceError for a text that crashed nothing.
TEST(EngineDeath, ALoadIsNotTheFaultOfARequest) {
    EngineDeath death;
    EXPECT_FALSE(death.counts_for_requests({Cause::Signal, ""}));
    EXPECT_TRUE(death.counts_for_requests({Cause::ForeignKill, ""})) << "bounded by FaultCount";
    death.can_quarantine = true;
    EXPECT_TRUE(death.counts_for_requests({Cause::Signal, ""})) << "another device is left";
    death.can_quarantine = false;
    death.was_ready = true;
    EXPECT_TRUE(death.counts_for_requests({Cause::Signal, ""}));
}

TEST(LoadFailures, WaitOneTwoFourToSixtySeconds) {
    LoadFailures failures;
    const FileIdentity file{1, 2, 3, 4};
    base::TimePoint now{};
    for (const int delay : {1, 2, 4, 8, 16, 32, 60, 60}) {
        EXPECT_FALSE(failures.current("m", file, now));
        failures.add("m", file, {ErrorCode::OutOfMemory, "too big"}, now);
        const auto error = failures.current("m", file, now + seconds(delay) - std::chrono::nanoseconds(1));
        ASSERT_TRUE(error) << delay;
        EXPECT_EQ(error->code, ErrorCode::OutOfMemory);
        EXPECT_FALSE(failures.current("other", file, now));
        now += seconds(delay);
    }
}

TEST(LoadFailures, AChangedFileOrForgettingStartsAnew) {
    LoadFailures failures;
    const FileIdentity file{1, 2, 3, 4};
    const FileIdentity changed{1, 2, 3, 5};
    base::TimePoint now{};
    failures.add("m", file, {ErrorCode::ModelLoadFailed, "bad"}, now);
    failures.add("m", file, {ErrorCode::ModelLoadFailed, "bad"}, now);
    EXPECT_FALSE(failures.current("m", changed, now));
    failures.add("m", changed, {ErrorCode::ModelLoadFailed, "bad"}, now);
    EXPECT_FALSE(failures.current("m", changed, now + seconds(1)));
    failures.forget("m");
    EXPECT_FALSE(failures.current("m", changed, now));
}

TEST(LoadFailures, KnowWhichFilesWereReadyUntilOneFailsOrChanges) {
    LoadFailures loads;
    const FileIdentity file{1, 2, 3, 4};
    const FileIdentity changed{1, 2, 3, 5};
    EXPECT_FALSE(loads.was_ready("m", file));
    loads.add_ready("m", file);
    EXPECT_TRUE(loads.was_ready("m", file));
    EXPECT_FALSE(loads.was_ready("m", changed));
    EXPECT_FALSE(loads.was_ready("m", std::nullopt));
    EXPECT_FALSE(loads.was_ready("other", file));
    loads.add("m", file, {ErrorCode::ModelLoadFailed, "bad"}, {});
    EXPECT_FALSE(loads.was_ready("m", file));
}

}  // namespace
}  // namespace llmd::supervisor
