// One health of the device for all engines: what ends several at once counts once.
#include "service/device_quarantine.h"

#include <gtest/gtest.h>

namespace llmd::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DeviceQuarantineTest : public testing::Test {
protected:
    bool count(base::TimePoint started) { return quarantine_.count(kGpu, "ended", started, now_); }

    const supervisor::DeviceName kGpu{"a GPU", "1.0"};
    base::TimePoint now_{seconds(1000)};
    DeviceQuarantine quarantine_{[] { return DeviceQuarantine::WallTime(std::chrono::hours(24)); }};
};

TEST_F(DeviceQuarantineTest, OneResetThatEndsSeveralEnginesCountsOnce) {
    const base::TimePoint started{seconds(10)};
    for (int reset = 0; reset < 2; ++reset) {
        for (int engine = 0; engine < 4; ++engine) {
            EXPECT_FALSE(count(started));
            now_ += milliseconds(1000);
        }
        now_ += seconds(10);
    }
    EXPECT_EQ(quarantine_.reason(), "");
    EXPECT_TRUE(count(started));
    EXPECT_NE(quarantine_.reason(), "");
}

TEST_F(DeviceQuarantineTest, OneThatWasStartedAfterTheResetIsNoVictimOfIt) {
    EXPECT_FALSE(count(base::TimePoint{seconds(10)}));
    EXPECT_FALSE(count(now_));
    EXPECT_TRUE(count(now_)) << "three in a row are the device";
}

TEST_F(DeviceQuarantineTest, WhatOneModelDoesToADeviceIsNoReasonForAnother) {
    const supervisor::FileIdentity one{1, 1, 1, 1}, other{2, 2, 2, 2};
    quarantine_.leave(one, "it ended");
    EXPECT_TRUE(quarantine_.is_left_by(one));
    EXPECT_EQ(quarantine_.avoid(one).reason, "it ended");
    EXPECT_EQ(quarantine_.avoid(other).reason, "");
    quarantine_.forget();
    EXPECT_EQ(quarantine_.avoid(one).reason, "");
}

}  // namespace
}  // namespace llmd::service
