// Tells when programs have to wait for memory: the kernel's pressure stall information (Linux: accounting/psi), through
// systemd's protocol where it is spoken (systemd: MEMORY_PRESSURE). No reading and no timer: the kernel wakes llmd.
// Thread-bound to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/result.h"

namespace llmd::platform {

class MemoryPressure {
public:
    virtual ~MemoryPressure() = default;
    // Called from the loop when tasks have waited for longer than the trigger allows; with the default trigger at most
    // once in its window.
    virtual void on_stall(std::function<void()> callback) = 0;
};

// This trigger is set where systemd's protocol is not spoken: 200 ms of waiting in 2 s, in microseconds. Windows of 2 s
// are what the kernel grants a program without privileges.
inline constexpr const char* kDefaultTrigger = "some 200000 2000000";

// Where to look; in tests other directories.
struct PressureFiles {
    std::string proc = "/proc";
    std::string cgroups = "/sys/fs/cgroup";
};

// llmd's control group (v2), "/user.slice/…" say, from /proc/self/cgroup; empty: it has none.
std::string own_control_group(const PressureFiles& files);

// $MEMORY_PRESSURE_WATCH with $MEMORY_PRESSURE_WRITE (base64); without it the memory.pressure of llmd's own control
// group, else that of the whole system. A FIFO or a socket in place of a file is read, a file never is.
// NotReady: the user does not want it (/dev/null), or the kernel has none for llmd; the message says which. It is an
// ordinary state of a device.
base::Result<std::unique_ptr<MemoryPressure>> watch_memory_pressure(base::EventLoop& loop,
                                                                    const PressureFiles& files = {});

}  // namespace llmd::platform
