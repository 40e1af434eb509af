#include "platform/oom_kills.h"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace llmd::platform {
namespace {

// Returns the number of the line "oom_kill N".
std::optional<uint64_t> count_in(const std::string& path) {
    std::ifstream file(path);
    constexpr std::string_view kKey = "oom_kill ";
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(kKey)) continue;
        uint64_t count = 0;
        const char* end = line.data() + line.size();
        const auto [rest, error] = std::from_chars(line.data() + kKey.size(), end, count);
        if (error == std::errc() && rest == end) return count;
        break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<uint64_t> count_oom_kills(const PressureFiles& files) {
    // "/user.slice/…", without the slash at the end that only the root has.
    std::string group = own_control_group(files);
    while (!group.empty()) {
        if (group.back() == '/') group.pop_back();
        if (const auto count = count_in(files.cgroups + group + "/memory.events")) return count;
        group.resize(group.empty() ? 0 : group.rfind('/') + 1);
    }
    return count_in(files.proc + "/vmstat");
}

bool OomKills::look(std::optional<uint64_t> count, base::TimePoint now) {
    const auto last = std::exchange(last_, count);
    // Fewer than before: llmd has been moved to another group.
    if (!last || !count || *count < *last) return true;
    if (*count > *last) risen_ = now;
    return risen_ && now - *risen_ <= kOneShortage;
}

}  // namespace llmd::platform
