#include "base/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/unique_fd.h"

namespace llmd::base {

namespace {

// sd_notify() waits while the manager's queue of ten messages is full, and OpenRC's supervise-daemon reads none after
// READY=1: there the eleventh would stop the event loop for ever. What a manager does not read is lost. A failure means
// that the manager has gone, and there is nobody to tell.
void send(std::string_view message) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    if (path == nullptr || (*path != '/' && *path != '@')) return;  // sd_notify(3): another family is a container's
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const size_t length = std::string_view(path).size();
    if (length >= sizeof address.sun_path) return;
    std::copy_n(path, length, address.sun_path);
    if (*path == '@') address.sun_path[0] = 0;  // an abstract name
    const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

void notify(std::string_view assignment, std::string_view status) {
    std::string message(assignment);
    if (!status.empty()) {
        std::string line(status);
        std::replace(line.begin(), line.end(), '\n', ' ');
        if (!message.empty()) message += '\n';
        message += "STATUS=" + line;
    }
    send(message);
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
