#include "engine/model/quoted.h"

namespace llmd::model {

std::string quoted(std::string_view text) {
    constexpr size_t kMaxBytes = 64;
    std::string out = "\"";
    for (const char c : text.substr(0, kMaxBytes)) out += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > kMaxBytes) out += "...";
    return out + '"';
}

}  // namespace llmd::model
