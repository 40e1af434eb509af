// Values that a caller has sent, as messages to it show them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace llmd::api {

// Longer text is cut.
inline constexpr size_t kMaxQuotedBytes = 48;

// In double quotes, on one line and clean (base/utf8.h), whatever it is.
std::string in_quotes(std::string_view text);

// The shortest digits that mean this number and no other: 1.0000001 must not be shown as 1.
std::string digits(double number);

}  // namespace llmd::api
