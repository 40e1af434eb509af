// Which engine may compute on which device, for all devices (supervisor/device_lease): what has changed goes in, what
// engines are to be notified of comes out. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "supervisor/device_lease.h"

namespace llmd::service {

class DeviceLeases {
public:
    using EngineId = supervisor::DeviceLease::EngineId;
    struct Member {
        EngineId engine = 0;
        std::string device;
        std::optional<protocol::Priority> work;  // the highest class that it computes for
        bool alone = false;                      // it loads
    };

    // `due`: review() is to be called again.
    DeviceLeases(base::EventLoop& loop, std::function<base::TimePoint()> now, std::function<void()> due);
    DeviceLeases(const DeviceLeases&) = delete;
    DeviceLeases& operator=(const DeviceLeases&) = delete;
    ~DeviceLeases();

    // All engines that have a device now. The changes that it returns are to be sent in this order.
    std::vector<supervisor::DeviceLease::Change> review(std::span<const Member> members);
    // It has sent LeaseReleased.
    void release(EngineId engine);

private:
    base::EventLoop& loop_;
    const std::function<base::TimePoint()> now_;
    const std::function<void()> due_;
    std::map<std::string, supervisor::DeviceLease> leases_;  // by device
    std::map<EngineId, std::string> joined_;                 // and where
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::service
