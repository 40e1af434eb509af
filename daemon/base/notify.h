// Tells the service manager how the daemon is: readiness, a status line, watchdog pings. Speaks to systemd and to
// OpenRC's notify=socket through $NOTIFY_SOCKET; without one every call does nothing. Only notify_ready() waits, for at
// most a second, when the manager has not read what came before.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace llmd::base {

// The status is one line for `systemctl status`; it must not hold prompts or generated text.
void notify_ready(std::string_view status);
void notify_status(std::string_view status);
void notify_stopping(std::string_view status);
void notify_watchdog();

// How often to call notify_watchdog(): half of what the service manager allows. Nothing when no watchdog is on.
std::optional<std::chrono::milliseconds> watchdog_interval();

}  // namespace llmd::base
