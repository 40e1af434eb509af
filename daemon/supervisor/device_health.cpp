#include "supervisor/device_health.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/utf8.h"

namespace llmd::supervisor {
namespace {

using std::chrono::seconds;

// The first line of the file: another format is another number.
constexpr std::string_view kTitle = "llmd device health 1";
constexpr size_t kLines = 5;

// One line that is as it was after a journey through encode() and decode().
std::string one_line(std::string_view text) {
    std::string line = base::to_clean_text(text);
    line.resize(base::utf8_cut(line, kMaxReasonBytes));
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    return line;
}

// The line that begins with `key` and a space, without them; nothing for another line.
std::optional<std::string> value_of(std::string_view line, std::string_view key) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return std::nullopt;
    line.remove_prefix(key.size() + 1);
    if (line != one_line(line)) return std::nullopt;
    return std::string(line);
}

}  // namespace

bool DeviceHealth::add_failure(const DeviceName& device, std::string_view what, WallTime now) {
    std::erase_if(failures_, [&](const Failure& f) { return f.time > now || now - f.time >= kFailureWindow; });
    const DeviceName clean{one_line(device.name), one_line(device.driver)};
    failures_.push_back({clean, now});
    const auto n = static_cast<size_t>(std::count_if(failures_.begin(), failures_.end(),
                                                     [&](const Failure& failure) { return failure.device == clean; }));
    if (n < kMaxDeviceFailures) return false;
    const std::string what_failed = clean.name.empty() ? "the GPU" : clean.name;
    std::string reason = base::concat(
        what_failed, " is quarantined for a day, or until its driver is another one: ", "llmd-engine failed on it ", n,
        " times within ", kFailureWindow.count(), " minutes; the last time it ", what);
    quarantine_ = Quarantine{clean, std::chrono::floor<seconds>(now), one_line(reason), false};
    failures_.clear();
    return true;
}

const DeviceHealth::Quarantine* DeviceHealth::quarantine(WallTime now) const {
    if (!quarantine_ || now < quarantine_->since || now - quarantine_->since >= kQuarantineTime) return nullptr;
    return &*quarantine_;
}

void DeviceHealth::forbid_looking() {
    if (quarantine_) quarantine_->may_look = false;
}

std::string DeviceHealth::encode() const {
    if (!quarantine_) return {};
    const auto since = std::chrono::duration_cast<seconds>(quarantine_->since.time_since_epoch()).count();
    return base::concat(kTitle, "\nname ", quarantine_->device.name, "\ndriver ", quarantine_->device.driver,
                        "\nsince ", since, "\nreason ", quarantine_->reason, "\n");
}

DeviceHealth DeviceHealth::decode(std::string_view text) {
    std::array<std::string_view, kLines> lines;
    for (std::string_view& line : lines) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        line = text.substr(0, end);
        text.remove_prefix(end + 1);
    }
    const auto name = value_of(lines[1], "name");
    const auto driver = value_of(lines[2], "driver");
    const auto since = value_of(lines[3], "since");
    const auto reason = value_of(lines[4], "reason");
    if (!text.empty() || lines[0] != kTitle || !name || !driver || !since || !reason || reason->empty()) return {};
    int64_t count = 0;
    const auto [end, error] = std::from_chars(since->data(), since->data() + since->size(), count);
    // The latest time that the clock can hold.
    constexpr int64_t kLatest = std::chrono::duration_cast<seconds>(WallTime::max().time_since_epoch()).count();
    if (error != std::errc() || end != since->data() + since->size() || count < 0 || count > kLatest) return {};
    DeviceHealth health;
    health.quarantine_ = Quarantine{{*name, *driver}, WallTime(seconds(count)), *reason, !name->empty()};
    return health;
}

}  // namespace llmd::supervisor
