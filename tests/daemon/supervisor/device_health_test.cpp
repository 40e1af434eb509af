// Three failures in ten minutes quarantine a device for a day, also for the llmd that comes after this one.
#include "supervisor/device_health.h"

#include <gtest/gtest.h>

#include <random>

namespace llmd::supervisor {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const DeviceName kAdreno{"FD630", "26.1.6"};
const DeviceHealth::WallTime kNoon{hours(24 * 365 * 55)};

DeviceHealth quarantined() {
    DeviceHealth health;
    for (int i = 0; i < 3; ++i) health.add_failure(kAdreno, "ended by signal 6 (Aborted)", kNoon);
    return health;
}

TEST(DeviceHealth, TheThirdFailureInTenMinutesQuarantinesADevice) {
    DeviceHealth health;
    EXPECT_FALSE(health.add_failure(kAdreno, "a", kNoon));
    EXPECT_FALSE(health.add_failure(kAdreno, "b", kNoon + minutes(5)));
    EXPECT_EQ(health.quarantine(kNoon + minutes(5)), nullptr);
    EXPECT_TRUE(health.add_failure(kAdreno, "was silent", kNoon + minutes(10) - seconds(1)));
    const auto* quarantine = health.quarantine(kNoon + minutes(10));
    ASSERT_NE(quarantine, nullptr);
    EXPECT_EQ(quarantine->device, kAdreno);
    EXPECT_FALSE(quarantine->may_look) << "its driver has just failed";
    EXPECT_NE(quarantine->reason.find("FD630 is quarantined for a day"), std::string::npos) << quarantine->reason;
    EXPECT_NE(quarantine->reason.find("was silent"), std::string::npos) << quarantine->reason;
}

TEST(DeviceHealth, FailuresThatAreFarBetweenAreAccidents) {
    DeviceHealth health;
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(health.add_failure(kAdreno, "a", kNoon + i * minutes(5)));
    EXPECT_EQ(health.quarantine(kNoon + minutes(100)), nullptr);
}

TEST(DeviceHealth, EveryDeviceIsCountedByItself) {
    DeviceHealth health;
    const DeviceName others[] = {{"FD630", "26.2.0"}, {"FD740", "26.1.6"}, {}};
    for (const DeviceName& device : others) {
        EXPECT_FALSE(health.add_failure(device, "a", kNoon));
        EXPECT_FALSE(health.add_failure(device, "a", kNoon));
    }
    EXPECT_TRUE(health.add_failure(others[2], "a", kNoon)) << "an engine that dies before it knows its device";
    EXPECT_NE(health.quarantine(kNoon)->reason.find("the GPU is quarantined"), std::string::npos);
}

TEST(DeviceHealth, ItIsTriedAgainAfterADayOrWhenTheClockWasSetBack) {
    const DeviceHealth health = quarantined();
    EXPECT_NE(health.quarantine(kNoon), nullptr);
    EXPECT_NE(health.quarantine(kNoon + hours(24) - seconds(1)), nullptr);
    EXPECT_EQ(health.quarantine(kNoon + hours(24)), nullptr);
    EXPECT_EQ(health.quarantine(kNoon - seconds(1)), nullptr);
    EXPECT_EQ(health.quarantine(DeviceHealth::WallTime{}), nullptr);
}

TEST(DeviceHealth, AfterADayItTakesThreeNewFailures) {
    DeviceHealth health = quarantined();
    const auto next = kNoon + hours(25);
    EXPECT_FALSE(health.add_failure(kAdreno, "a", next));
    EXPECT_EQ(health.quarantine(next), nullptr);
    EXPECT_FALSE(health.add_failure(kAdreno, "a", next));
    EXPECT_TRUE(health.add_failure(kAdreno, "a", next));
    EXPECT_NE(health.quarantine(next), nullptr);
}

TEST(DeviceHealth, AClockThatIsSetBackForgetsWhatItHasNotReached) {
    DeviceHealth health;
    health.add_failure(kAdreno, "a", kNoon);
    health.add_failure(kAdreno, "a", kNoon);
    EXPECT_FALSE(health.add_failure(kAdreno, "a", kNoon - hours(1)));
}

TEST(DeviceHealth, TheNextLlmdKnowsItAndMayLookWhetherTheDriverIsNew) {
    const DeviceHealth before = quarantined();
    DeviceHealth after = DeviceHealth::decode(before.encode());
    const auto* quarantine = after.quarantine(kNoon + hours(1));
    ASSERT_NE(quarantine, nullptr);
    EXPECT_EQ(quarantine->device, kAdreno);
    EXPECT_EQ(quarantine->since, kNoon);
    EXPECT_EQ(quarantine->reason, before.quarantine(kNoon)->reason);
    EXPECT_TRUE(quarantine->may_look);
    EXPECT_EQ(after.encode(), before.encode());
    after.forbid_looking();
    EXPECT_FALSE(after.quarantine(kNoon)->may_look);
    after.forget();
    EXPECT_EQ(after.quarantine(kNoon), nullptr);
    EXPECT_EQ(after.encode(), "");
}

TEST(DeviceHealth, WhatHasNoNameCannotBeLookedAt) {
    DeviceHealth health;
    for (int i = 0; i < 3; ++i) health.add_failure({}, "a", kNoon);
    const DeviceHealth after = DeviceHealth::decode(health.encode());
    ASSERT_NE(after.quarantine(kNoon), nullptr);
    EXPECT_FALSE(after.quarantine(kNoon)->may_look);
}

TEST(DeviceHealth, StrangeNamesAndReasonsSurviveAsOneLine) {
    DeviceHealth health;
    const DeviceName strange{"F\nD \xff 630", std::string(5000, 'd')};
    const std::string what = "said:\nsince 0\n" + std::string(3000, '\xc3');
    for (int i = 0; i < 3; ++i) health.add_failure(strange, what, kNoon);
    const DeviceHealth after = DeviceHealth::decode(health.encode());
    ASSERT_NE(after.quarantine(kNoon), nullptr);
    EXPECT_EQ(after.encode(), health.encode());
}

TEST(DeviceHealth, DamageIsAsIfThereWereNothing) {
    const std::string good = quarantined().encode();
    for (size_t size = 0; size < good.size(); ++size) {
        EXPECT_EQ(DeviceHealth::decode(good.substr(0, size)).quarantine(kNoon), nullptr) << size;
    }
    EXPECT_EQ(DeviceHealth::decode(good + "x").quarantine(kNoon), nullptr);
    for (const auto& [part, other] :
         {std::pair{"health 1", "health 2"}, std::pair{"since ", "since -"}, std::pair{"since ", "since 9999999999999"},
          std::pair{"since ", "since x"}, std::pair{"\ndriver", "\ndevice"}, std::pair{"\nname ", "\nname \x01"}}) {
        std::string bad = good;
        bad.replace(bad.find(part), std::string(part).size(), other);
        EXPECT_EQ(DeviceHealth::decode(bad).quarantine(kNoon), nullptr) << bad;
    }
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string bad = good;
        for (int flips = 0; flips < 3; ++flips) bad[random() % bad.size()] = static_cast<char>(random());
        DeviceHealth::decode(bad).encode();
    }
}

}  // namespace
}  // namespace llmd::supervisor
