#include "api/keep_alive.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_writer.h"

namespace llmd::api {

namespace {

using std::chrono::seconds;

constexpr std::string_view kDigits = "0123456789.";

// In seconds. A unit comes before those that it begins with.
constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{
    {"ns", 1e-9},
    {"us", 1e-6},
    {"\u00b5s", 1e-6},  // the micro sign
    {"\u03bcs", 1e-6},  // the Greek letter
    {"ms", 1e-3},
    {"s", 1},
    {"m", 60},
    {"h", 3600},
}};

// Takes the decimal number that `text` begins with.
std::optional<double> take_number(std::string_view& text) {
    const std::string_view digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    text.remove_prefix(digits.size());
    return number;
}

std::optional<double> take_unit(std::string_view& text) {
    for (const auto& [unit, length] : kUnits) {
        if (!text.starts_with(unit)) continue;
        text.remove_prefix(unit.size());
        return length;
    }
    return std::nullopt;
}

// In seconds.
std::optional<double> parse_text(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    auto number = take_number(text);
    if (!number) return std::nullopt;
    double sum = 0;
    if (text.empty()) {
        sum = *number;
    } else {
        while (true) {
            const auto unit = take_unit(text);
            if (!number || !unit) return std::nullopt;
            sum += *number * *unit;
            if (text.empty()) break;
            number = take_number(text);
        }
    }
    return is_negative ? -sum : sum;
}

std::optional<double> parse(const base::Value& value) {
    if (const auto* number = value.get<int64_t>()) return static_cast<double>(*number);
    if (const auto* number = value.get<uint64_t>()) return static_cast<double>(*number);
    if (const auto* number = value.get<double>()) return *number;
    if (const auto* text = value.get<std::string>()) return parse_text(*text);
    return std::nullopt;
}

}  // namespace

base::Result<seconds> parse_keep_alive(const base::Value& value) {
    const auto time = parse(value);
    if (!time || std::isnan(*time)) {
        const auto* text = value.get<std::string>();
        return base::fail(base::ErrorCode::InvalidArgument,
                          "keep_alive: ", base::in_quotes(text != nullptr ? *text : base::json_text(value)),
                          " is neither a number of seconds nor a duration such as \"5m\"");
    }
    if (*time < 0) return seconds(-1);
    const auto longest = static_cast<double>(kLongestKeepAlive.count());
    return *time >= longest ? kLongestKeepAlive : seconds(static_cast<int64_t>(std::ceil(*time)));
}

}  // namespace llmd::api
