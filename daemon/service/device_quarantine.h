// Which compute device engines are kept away from, and what each of them has to know of it: for every model, when
// engines have failed on it again and again (DeviceHealth, kept in a file), or for one model file, whose requests it
// has failed. One for all engines: a reset of the GPU can end several at once, and counts once. Logs. Thread-bound to
// the event loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "supervisor/device_health.h"
#include "supervisor/model_catalogue.h"

namespace llmd::service {

// Engines that end on one device within this time of each other have one cause.
inline constexpr std::chrono::seconds kOneReset{5};

class DeviceQuarantine {
public:
    using WallTime = supervisor::DeviceHealth::WallTime;

    explicit DeviceQuarantine(std::function<WallTime()> wall) : wall_(std::move(wall)) {}

    // Where it is kept from now on; empty: nowhere. The first time, what an earlier llmd has kept there is read.
    void keep_in(std::string path);

    // An engine for this file has to know this.
    struct Avoidance {
        std::string reason;  // empty: any device will do
        // The engine may look whether this device has another driver by now. Empty: it is not to touch it at all.
        supervisor::DeviceName device;
        bool looks = false;
    };
    Avoidance avoid(const supervisor::FileIdentity& file) const;
    bool is_left_by(const supervisor::FileIdentity& file) const { return left_by_.contains(file); }

    // An engine that was started at `started` has failed on this device. True: that quarantines it for all.
    bool count(const supervisor::DeviceName& device, const std::string& what, base::TimePoint started,
               base::TimePoint now);
    // For one file, as long as this llmd lives.
    void leave(const supervisor::FileIdentity& file, std::string reason);
    // An engine that only looked at the device has failed too.
    void forbid_looking() { health_.forbid_looking(); }
    // An engine that looked computes on a GPU: it is another one, or has another driver now.
    void found_another();
    // Somebody who may do so wants it used again.
    void forget();

    // For people; empty: no device is quarantined.
    std::string reason() const;

private:
    struct Death {
        supervisor::DeviceName device;
        base::TimePoint time;
    };
    void keep();

    const std::function<WallTime()> wall_;
    std::optional<std::string> path_;
    supervisor::DeviceHealth health_;
    std::map<supervisor::FileIdentity, std::string> left_by_;  // and why
    std::optional<Death> last_;                                // the last one that was counted
};

}  // namespace llmd::service
