#include "ipc/quoted.h"

#include <array>
#include <charconv>

#include "base/json_writer.h"

namespace llmd::ipc {

std::string in_quotes(std::string_view text) {
    std::string out;
    const bool cut = text.size() > kMaxQuotedBytes;
    base::append_json_string(out, text.substr(0, kMaxQuotedBytes));
    if (cut) out += "...";
    return out;
}

std::string digits(double number) {
    std::array<char, 32> out;
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    return {out.data(), end};
}

}  // namespace llmd::ipc
