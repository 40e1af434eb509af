// keep_alive as Ollama's clients write it.
#include "api/keep_alive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace llmd::api {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(KeepAlive, NumbersAreSeconds) {
    EXPECT_EQ(*parse_keep_alive(300), seconds(300));
    EXPECT_EQ(*parse_keep_alive(0), seconds(0));
    EXPECT_EQ(*parse_keep_alive(1.5), seconds(2));
    EXPECT_EQ(*parse_keep_alive("300"), seconds(300));
    EXPECT_EQ(*parse_keep_alive("0"), seconds(0));
}

TEST(KeepAlive, DurationsAreThoseOfGo) {
    EXPECT_EQ(*parse_keep_alive("5m"), minutes(5));
    EXPECT_EQ(*parse_keep_alive("1h30m"), minutes(90));
    EXPECT_EQ(*parse_keep_alive("+1.5h"), minutes(90));
    EXPECT_EQ(*parse_keep_alive(".5h"), minutes(30));
    EXPECT_EQ(*parse_keep_alive("2h0m1s"), hours(2) + seconds(1));
    EXPECT_EQ(*parse_keep_alive("0s"), seconds(0));
    // Rounded down these would unload the model at once.
    EXPECT_EQ(*parse_keep_alive("300ms"), seconds(1));
    EXPECT_EQ(*parse_keep_alive("7us"), seconds(1));
    EXPECT_EQ(*parse_keep_alive("7\u00b5s"), seconds(1));
    EXPECT_EQ(*parse_keep_alive("7\u03bcs"), seconds(1));
    EXPECT_EQ(*parse_keep_alive("7ns"), seconds(1));
}

TEST(KeepAlive, NegativeOnesPinTheModel) {
    EXPECT_EQ(*parse_keep_alive(-1), seconds(-1));
    EXPECT_EQ(*parse_keep_alive(-600), seconds(-1));
    EXPECT_EQ(*parse_keep_alive(-0.5), seconds(-1));
    EXPECT_EQ(*parse_keep_alive("-1"), seconds(-1));
    EXPECT_EQ(*parse_keep_alive("-1m"), seconds(-1));
}

TEST(KeepAlive, EndlessOnesAreAYear) {
    EXPECT_EQ(*parse_keep_alive(std::numeric_limits<uint64_t>::max()), kLongestKeepAlive);
    EXPECT_EQ(*parse_keep_alive(1e300), kLongestKeepAlive);
    EXPECT_EQ(*parse_keep_alive(std::string(300, '9') + "h"), kLongestKeepAlive);
}

TEST(KeepAlive, RefusesWhatIsNone) {
    for (const char* text : {"x", "", "-", "5 m", "m", "5m3", "1h-5m", "5mm", "1.2.3s", "inf", "nan", "1e3s"}) {
        const auto parsed = parse_keep_alive(text);
        ASSERT_FALSE(parsed.has_value()) << text;
        EXPECT_EQ(parsed.error().code, base::ErrorCode::InvalidArgument);
        EXPECT_NE(parsed.error().message.find("keep_alive: " + base::in_quotes(text)), std::string::npos)
            << parsed.error().message;
    }
    for (const base::Value& value :
         {base::Value(true), base::Value(), base::Value(base::Value::Array{}), base::Value(std::nan(""))}) {
        EXPECT_FALSE(parse_keep_alive(value).has_value());
    }
}

}  // namespace
}  // namespace llmd::api
