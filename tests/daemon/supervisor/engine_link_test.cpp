// One engine's life from start to end: what it says arrives, and each way to end has its name.
#include "supervisor/engine_link.h"

#include <gtest/gtest.h>

#include "fake_engine.h"

namespace llmd::supervisor {
namespace {

using Cause = EngineEnd::Cause;

constexpr std::chrono::milliseconds kSoon{1};  // for what must pass before the test goes on

class EngineLinkTest : public testing::Test {
protected:
    EngineLinkTest() { start({}); }

    void start(EngineTimeouts timeouts) {
        auto started = EngineLink::start(loop_, launcher_,
                                         {[this](const protocol::Message& m) {
                                              messages_.push_back(m);
                                              if (on_message_) on_message_();
                                          },
                                          [this](const EngineEnd& end) { ends_.push_back(end); }},
                                         timeouts);
        link_ = std::move(*started);
    }
    FakeEngine& engine() { return launcher_.last(); }
    void run_until_ended() {
        constexpr int kTurns = 1000;
        for (int i = 0; i < kTurns && ends_.empty(); ++i) ASSERT_TRUE(loop_.run_once(std::chrono::seconds(10)));
        settle(loop_);
    }
    void expect_end(Cause cause, const std::string& detail) {
        ASSERT_EQ(ends_.size(), 1u);
        EXPECT_EQ(ends_[0].cause, cause);
        EXPECT_NE(ends_[0].detail.find(detail), std::string::npos) << ends_[0].detail;
    }

    base::EventLoop loop_;
    FakeLauncher launcher_;
    std::vector<protocol::Message> messages_;
    std::vector<EngineEnd> ends_;
    std::function<void()> on_message_;
    std::unique_ptr<EngineLink> link_;
};

TEST_F(EngineLinkTest, MessagesPassBothWaysAndPhasesStayInside) {
    link_->send(protocol::Start{5});
    EXPECT_EQ(engine().expect<protocol::Start>().id, 5u);
    engine().send(protocol::PhaseChange{protocol::Phase::Idle, 0});
    engine().send(tokens_of(5, {1}, "a", 2));
    settle(loop_);
    ASSERT_EQ(messages_.size(), 1u);
    EXPECT_EQ(text_of(std::get<protocol::Tokens>(messages_[0]).parts), "a");
    EXPECT_TRUE(ends_.empty());
}

TEST_F(EngineLinkTest, SignalsAndExitsAreToldApart) {
    engine().die_of(SIGSEGV);
    settle(loop_);
    expect_end(Cause::Signal, "signal 11");
}

TEST_F(EngineLinkTest, AForeignKillIsNotCounted) {
    engine().die_of(SIGKILL);
    settle(loop_);
    expect_end(Cause::ForeignKill, "signal 9");
    EXPECT_FALSE(ends_[0].counts_against_device());
    EXPECT_EQ(engine().kills, 0);
}

TEST_F(EngineLinkTest, AnExitIsCounted) {
    engine().exit_with(3);
    settle(loop_);
    expect_end(Cause::Exit, "exited with status 3");
    EXPECT_TRUE(ends_[0].counts_against_device());
}

TEST_F(EngineLinkTest, WhatItSaidBeforeItDiedArrivesFirst) {
    engine().send(tokens_of(1, {1}, "last", 2));
    engine().send(protocol::Fault{"clFinish: CL_OUT_OF_RESOURCES"});
    engine().exit_with(1);
    settle(loop_);
    ASSERT_EQ(messages_.size(), 1u);
    EXPECT_EQ(text_of(std::get<protocol::Tokens>(messages_[0]).parts), "last");
    expect_end(Cause::Fault, "reported a device error: clFinish: CL_OUT_OF_RESOURCES");
}

TEST_F(EngineLinkTest, AFaultyEngineThatDoesNotLeaveIsKilled) {
    start({.exit = kSoon});
    engine().send(protocol::PhaseChange{protocol::Phase::Step, 60'000});
    engine().send(protocol::Fault{"clFinish: CL_OUT_OF_RESOURCES"});
    run_until_ended();
    expect_end(Cause::Fault, "reported a device error: clFinish: CL_OUT_OF_RESOURCES");
    EXPECT_EQ(engine().kills, 1);
}

TEST_F(EngineLinkTest, AnEngineThatCannotDieIsGivenUp) {
    start({.exit = kSoon, .kill = kSoon});
    engine().is_immortal = true;
    link_->stop();
    run_until_ended();
    expect_end(Cause::Asked, "");
    EXPECT_EQ(engine().kills, 1);
    link_.reset();
    EXPECT_EQ(engine().kills, 1);
}

TEST_F(EngineLinkTest, ATerminatedEngineThatCannotDieKeepsItsCause) {
    start({.kill = kSoon});
    engine().is_immortal = true;
    engine().send_bytes(std::string("\x01\0\0\0\xff", 5));
    run_until_ended();
    expect_end(Cause::Protocol, "unknown message type 255");
}

TEST_F(EngineLinkTest, AMalformedFrameEndsIt) {
    engine().send_bytes(std::string("\x01\0\0\0\xff", 5));
    settle(loop_);
    expect_end(Cause::Protocol, "unknown message type 255");
    EXPECT_EQ(engine().kills, 1);
}

TEST_F(EngineLinkTest, SilenceBeyondTheBudgetEndsIt) {
    engine().send(protocol::PhaseChange{protocol::Phase::KernelBuild, 1});
    run_until_ended();
    expect_end(Cause::Silence, "silent for more than 1 ms in phase kernel build");
    EXPECT_EQ(engine().kills, 1);
}

TEST_F(EngineLinkTest, AnIdleEngineMayBeSilentForEver) {
    engine().send(protocol::PhaseChange{protocol::Phase::Step, 60'000});
    engine().send(protocol::PhaseChange{protocol::Phase::Idle, 0});
    settle(loop_);
    // No timer is left: the wait below is not cut short by one.
    const auto before = base::Clock::now();
    ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(5)));
    EXPECT_GE(base::Clock::now() - before, std::chrono::milliseconds(5));
    EXPECT_TRUE(ends_.empty());
}

TEST_F(EngineLinkTest, AnIdleEngineThatDoesNotAnswerIsEnded) {
    for (const protocol::Message& question :
         {protocol::Message(protocol::Submit{}), {protocol::Tokenize{}}, {protocol::Detokenize{}}}) {
        ends_.clear();
        start({.answer = kSoon});
        engine().send(protocol::PhaseChange{protocol::Phase::Idle, 0});
        settle(loop_);
        link_->send(question);
        run_until_ended();
        expect_end(Cause::Silence, "silent for more than 1 ms in phase idle");
    }
}

TEST_F(EngineLinkTest, AnAnswerThatIsOwedOutlivesAnIdlePhase) {
    start({.answer = kSoon});
    engine().send(protocol::PhaseChange{protocol::Phase::Step, 60'000});
    settle(loop_);
    link_->send(protocol::Submit{});
    engine().send(protocol::PhaseChange{protocol::Phase::Idle, 0});  // sent before the Submit was read
    run_until_ended();
    expect_end(Cause::Silence, "in phase idle");
}

TEST_F(EngineLinkTest, AnEngineThatHasAnsweredMayBeSilent) {
    start({.answer = kSoon});
    engine().send(protocol::PhaseChange{protocol::Phase::Idle, 0});
    link_->send(protocol::Submit{});
    link_->send(protocol::Tokenize{});
    link_->send(protocol::Detokenize{});
    engine().send(protocol::Detokenized{});
    engine().send(protocol::Accepted{});
    engine().send(protocol::Refused{});
    settle(loop_);
    link_->send(protocol::Cancel{});
    const auto before = base::Clock::now();
    ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(5)));
    EXPECT_GE(base::Clock::now() - before, std::chrono::milliseconds(5)) << "a timer is left";
    EXPECT_TRUE(ends_.empty());
}

TEST_F(EngineLinkTest, StopLetsItLeaveByItself) {
    link_->stop();
    EXPECT_TRUE(engine().hung_up());
    engine().exit_with(0);
    settle(loop_);
    expect_end(Cause::Asked, "");
    EXPECT_EQ(engine().kills, 0);
}

TEST_F(EngineLinkTest, NothingIsDeliveredAfterStop) {
    on_message_ = [this] { link_->stop(); };
    engine().send(protocol::LoadProgress{1});
    engine().send(protocol::LoadProgress{2});
    settle(loop_);
    EXPECT_EQ(messages_.size(), 1u);
    engine().exit_with(0);
    settle(loop_);
    expect_end(Cause::Asked, "");
}

TEST_F(EngineLinkTest, ALargeFrameWaitsUntilTheEngineReads) {
    protocol::Submit submit;
    submit.prompt.assign(4u << 20, 'x');
    link_->send(submit);
    link_->send(protocol::Start{1});
    std::optional<protocol::Message> first;
    constexpr int kTurns = 1000;
    for (int i = 0; i < kTurns && !first; ++i) {
        first = engine().next();
        settle(loop_);
    }
    ASSERT_TRUE(first);
    EXPECT_EQ(std::get<protocol::Submit>(*first).prompt, submit.prompt);
    EXPECT_EQ(engine().expect<protocol::Start>().id, 1u);
}

TEST_F(EngineLinkTest, AnEngineThatNeverReadsIsEnded) {
    protocol::Submit submit;
    submit.prompt.assign(protocol::kMaxStringBytes, 'x');
    for (size_t sent = 0; sent <= EngineLink::kMaxUnsentBytes + protocol::kMaxStringBytes;
         sent += protocol::kMaxStringBytes) {
        link_->send(submit);
    }
    settle(loop_);
    expect_end(Cause::Silence, "does not read");
}

TEST_F(EngineLinkTest, TheDestructorKillsARunningEngine) {
    link_.reset();
    EXPECT_EQ(engine().kills, 1);
    settle(loop_);
    EXPECT_TRUE(ends_.empty());
}

}  // namespace
}  // namespace llmd::supervisor
