#include "client/calendar.h"

#include <array>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace llmd::client {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr int kDaysAhead = 7;
// English in every locale: they are for the model.
constexpr std::array kWeekdays = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

std::string weekday_of(sys_days day) {
    return kWeekdays[std::chrono::weekday(day).c_encoding()];
}

std::string date_of(sys_days day) {
    const std::chrono::year_month_day date(day);
    std::ostringstream out;
    out << std::setfill('0') << std::setw(4) << static_cast<int>(date.year()) << '-' << std::setw(2)
        << static_cast<unsigned>(date.month()) << '-' << std::setw(2) << static_cast<unsigned>(date.day());
    return out.str();
}

sys_days today_here() {
    const std::time_t now = std::time(nullptr);
    std::tm here = {};
    ::localtime_r(&now, &here);
    constexpr int kFirstYear = 1900;
    return std::chrono::year(kFirstYear + here.tm_year) / (here.tm_mon + 1) / here.tm_mday;
}

}  // namespace

std::string calendar(sys_days today) {
    std::string out = "Today is " + weekday_of(today) + ", " + date_of(today) + ".\nCalendar: ";
    for (int n = 1; n <= kDaysAhead; ++n) {
        const sys_days day = today + days(n);
        out += n == 1 ? "tomorrow " : ", in " + std::to_string(n) + " days ";
        out += weekday_of(day) + ' ' + date_of(day);
    }
    return out + '.';
}

std::string with_calendar(const std::string& system) {
    return system + (system.empty() ? "" : "\n") + calendar(today_here());
}

}  // namespace llmd::client
