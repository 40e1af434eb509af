#include "base/notify.h"

#include <sys/socket.h>
#include <sys/time.h>
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

constexpr timeval kLongestWait{.tv_sec = 1, .tv_usec = 0};

// sd_notify() waits while the manager's queue of ten messages is full, and OpenRC's supervise-daemon reads none after
// READY=1: there the eleventh would stop the event loop for ever. Messages that a manager does not read are lost;
// READY=1, without which systemd ends llmd, waits for a moment. A failure means that the manager has gone, and there is
// nobody to tell.
void send(std::string_view message, bool may_wait) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    if (path == nullptr || (*path != '/' && *path != '@')) return;  // the rest is a virtual machine's
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const size_t length = std::string_view(path).size();
    if (length >= sizeof address.sun_path) return;
    std::copy_n(path, length, address.sun_path);
    if (*path == '@') address.sun_path[0] = 0;  // an abstract name
    const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kLongestWait, sizeof kLongestWait);
    ::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL | (may_wait ? 0 : MSG_DONTWAIT),
             reinterpret_cast<const sockaddr*>(&address),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

void notify(std::string_view assignment, std::string_view status, bool may_wait = false) {
    std::string message(assignment);
    if (!status.empty()) {
        std::string line(status);
        std::replace(line.begin(), line.end(), '\n', ' ');
        if (!message.empty()) message += '\n';
        message += "STATUS=" + line;
    }
    send(message, may_wait);
}

}  // namespace

void notify_ready(std::string_view status) {
    notify("READY=1", status, true);
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
