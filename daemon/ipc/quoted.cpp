#include "ipc/quoted.h"

#include <array>
#include <charconv>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace llmd::ipc {

std::string in_quotes(std::string_view text) {
    std::string out;
    const std::string clean = base::to_clean_text(text);
    const size_t shown = base::utf8_cut(clean, kMaxQuotedBytes);
    base::append_json_string(out, clean.substr(0, shown));
    if (shown < clean.size()) out += "...";
    return out;
}

std::string digits(double number) {
    std::array<char, 32> out;
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    return {out.data(), end};
}

}  // namespace llmd::ipc
