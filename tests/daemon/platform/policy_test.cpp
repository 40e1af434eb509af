// The effects of each condition, alone and together; nothing flaps.
#include "platform/policy.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string_view>

namespace llmd::platform {
namespace {

using base::ErrorCode;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MilliCelsius kPassive = 90'000;
constexpr MilliCelsius kHot = 105'000;

class PolicyTest : public testing::Test {
protected:
    static Conditions working() {
        Conditions conditions;
        conditions.memory_is_watched = true;
        conditions.has_engine = conditions.has_work = true;
        return conditions;
    }
    static Conditions idle(bool on_battery) {
        Conditions conditions;
        conditions.has_engine = true;
        conditions.power = Power{on_battery, Battery::Fine, false};
        return conditions;
    }
    static Conditions powered(bool on_battery, Battery battery, bool saves) {
        Conditions conditions = working();
        conditions.power = Power{on_battery, battery, saves};
        return conditions;
    }
    static Conditions at(MilliCelsius temperature) {
        Conditions conditions = working();
        conditions.heat = HeatReading{NearestTrip{"cpu", temperature, kPassive}, NearestTrip{"cpu", temperature, kHot}};
        return conditions;
    }
    Directive decide(const Conditions& conditions) { return policy_.decide(conditions, now_); }
    Directive stall(const Conditions& conditions) {
        policy_.memory_stalled(now_);
        return decide(conditions);
    }

    base::TimePoint now_{minutes(1)};
    Policy policy_;
};

TEST_F(PolicyTest, WithoutAnyConditionEverythingIsAllowed) {
    Directive nothing;
    nothing.idle_time = IdleTimes{}.unload_on_mains;
    EXPECT_EQ(decide({}), nothing);
    EXPECT_FALSE(policy_.review_at());
    Directive expected = nothing;
    expected.words.memory = "enough";
    expected.states.memory = "enough";
    EXPECT_EQ(decide(working()), expected);
    EXPECT_FALSE(policy_.review_at()) << "no timer while it works";
}

TEST_F(PolicyTest, EachStallOfMemoryIsOneRungOfTheLadder) {
    const Directive dropped = stall(working());
    EXPECT_TRUE(dropped.drop_cache);
    EXPECT_TRUE(dropped.memory_is_short);
    EXPECT_EQ(dropped.max_slots, Directive::kAllSlots);
    EXPECT_FALSE(dropped.unload);
    EXPECT_FALSE(decide(working()).drop_cache) << "once a stall";

    const Directive small = stall(working());
    EXPECT_TRUE(small.drop_cache);
    EXPECT_EQ(small.max_slots, 1u);
    EXPECT_FALSE(small.unload);
    EXPECT_EQ(small.words.paused, "all but one request, because memory is short");
    EXPECT_EQ(small.states.paused, "all_but_one");
    EXPECT_EQ(small.states.memory, "one_at_a_time");

    const Directive unloaded = stall(working());
    EXPECT_TRUE(unloaded.unload);
    EXPECT_EQ(unloaded.max_slots, 1u) << "what runs ends first";
    EXPECT_FALSE(unloaded.refuse_all);

    const Directive refusing = stall(working());
    ASSERT_TRUE(refusing.refuse_all);
    EXPECT_EQ(refusing.refuse_all->code, ErrorCode::OutOfMemory);
    EXPECT_EQ(refusing.max_slots, 1u);
    EXPECT_EQ(stall(working()).words.memory, refusing.words.memory) << "there is no further rung";
    EXPECT_EQ(std::set<std::string_view>(
                  {dropped.states.memory, small.states.memory, unloaded.states.memory, refusing.states.memory}),
              (std::set<std::string_view>{"cache_dropped", "one_at_a_time", "unloads_when_idle", "refuses"}));
}

TEST_F(PolicyTest, AfterEachCalmMemoryGoesOneRungBack) {
    for (int i = 0; i < 4; ++i) stall(working());
    EXPECT_EQ(policy_.review_at(), now_ + kMemoryCalm);
    now_ += kMemoryCalm - seconds(1);
    EXPECT_TRUE(decide(working()).refuse_all);
    stall(working());
    now_ += kMemoryCalm - seconds(1);
    EXPECT_TRUE(decide(working()).refuse_all) << "the last stall counts";
    now_ += seconds(1);
    EXPECT_FALSE(decide(working()).refuse_all);
    EXPECT_TRUE(decide(working()).unload);
    EXPECT_EQ(policy_.review_at(), now_ + kMemoryCalm);
    now_ += 2 * kMemoryCalm;
    EXPECT_EQ(decide(working()).max_slots, Directive::kAllSlots);
    EXPECT_TRUE(decide(working()).memory_is_short);
    now_ += kMemoryCalm;
    EXPECT_EQ(decide(working()).words.memory, "enough");
    EXPECT_FALSE(decide(working()).memory_is_short);
    EXPECT_FALSE(policy_.review_at());
}

TEST_F(PolicyTest, PowerDecidesAboutBackground) {
    struct Row {
        bool on_battery;
        Battery battery;
        bool saves;
        bool run_background, refuse_background, unload;
        const char* words;
        const char* state;
    };
    const Row rows[] = {
        {false, Battery::Fine, false, true, false, false, "mains", "mains"},
        {true, Battery::Fine, false, true, false, false, "battery", "battery"},
        {true, Battery::Low, false, false, false, false, "battery, low", "battery_low"},
        {true, Battery::Critical, false, false, true, true, "battery, nearly empty", "battery_critical"},
        {false, Battery::Fine, true, false, false, false, "mains, saving power", "mains"},
        {true, Battery::Low, true, false, false, false, "battery, low, saving power", "battery_low"},
        {false, Battery::Critical, false, true, false, false, "mains", "mains"},
    };
    for (const Row& row : rows) {
        const Directive directive = decide(powered(row.on_battery, row.battery, row.saves));
        EXPECT_EQ(directive.words.power, row.words);
        EXPECT_EQ(directive.states.power, row.state);
        EXPECT_EQ(directive.states.saves_power, row.saves) << row.words;
        EXPECT_EQ(directive.states.paused, row.run_background ? "none" : "background") << row.words;
        EXPECT_EQ(directive.run_background, row.run_background) << row.words;
        EXPECT_EQ(directive.refuse_background.has_value(), row.refuse_background) << row.words;
        EXPECT_EQ(directive.unload, row.unload) << row.words;
        EXPECT_EQ(directive.words.paused.empty(), row.run_background) << row.words;
        EXPECT_FALSE(directive.refuse_all) << row.words;
        EXPECT_EQ(directive.max_slots, Directive::kAllSlots) << row.words;
    }
    EXPECT_EQ(decide(powered(true, Battery::Critical, false)).refuse_background->code, ErrorCode::Suspended);
    Conditions only_profile = working();
    only_profile.power = Power{std::nullopt, Battery::Critical, true};
    EXPECT_EQ(decide(only_profile).words.power, "saving power");
    EXPECT_EQ(decide(only_profile).states.power, "unknown");
    EXPECT_FALSE(decide(only_profile).refuse_background);
}

TEST_F(PolicyTest, SleepPausesEverythingAndTakesNothingNew) {
    Conditions conditions = working();
    conditions.goes_to_sleep = true;
    const Directive directive = decide(conditions);
    EXPECT_TRUE(directive.suspended);
    EXPECT_EQ(directive.states.sleep, "going_to_sleep");
    EXPECT_EQ(directive.states.paused, "all");
    EXPECT_EQ(directive.max_slots, 0u);
    ASSERT_TRUE(directive.refuse_all);
    EXPECT_EQ(directive.refuse_all->code, ErrorCode::Suspended);
    EXPECT_FALSE(directive.unload) << "it goes on where it was";
    EXPECT_FALSE(decide(working()).suspended);
}

TEST_F(PolicyTest, PacesNearAPassiveTripPointAndPausesNearAHotOne) {
    struct Row {
        MilliCelsius temperature;
        uint32_t duty_cycle_percent;
        bool throttled, paused;
    };
    const Row rows[] = {
        {84'900, 100, false, false}, {85'000, 80, true, false},  // 5 °C below 90
        {86'000, 72, true, false},   {90'000, 40, true, false}, {92'500, 20, true, false},
        {99'900, 20, true, false},   {100'000, 20, true, true},  // 5 °C below 105
        {96'000, 20, true, true},    {94'900, 20, true, false},  // 10 °C below
        {84'000, 80, true, false},   {82'000, 80, true, false}, {81'900, 100, false, false},
        {84'900, 100, false, false},
    };
    for (const Row& row : rows) {
        const Directive directive = decide(at(row.temperature));
        EXPECT_EQ(directive.duty_cycle_percent, row.duty_cycle_percent) << row.temperature;
        EXPECT_EQ(directive.throttled, row.throttled) << row.temperature;
        EXPECT_EQ(directive.max_slots == 0, row.paused) << row.temperature;
        EXPECT_FALSE(directive.refuse_all) << "whoever comes may wait";
    }
    EXPECT_EQ(decide(at(86'000)).words.heat, "cpu is at 86.0 °C of 90.0 °C, computing 72 % of the time");
    EXPECT_EQ(decide(at(86'000)).states.heat, "paced");
    EXPECT_EQ(decide(at(86'000)).states.nearest, (NearestTrip{"cpu", 86'000, kPassive}));
    EXPECT_EQ(decide(at(101'000)).states.heat, "paused");
    EXPECT_EQ(decide(at(60'000)).states.heat, "fine");
    EXPECT_EQ(decide({}).states.heat, "unknown");
    EXPECT_EQ(decide(at(101'000)).words.paused, "everything, because cpu is at 101.0 °C");
    EXPECT_FALSE(decide(working()).throttled) << "nothing is measured any more";
}

// The kernel's passive trip points are not always below its hot ones, and either may be missing.
TEST_F(PolicyTest, EachKindOfTripPointCountsAlone) {
    Conditions conditions = working();
    conditions.heat = HeatReading{std::nullopt, NearestTrip{"gpu", 80'000, 84'000}};
    EXPECT_EQ(decide(conditions).max_slots, 0u);
    EXPECT_EQ(decide(conditions).duty_cycle_percent, 100u);
    conditions.heat = HeatReading{NearestTrip{"gpu", 80'000, 84'000}, std::nullopt};
    EXPECT_EQ(decide(conditions).max_slots, Directive::kAllSlots);
    EXPECT_LT(decide(conditions).duty_cycle_percent, 100u);
}

TEST_F(PolicyTest, AModelThatNobodyNeedsGoesSoonerOnBattery) {
    for (const bool on_battery : {true, false}) {
        policy_ = Policy();
        const auto timeout = on_battery ? minutes(5) : minutes(30);
        EXPECT_FALSE(decide(idle(on_battery)).unload);
        EXPECT_EQ(policy_.review_at(), now_ + timeout);
        now_ += timeout - seconds(1);
        EXPECT_FALSE(decide(idle(on_battery)).unload);
        now_ += seconds(1);
        EXPECT_TRUE(decide(idle(on_battery)).unload);
        EXPECT_FALSE(policy_.review_at());
    }
    decide(working());
    EXPECT_FALSE(decide(idle(true)).unload) << "it was needed";
    now_ += minutes(6);
    EXPECT_FALSE(decide(idle(false)).unload);
    EXPECT_TRUE(decide(idle(true)).unload) << "unplugged after all that time";
}

TEST_F(PolicyTest, AModelStaysAsLongAsTheLastOfItsClientsWishes) {
    Conditions conditions = idle(true);
    conditions.keep_alive = {{now_, std::nullopt}, {now_ - minutes(1), minutes(7)}, {now_, seconds(0)}};
    EXPECT_FALSE(decide(conditions).unload);
    EXPECT_EQ(policy_.review_at(), now_ + minutes(6));
    conditions.keep_alive[1].capped = true;
    decide(conditions);
    EXPECT_EQ(policy_.review_at(), now_ + minutes(5));
    conditions.keep_alive[2].time = seconds(-1);
    EXPECT_FALSE(decide(conditions).unload);
    EXPECT_FALSE(policy_.review_at()) << "nothing is due";
    conditions.keep_alive[2].capped = true;
    decide(conditions);
    EXPECT_EQ(policy_.review_at(), now_ + minutes(5));
    conditions.keep_alive = {{now_, seconds(0)}};
    EXPECT_TRUE(decide(conditions).unload);
}

TEST_F(PolicyTest, LeavesSomeTimeAfterTheModelIfItMay) {
    Conditions conditions;
    conditions.may_exit = true;
    EXPECT_FALSE(decide(conditions).exit);
    EXPECT_EQ(policy_.review_at(), now_ + minutes(10));
    now_ += minutes(9);
    EXPECT_FALSE(decide(working()).exit);
    EXPECT_FALSE(decide(conditions).exit);
    now_ += minutes(10);
    conditions.may_exit = false;
    EXPECT_FALSE(decide(conditions).exit);
    EXPECT_FALSE(policy_.review_at()) << "nothing will change by itself";
    conditions.may_exit = conditions.goes_to_sleep = true;
    EXPECT_FALSE(decide(conditions).exit);
    conditions.goes_to_sleep = false;
    EXPECT_TRUE(decide(conditions).exit);
}

TEST_F(PolicyTest, TheStrictestReasonHoldsAndAllAreTold) {
    for (int i = 0; i < 4; ++i) policy_.memory_stalled(now_);
    Conditions conditions = at(101'000);
    conditions.power = Power{true, Battery::Low, false};
    conditions.goes_to_sleep = true;
    const Directive directive = decide(conditions);
    EXPECT_EQ(directive.max_slots, 0u);
    EXPECT_EQ(directive.refuse_all->code, ErrorCode::Suspended) << "the first reason is told to callers";
    EXPECT_EQ(directive.words.paused,
              "everything, because the device is going to sleep; everything, because cpu is at 101.0 °C; all but one "
              "request, because memory is short; background requests, because the battery is low");
}

// A day of a phone: whatever happens, rules hold at each moment, and reviews are neither in the past nor endless.
TEST_F(PolicyTest, KeepsItsRulesThroughADayOfAnything) {
    std::mt19937 random(1);
    const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
    Conditions conditions = at(60'000);
    MilliCelsius temperature = 60'000;
    int n_reviews = 0;
    const auto end = now_ + std::chrono::hours(24);
    while (now_ < end) {
        temperature += static_cast<MilliCelsius>(random() % 6001) - 3000;
        temperature = std::clamp(temperature, 30'000, 110'000);
        if (chance(50)) conditions.heat = chance(90) ? at(temperature).heat : std::nullopt;
        if (chance(5)) conditions.has_work = !conditions.has_work;
        conditions.has_engine = conditions.has_work || (conditions.has_engine && !chance(1));
        if (chance(2)) conditions.goes_to_sleep = !conditions.goes_to_sleep;
        if (chance(2)) conditions.power = Power{chance(50), static_cast<Battery>(random() % 3), chance(20)};
        if (chance(2)) conditions.may_exit = !conditions.may_exit;
        if (chance(10)) policy_.memory_stalled(now_);
        const Directive directive = decide(conditions);
        ASSERT_GE(directive.duty_cycle_percent, kLeastDutyCycle);
        ASSERT_LE(directive.duty_cycle_percent, 100u);
        ASSERT_EQ(directive.suspended, conditions.goes_to_sleep);
        ASSERT_TRUE(!directive.suspended || directive.max_slots == 0);
        ASSERT_TRUE(!directive.exit || (!conditions.has_engine && !conditions.has_work && conditions.may_exit));
        const bool is_held_back = directive.max_slots < Directive::kAllSlots || !directive.run_background;
        ASSERT_EQ(directive.words.paused.empty(), !is_held_back);
        if (const auto when = policy_.review_at()) {
            ASSERT_GT(*when, now_);
            if (chance(20)) {
                now_ = *when;
                ++n_reviews;
                continue;
            }
        }
        now_ += seconds(1 + random() % 10);
    }
    EXPECT_GT(n_reviews, 0);
}

}  // namespace
}  // namespace llmd::platform
