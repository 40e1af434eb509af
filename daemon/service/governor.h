// Puts together the reports on the device, the policy, and the service that obeys. Reads the thermometer only while a
// model works; otherwise it has one timer at most, at the policy's next deadline.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "base/event_loop.h"
#include "platform/memory_pressure.h"
#include "platform/policy.h"
#include "platform/power.h"
#include "platform/sleep_watch.h"
#include "platform/thermometer.h"
#include "service/service.h"

namespace llmd::service {

// A phone's case warms up in minutes, its chip in seconds.
inline constexpr std::chrono::seconds kHeatInterval{2};

class Governor {
public:
    // The sources on this device; null where it has none.
    struct Sources {
        platform::MemoryPressure* memory = nullptr;
        platform::Thermometer* thermometer = nullptr;
        platform::PowerWatch* power = nullptr;
        platform::SleepWatch* sleep = nullptr;
    };
    struct Options {
        platform::IdleTimes idle_times;
        // Called, perhaps more than once, when llmd has had nothing to do for so long that it may exit. Empty: never,
        // since nobody would start it again.
        std::function<void()> on_exit;
    };

    // Objects that are passed by reference, and the sources, must outlive the governor.
    Governor(base::EventLoop& loop, Service& service, Sources sources, Options options,
             std::function<base::TimePoint()> now = base::Clock::now);
    ~Governor();
    Governor(const Governor&) = delete;
    Governor& operator=(const Governor&) = delete;

    // Looks at everything and has the service do what follows. To be called when the service's status has changed.
    void review();
    void set_idle_times(platform::IdleTimes idle_times);

private:
    // A timer that calls review(), and when it is due.
    struct Alarm {
        base::EventLoop::TimerId timer = 0;
        std::optional<base::TimePoint> when;
    };

    platform::Conditions conditions(const Activity& activity, base::TimePoint now);
    void measure_heat(bool wanted, base::TimePoint now);
    void set(Alarm& alarm, std::optional<base::TimePoint> when);
    void delay_sleep();

    base::EventLoop& loop_;
    Service& service_;
    const Sources sources_;
    const Options options_;
    const std::function<base::TimePoint()> now_;

    platform::Policy policy_;
    std::optional<platform::HeatReading> heat_;
    Alarm next_heat_;
    Alarm deadline_;
    bool delays_sleep_ = false;  // as the sleep watch was last notified
};

}  // namespace llmd::service
