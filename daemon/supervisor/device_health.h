// When a compute device that was chosen by itself is left for the CPU because engines fail on it, and when it is tried
// again. Pure: facts and wall-clock times in, verdicts out; device_record.h keeps what encode() gives across restarts
// of llmd, so a phone whose driver is broken does not begin every day with the same crashes.
//
// A device is quarantined after kMaxDeviceFailures counted failures within kFailureWindow, for kQuarantineTime or until
// its driver is another one. This is beside FaultCount (engine_fault.h), which looks at one request.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace llmd::supervisor {

// One may be an accident and two may be one request; a third in so short a time is the device.
inline constexpr size_t kMaxDeviceFailures = 3;
inline constexpr std::chrono::minutes kFailureWindow{10};
// Whatever it was may have passed: a day is seldom enough to be no nuisance, and soon enough to use a repaired device.
inline constexpr std::chrono::hours kQuarantineTime{24};
// The most bytes that are remembered about one failure.
inline constexpr size_t kMaxReasonBytes = 1024;

// As the engine reports them. Both empty: an engine failed before it could say which device it had taken.
struct DeviceName {
    std::string name;
    std::string driver;
    bool operator==(const DeviceName&) const = default;
};

class DeviceHealth {
public:
    using WallTime = std::chrono::system_clock::time_point;

    struct Quarantine {
        DeviceName device;
        WallTime since;
        std::string reason;  // one sentence for people
        // The engine may look whether the device has another driver now. Not so where it failed under this llmd: then
        // the driver is not to be touched at all.
        bool may_look = false;
    };

    // An engine on `device` has failed in a way that counts. True when that quarantines it.
    bool add_failure(const DeviceName& device, std::string_view what, WallTime now);
    // The device that is not to be used; nothing when there is none, when its time is over, or when `now` lies before
    // its beginning: a clock that was set back says nothing about how long ago that was.
    const Quarantine* quarantine(WallTime now) const;
    // An engine that only looked at the device has failed too: no more looking.
    void forbid_looking();
    // The device may be used again. Failures since then count on.
    void forget() { quarantine_.reset(); }

    // Lines of text, to be kept in a file; empty when no device is quarantined. Failures that were too few are
    // forgotten.
    std::string encode() const;
    // Reads what encode() gave to an earlier llmd. Anything else is as if there were nothing.
    static DeviceHealth decode(std::string_view text);

private:
    struct Failure {
        DeviceName device;
        WallTime time;
    };
    std::deque<Failure> failures_;  // of the last kFailureWindow
    std::optional<Quarantine> quarantine_;
};

}  // namespace llmd::supervisor
