// From what happens to the device to what the engine is notified of, with a made-up device and an engine played by
// hand.
#include "service/governor.h"

#include <gtest/gtest.h>

#include "daemon/service/fake_pressure.h"
#include "daemon/service/service_fixture.h"

namespace llmd::service {

using namespace platform;
namespace {

using base::ErrorCode;
using std::chrono::minutes;
using std::chrono::seconds;

class FakeThermometer final : public Thermometer {
public:
    std::optional<HeatReading> read() override {
        ++n_readings;
        return HeatReading{NearestTrip{"cpu", temperature, 90'000}, NearestTrip{"cpu", temperature, 105'000}};
    }
    MilliCelsius temperature = 50'000;
    int n_readings = 0;
};

class FakePower final : public PowerWatch {
public:
    std::optional<Power> power() const override { return now; }
    void watch_battery(bool watch) override { watched = watch; }
    void on_changed(std::function<void()> callback) override { changed = std::move(callback); }
    void set(std::optional<Power> power) {
        now = power;
        changed();
    }
    std::optional<Power> now;
    bool watched = false;
    std::function<void()> changed;
};

class FakeSleep final : public SleepWatch {
public:
    bool goes_to_sleep() const override { return goes; }
    void on_changed(std::function<void()> callback) override { changed = std::move(callback); }
    void set_delayed(bool delayed) override { delays.push_back(delayed); }
    void prepare(bool sleep) {
        goes = sleep;
        changed();
    }
    bool goes = false;
    std::vector<bool> delays;  // everything it was notified of
    std::function<void()> changed;
};

class GovernorTest : public ServiceTest {
protected:
    GovernorTest() { govern({}); }
    ~GovernorTest() override { service_->on_status_changed(nullptr); }

    void govern(Governor::Options options) {
        governor_.reset();
        governor_ =
            std::make_unique<Governor>(loop_, *service_, Governor::Sources{&pressure_, &thermometer_, &power_, &sleep_},
                                       std::move(options), [this] { return now_; });
        service_->on_status_changed([this] { governor_->review(); });
        settle();
    }
    // Does what the loop's timer would do then.
    void pass(std::chrono::milliseconds time) {
        now_ += time;
        governor_->review();
        settle();
    }
    void engine_says_idle() { send(protocol::PhaseChange{protocol::Phase::Idle, 0}); }
    void engine_says_step() { send(protocol::PhaseChange{protocol::Phase::Step, 60'000}); }

    FakePressure pressure_;
    FakeThermometer thermometer_;
    FakePower power_;
    FakeSleep sleep_;
    std::unique_ptr<Governor> governor_;
};

TEST_F(GovernorTest, MemoryStallsGoDownTheLadderWhileATextGoesOn) {
    RecordingSink first, second;
    const RequestId a = run(first);
    const RequestId b = submit(second);
    expect_start(b);
    pressure_.stall();
    settle();
    engine().expect<protocol::DropCache>();
    pressure_.stall();
    settle();
    EXPECT_EQ(engine().expect<protocol::SetPaused>().id, b) << "one at a time";
    engine().expect<protocol::DropCache>();
    pressure_.stall();
    pressure_.stall();
    settle();
    engine().expect<protocol::DropCache>();
    EXPECT_EQ(refusal(request()).code, ErrorCode::OutOfMemory);
    finish(a);
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused) << "the next one's turn";
    finish(b);
    EXPECT_TRUE(engine().hung_up()) << "nobody needs the model any more";
    EXPECT_EQ(first.outcome().finish, Finish::Stop);
    EXPECT_EQ(second.outcome().finish, Finish::Stop);
    exit_engine();

    pass(4 * kMemoryCalm);
    EXPECT_EQ(service_->status().conditions.memory, "enough");
    RecordingSink third;
    submit(third);
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(GovernorTest, SleepIsDelayedUntilTheEngineRestsAndOnlyWithAModel) {
    EXPECT_TRUE(sleep_.delays.empty()) << "nothing is loaded";
    RecordingSink sink;
    const RequestId id = run(sink);
    engine_says_step();
    EXPECT_EQ(sleep_.delays, std::vector<bool>{true});
    token(id, 1, "one");

    sleep_.prepare(true);
    settle();
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(service_->status().state, State::Suspended);
    EXPECT_EQ(sleep_.delays, std::vector<bool>{true}) << "it still computes";
    EXPECT_EQ(refusal(request()).code, ErrorCode::Suspended);
    engine_says_idle();
    EXPECT_EQ(sleep_.delays, (std::vector<bool>{true, false}));
    engine().expect_nothing();

    sleep_.prepare(false);
    settle();
    EXPECT_EQ(sleep_.delays, (std::vector<bool>{true, false, true}));
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
    token(id, 2, " two");
    finish(id);
    EXPECT_EQ(sink.text, "one two");
    ASSERT_TRUE(service_->requests().empty());
    service_->unload_model({}, [](auto) {});
    settle();
    exit_engine();
    EXPECT_FALSE(sleep_.delays.back());
}

TEST_F(GovernorTest, BackgroundWaitsForPowerAndNobodyElse) {
    RecordingSink background, chat;
    auto generate = request();
    generate.priority = Priority::Background;
    const RequestId id = submit(background, generate);
    load_and_get_ready();
    expect_start(id);
    power_.set(Power{true, Battery::Low, false});
    settle();
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    expect_start(submit(chat));
    EXPECT_EQ(service_->status().conditions.power, "battery, low");
    power_.set(Power{true, Battery::Critical, false});
    settle();
    EXPECT_EQ(refusal(generate).code, ErrorCode::Suspended);
    power_.set(Power{false, Battery::Fine, false});
    settle();
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
}

TEST_F(GovernorTest, AnEmptyBatteryUnloadsUnderABackgroundRequestThatGoesOnLater) {
    RecordingSink sink;
    auto generate = request();
    generate.priority = Priority::Background;
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    expect_start(id);
    token(id, 7, "seven");
    power_.set(Power{true, Battery::Critical, false});
    settle();
    EXPECT_TRUE(engine().hung_up());
    exit_engine();
    EXPECT_FALSE(sink.ended());
    EXPECT_EQ(n_engines(), 1u);
    EXPECT_TRUE(power_.watched) << "it waits for that";
    power_.set(Power{false, Battery::Critical, false});
    settle();
    ASSERT_EQ(n_engines(), 2u);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Submit>().replay_ids, std::vector<int32_t>{7});
}

TEST_F(GovernorTest, AnEmptyBatteryIsKnownWhileNothingIsLoaded) {
    auto generate = request();
    generate.priority = Priority::Background;
    power_.set(Power{true, Battery::Fine, false});
    settle();
    EXPECT_TRUE(power_.watched);
    power_.set(Power{true, Battery::Critical, false});
    settle();
    EXPECT_EQ(refusal(generate).code, ErrorCode::Suspended);
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(GovernorTest, ReadsTheThermometerOnlyWhileAModelWorks) {
    pass(minutes(1));
    EXPECT_EQ(thermometer_.n_readings, 0);
    RecordingSink sink;
    const RequestId id = run(sink);
    EXPECT_EQ(thermometer_.n_readings, 1);
    pass(kHeatInterval / 2);
    EXPECT_EQ(thermometer_.n_readings, 1);
    thermometer_.temperature = 90'000;
    pass(kHeatInterval / 2);
    EXPECT_EQ(thermometer_.n_readings, 2);
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 40u);
    EXPECT_EQ(service_->status().state, State::Throttled);
    thermometer_.temperature = 101'000;
    pass(kHeatInterval);
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 20u);
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(service_->status().state, State::Throttled);
    thermometer_.temperature = 60'000;
    pass(kHeatInterval);
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 100u);
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(service_->status().state, State::Busy);
    finish(id);
    const int n = thermometer_.n_readings;
    pass(minutes(1));
    EXPECT_EQ(thermometer_.n_readings, n);
    EXPECT_EQ(service_->status().conditions.heat, "");
}

TEST_F(GovernorTest, UnloadsAnIdleModelAndKeepsWhichOneItWas) {
    service_->configure(base::Config{.max_models = 1});  // which name no model
    power_.set(Power{true, Battery::Fine, false});
    service_->load_model("b", [](auto) {});
    settle();
    load_and_get_ready();
    pass(minutes(5) - seconds(1));
    EXPECT_FALSE(engine().hung_up());
    pass(seconds(1));
    EXPECT_TRUE(engine().hung_up());
    EXPECT_TRUE(power_.watched);
    exit_engine();
    power_.set(Power{false, Battery::Fine, false});
    settle();
    EXPECT_FALSE(power_.watched) << "nothing wakes an idle llmd on mains";
    EXPECT_EQ(service_->status().state, State::Idle);
    RecordingSink sink;
    submit(sink, request(""));
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
}

TEST_F(GovernorTest, LeavesOnlyWithoutRequestsAndIfSomebodyStartsItAgain) {
    pass(minutes(60));
    int n_exits = 0;
    govern({{}, [&] { ++n_exits; }});
    power_.set(Power{true, Battery::Low, false});
    RecordingSink sink;
    auto generate = request();
    generate.priority = Priority::Background;
    const RequestId id = submit(sink, generate);
    pass(minutes(60));
    EXPECT_EQ(n_exits, 0) << "it waits for power";
    ASSERT_TRUE(service_->cancel(id));
    settle();
    pass(minutes(10) - seconds(1));
    EXPECT_EQ(n_exits, 0);
    pass(seconds(1));
    EXPECT_GE(n_exits, 1);
}

// A model of which somebody has an answer, and says how long it is to stay.
class KeepAliveTest : public GovernorTest {
protected:
    void answer(const std::string& share, std::optional<seconds> keep_alive, bool sandboxed = false) {
        auto generate = request();
        generate.caller.name = generate.caller.share = share;
        generate.keep_alive = keep_alive;
        generate.caller.sandboxed = sandboxed;
        RecordingSink sink;
        const bool is_first = n_engines() == 0;
        const RequestId id = submit(sink, generate);
        if (is_first) load_and_get_ready();
        expect_start(id);
        finish(id);
        EXPECT_TRUE(sink.ended());
    }
    bool is_loaded() { return !engine().hung_up(); }
    // The model goes after so much time, and not before.
    void expect_to_go_after(std::chrono::milliseconds time) {
        EXPECT_EQ(service_->status().main.unload_in, time);
        pass(time - seconds(1));
        EXPECT_TRUE(is_loaded());
        pass(seconds(1));
        EXPECT_FALSE(is_loaded());
    }
};

TEST_F(KeepAliveTest, AModelThatNobodyHasWaitedForGoesAsWell) {
    RecordingSink sink;
    const RequestId id = submit(sink);
    expect_load();
    ASSERT_TRUE(service_->cancel(id));
    settle();
    ready();
    expect_to_go_after(minutes(30));
}

TEST_F(KeepAliveTest, AQuestionForTheTokenizerIsNoWish) {
    const auto ask = [&] {
        service_->tokenize("a", "x", [](const auto&) {});
        settle();
        if (n_engines() == 1 && service_->status().state == State::Loading) load_and_get_ready();
        send(protocol::Tokenized{engine().expect<protocol::Tokenize>().id, {1}, {}});
    };
    ask();
    pass(minutes(29));
    ask();
    EXPECT_EQ(service_->status().main.unload_in, minutes(30));
    pass(minutes(29));
    EXPECT_TRUE(is_loaded());
    answer("a", seconds(0));
    EXPECT_FALSE(is_loaded());
}

TEST_F(KeepAliveTest, LoadingAModelByNameIsAWishForTheIdleTime) {
    answer("a", minutes(1));
    service_->load_model("a", [](const auto&) {});
    settle();
    EXPECT_EQ(service_->status().main.unload_in, minutes(30));
    answer("b", seconds(0), true);
    expect_to_go_after(minutes(30));
}

TEST_F(KeepAliveTest, WhatAProgramWishesAfterLoadModelHolds) {
    service_->load_model("a", [](const auto&) {});
    settle();
    load_and_get_ready();
    answer("a", seconds(0));
    EXPECT_FALSE(is_loaded());
}

TEST_F(KeepAliveTest, WithoutAWishTheIdleTimeCounts) {
    answer("a", std::nullopt);
    expect_to_go_after(minutes(30));
}

TEST_F(KeepAliveTest, AWishIsLongerOrShorterThanTheIdleTime) {
    answer("a", minutes(90));
    EXPECT_EQ(service_->status().main.unload_in, minutes(90));
    answer("a", minutes(2));
    expect_to_go_after(minutes(2));
}

TEST_F(KeepAliveTest, ZeroUnloadsAtOnceWhereNobodyElseWantsTheModel) {
    answer("a", std::nullopt);
    pass(minutes(10));
    answer("b", seconds(0));
    expect_to_go_after(minutes(20));
    exit_engine();
    RecordingSink sink;
    submit(sink);
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(KeepAliveTest, ZeroWaitsForWhoeverStillRuns) {
    RecordingSink other;
    const RequestId id = run(other);
    answer("b", seconds(0));
    EXPECT_TRUE(is_loaded());
    EXPECT_EQ(service_->status().main.unload_in, minutes(30)) << "after the one that runs";
    finish(id);
    expect_to_go_after(minutes(30));
}

TEST_F(KeepAliveTest, ZeroAloneUnloadsAfterTheAnswer) {
    answer("a", seconds(0));
    EXPECT_FALSE(is_loaded());
}

TEST_F(KeepAliveTest, APinStaysUntilItsClientSaysOtherwise) {
    answer("a", seconds(-1));
    EXPECT_EQ(service_->status().main.unload_in, std::chrono::milliseconds::max());
    pass(std::chrono::hours(1000));
    EXPECT_TRUE(is_loaded());
    answer("b", seconds(0));
    EXPECT_TRUE(is_loaded()) << "b has not pinned it";
    answer("a", seconds(0));
    EXPECT_FALSE(is_loaded());
}

TEST_F(KeepAliveTest, ASandboxKeepsAModelForTheIdleTimeAtMost) {
    answer("a", seconds(-1), true);
    EXPECT_EQ(service_->status().main.unload_in, minutes(30));
    answer("a", std::chrono::hours(24), true);
    expect_to_go_after(minutes(30));
}

TEST_F(KeepAliveTest, NoWishOutranksMemoryOrPower) {
    answer("a", seconds(-1));
    for (int i = 0; i < 3; ++i) pressure_.stall();
    settle();
    EXPECT_FALSE(is_loaded());
    exit_engine();

    RecordingSink sink;
    auto pinned = request();
    pinned.keep_alive = seconds(-1);
    pass(4 * kMemoryCalm);
    const RequestId id = submit(sink, pinned);
    load_and_get_ready();
    expect_start(id);
    finish(id);
    EXPECT_TRUE(is_loaded());
    power_.set(Power{true, Battery::Critical, false});
    settle();
    EXPECT_FALSE(is_loaded());
}

TEST_F(KeepAliveTest, AnotherModelTakesThePlaceAndHasItsOwnWishes) {
    answer("a", seconds(-1));
    RecordingSink sink;
    auto other = request("b");
    other.keep_alive = minutes(1);
    const RequestId id = submit(sink, other);
    EXPECT_FALSE(is_loaded());
    exit_engine();
    load_and_get_ready();
    expect_start(id);
    finish(id);
    expect_to_go_after(minutes(1));
}

TEST_F(KeepAliveTest, ARequestOfNothingUnloadsALoadedModel) {
    answer("a", seconds(-1));
    auto nothing = request();
    nothing.caller.share = "a";
    nothing.prompt.clear();
    nothing.max_tokens = 0;
    nothing.keep_alive = seconds(0);
    RecordingSink sink;
    submit(sink, nothing);
    EXPECT_EQ(sink.outcome().finish, Finish::Length);
    EXPECT_FALSE(is_loaded());
}

}  // namespace
}  // namespace llmd::service
