#include "base/notify.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace llmd::base {

namespace {

// A failure means that the service manager has gone: there is nobody to tell.
void notify(std::string_view assignment, std::string_view status) {
    std::string message(assignment);
    if (!status.empty()) {
        std::string line(status);
        std::replace(line.begin(), line.end(), '\n', ' ');
        if (!message.empty()) message += '\n';
        message += "STATUS=" + line;
    }
    sd_notify(0, message.c_str());
}

}  // namespace

void notify_ready(std::string_view status) {
    notify("READY=1", status);
}
void notify_status(std::string_view status) {
    notify("", status);
}
void notify_stopping(std::string_view status) {
    notify("STOPPING=1", status);
}
void notify_watchdog() {
    notify("WATCHDOG=1", "");
}

std::optional<std::chrono::milliseconds> watchdog_interval() {
    uint64_t usec = 0;
    if (sd_watchdog_enabled(0, &usec) <= 0) return std::nullopt;
    return std::max(std::chrono::milliseconds(1), std::chrono::milliseconds(usec / 2 / 1000));
}

}  // namespace llmd::base
