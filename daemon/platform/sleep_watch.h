// Tells before the device sleeps and after it has woken, and holds the sleep back until llmd has stopped computing.
// Thread-bound to the event loop.
#pragma once

#include <functional>

namespace llmd::platform {

class SleepWatch {
public:
    virtual ~SleepWatch() = default;
    // Between the announcement of a sleep and the end of it.
    virtual bool goes_to_sleep() const = 0;
    // Called from the loop whenever goes_to_sleep() has changed.
    virtual void on_changed(std::function<void()> callback) = 0;
    // Whether the device has to wait for llmd before it sleeps. It waits only for a few seconds, whatever llmd does.
    virtual void set_delayed(bool delayed) = 0;
};

}  // namespace llmd::platform
