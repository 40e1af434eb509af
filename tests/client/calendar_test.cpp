// The days in a system message are in the words that the bundled model was trained with: the text is that of
// models/training/phone_text/times.py, letter for letter.
#include "client/calendar.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::year;

TEST(Calendar, NamesTodayAndTheNextSevenDays) {
    EXPECT_EQ(calendar(year(2026) / month(11) / day(26)),
              "Today is Thursday, 2026-11-26.\n"
              "Calendar: tomorrow Friday 2026-11-27, in 2 days Saturday 2026-11-28, in 3 days Sunday 2026-11-29, "
              "in 4 days Monday 2026-11-30, in 5 days Tuesday 2026-12-01, in 6 days Wednesday 2026-12-02, "
              "in 7 days Thursday 2026-12-03.");
}

TEST(Calendar, KnowsLeapYearsAndTheTurnOfTheYear) {
    EXPECT_NE(
        calendar(year(2028) / month(2) / day(28)).find("tomorrow Tuesday 2028-02-29, in 2 days Wednesday 2028-03-01"),
        std::string::npos);
    EXPECT_NE(calendar(year(2026) / month(12) / day(31)).find("tomorrow Friday 2027-01-01"), std::string::npos);
}

TEST(Calendar, StandsAtTheEndOfASystemMessage) {
    EXPECT_TRUE(with_calendar("").starts_with("Today is "));
    EXPECT_TRUE(with_calendar("Be brief.").starts_with("Be brief.\nToday is "));
}

}  // namespace
}  // namespace llmd::client
