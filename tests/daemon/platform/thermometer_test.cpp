// The zones of a made-up sysfs, sane and insane, as drivers of phones have both.
#include "platform/thermometer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_directory.h"

namespace llmd::platform {
namespace {

class ThermometerTest : public testing::Test {
protected:
    struct Trip {
        const char* type;
        const char* temperature;
    };
    void zone(int number, const std::string& type, const std::string& temperature, const std::vector<Trip>& trips) {
        const std::string path = "class/thermal/thermal_zone" + std::to_string(number) + '/';
        std::filesystem::create_directories(folder_.path() + '/' + path);
        folder_.write(path + "type", type + '\n');
        folder_.write(path + "temp", temperature + '\n');
        for (size_t i = 0; i < trips.size(); ++i) {
            folder_.write(path + "trip_point_" + std::to_string(i) + "_type", std::string(trips[i].type) + '\n');
            folder_.write(path + "trip_point_" + std::to_string(i) + "_temp", std::string(trips[i].temperature) + '\n');
        }
    }
    std::optional<HeatReading> read() { return thermometer_->read(); }

    test::TemporaryDirectory folder_;
    std::unique_ptr<Thermometer> thermometer_ = make_thermometer(folder_.path());
};

TEST_F(ThermometerTest, GivesTheZoneThatIsNearestToEachKindOfTripPoint) {
    zone(0, "cpu0-thermal", "70000", {{"passive", "95000"}, {"passive", "90000"}, {"critical", "110000"}});
    zone(1, "gpu-thermal", "75000", {{"passive", "96000"}, {"hot", "97000"}, {"critical", "120000"}});
    zone(2, "battery", "30000", {{"active", "31000"}});
    const auto heat = read();
    ASSERT_TRUE(heat && heat->passive && heat->hot);
    EXPECT_EQ(heat->passive->zone, "cpu0-thermal");
    EXPECT_EQ(heat->passive->trip, 90'000) << "its lower one";
    EXPECT_EQ(heat->passive->left(), 20'000);
    EXPECT_EQ(heat->hot->zone, "gpu-thermal");
    EXPECT_EQ(heat->hot->left(), 22'000);

    folder_.write("class/thermal/thermal_zone1/temp", "93500\n");
    EXPECT_EQ(read()->passive->zone, "gpu-thermal");
    EXPECT_EQ(read()->passive->temperature, 93'500);
}

TEST_F(ThermometerTest, PassesOverWhatMakesNoSense) {
    zone(0, "no reading", "-273000", {{"passive", "1000"}});
    zone(1, "no number", "cold", {{"passive", "1000"}});
    zone(2, "no limit", "50000", {{"passive", "0"}, {"hot", "-1"}, {"critical", "2147483647"}});
    zone(3, "too large", "99999999999999", {{"hot", "90000"}});
    zone(4, "no temp", "50000", {{"hot", "90000"}});
    std::filesystem::remove(folder_.path() + "/class/thermal/thermal_zone4/temp");
    EXPECT_FALSE(read());
    folder_.write("class/thermal/thermal_zone1/temp", "-500\n");
    const auto heat = read();
    ASSERT_TRUE(heat && heat->passive);
    EXPECT_EQ(heat->passive->temperature, -500);
    EXPECT_FALSE(heat->hot);
}

TEST_F(ThermometerTest, NamesAZoneInCleanText) {
    zone(0, "bad \xff name", "50000", {{"hot", "90000"}});
    ASSERT_TRUE(read());
    EXPECT_EQ(read()->hot->zone, "bad \uFFFD name");
}

TEST_F(ThermometerTest, ADeviceWithoutZonesHasNoTemperature) {
    EXPECT_FALSE(read());
}

}  // namespace
}  // namespace llmd::platform
