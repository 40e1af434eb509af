// Where the device's power comes from and how much is left, as the desktop's services report it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace llmd::platform {

enum class Battery : uint8_t { Fine, Low, Critical };

struct Power {
    std::optional<bool> on_battery;  // nothing: unknown
    Battery battery = Battery::Fine;
    bool saves = false;  // the power profile is power-saver
    bool operator==(const Power&) const = default;
};

// Thread-bound to the event loop.
class PowerWatch {
public:
    virtual ~PowerWatch() = default;
    // Nothing while nobody reports it.
    virtual std::optional<Power> power() const = 0;
    // Whether the battery's charge matters, which it does while the device runs on it: it changes all the time, and
    // each change wakes llmd. Otherwise the battery is Fine.
    virtual void watch_battery(bool watch) = 0;
    // Called from the loop whenever power() may have changed.
    virtual void on_changed(std::function<void()> callback) = 0;
};

}  // namespace llmd::platform
