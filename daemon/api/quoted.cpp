#include "api/quoted.h"

#include <array>
#include <charconv>

#include "base/json_writer.h"

namespace llmd::api {

std::string in_quotes(std::string_view text) {
    return base::in_quotes(text, kMaxQuotedBytes);
}

std::string digits(double number) {
    std::array<char, 32> out;
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    return {out.data(), end};
}

}  // namespace llmd::api
