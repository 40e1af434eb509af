#include "base/part_name.h"

#include <charconv>

#include "base/error.h"

namespace llmd::base {
namespace {

constexpr size_t kDigits = 5;
constexpr std::string_view kBeforeNumber = "-";
constexpr std::string_view kBeforeCount = "-of-";

// Takes five digits off the end of `text`; 0 where there are none, and for 00000, which is no part's number.
uint32_t take_number(std::string_view& text) {
    if (text.size() < kDigits) return 0;
    const std::string_view digits = text.substr(text.size() - kDigits);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + kDigits, number);
    if (error != std::errc() || end != digits.data() + kDigits) return 0;
    text.remove_suffix(kDigits);
    return number;
}

bool take_end(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
}

std::string digits_of(uint32_t number) {
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < kDigits ? kDigits - digits.size() : 0, '0') + digits;
}

}  // namespace

std::string PartName::of(uint32_t other) const {
    return concat(stem, kBeforeNumber, digits_of(other), kBeforeCount, digits_of(count), kModelSuffix);
}

std::optional<PartName> parse_part_name(std::string_view path) {
    PartName name;
    if (!take_end(path, kModelSuffix) || (name.count = take_number(path)) == 0) return std::nullopt;
    if (!take_end(path, kBeforeCount) || (name.number = take_number(path)) == 0) return std::nullopt;
    if (!take_end(path, kBeforeNumber) || name.number > name.count) return std::nullopt;
    if (path.empty() || path.ends_with('/')) return std::nullopt;
    name.stem = path;
    return name;
}

std::string part_text(uint32_t number, uint32_t count) {
    return concat("part ", number, " of ", count);
}

}  // namespace llmd::base
