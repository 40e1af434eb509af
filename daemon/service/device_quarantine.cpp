#include "service/device_quarantine.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "supervisor/device_record.h"

namespace llmd::service {

void DeviceQuarantine::keep_in(std::string path) {
    if (!path_) health_ = supervisor::DeviceHealth::decode(supervisor::read_device_record(path));
    path_ = std::move(path);
}

DeviceQuarantine::Avoidance DeviceQuarantine::avoid(const supervisor::FileIdentity& file) const {
    Avoidance avoidance;
    if (const auto left = left_by_.find(file); left != left_by_.end()) {
        avoidance.reason = left->second;
    } else if (const auto* quarantine = health_.quarantine(wall_())) {
        avoidance.reason = quarantine->reason;
        avoidance.looks = quarantine->may_look;
        if (avoidance.looks) avoidance.device = quarantine->device;
    }
    return avoidance;
}

bool DeviceQuarantine::count(const supervisor::DeviceName& device, const std::string& what, base::TimePoint started,
                             base::TimePoint now) {
    // One that was started after it is not a victim of the same reset.
    const bool is_same = last_ && last_->device == device && started < last_->time && now - last_->time < kOneReset;
    if (is_same) return false;
    last_ = Death{device, now};
    if (!health_.add_failure(device, what, wall_())) return false;
    spdlog::warn("{}", reason());
    keep();
    return true;
}

void DeviceQuarantine::leave(const supervisor::FileIdentity& file, std::string reason) {
    spdlog::warn("{}", reason);
    left_by_[file] = std::move(reason);
}

void DeviceQuarantine::found_another() {
    health_.forget();
    keep();
}

void DeviceQuarantine::forget() {
    left_by_.clear();
    found_another();
}

std::string DeviceQuarantine::reason() const {
    if (const auto* quarantine = health_.quarantine(wall_())) return quarantine->reason;
    return left_by_.empty() ? std::string() : left_by_.begin()->second;
}

void DeviceQuarantine::keep() {
    if (path_.value_or("").empty()) return;
    const auto written = supervisor::write_device_record(*path_, health_.encode());
    if (!written) spdlog::warn("what is known about the device is not kept: {}", written.error().message);
}

}  // namespace llmd::service
