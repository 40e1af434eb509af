#include "ipc/dbus/caller_identity.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace llmd::ipc {

namespace {

// More callers than a session has apps; when it is full, everybody is looked up again.
constexpr size_t kMaxKnown = 256;

bool has_ended(int pidfd) {
    pollfd ended{pidfd, POLLIN, 0};
    return ::poll(&ended, 1, 0) != 0;
}

}  // namespace

bool is_sandboxed(pid_t pid) {
    // The pidfd pins the process: if it still runs afterwards, the number was its own while the root was looked at.
    const base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return true;
    const std::string root_path = "/proc/" + std::to_string(pid) + "/root";
    const base::UniqueFd root(::open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return true;
    struct stat info {};
    const bool absent = ::fstatat(root.get(), ".flatpak-info", &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    return !absent || has_ended(pidfd.get());
}

void CallerIdentities::resolve(const std::string& caller, std::function<void(bool)> done) {
    if (const auto sandboxed = known(caller)) return done(*sandboxed);
    ask_pid(caller, [this, caller, done = std::move(done)](std::optional<uint32_t> pid) {
        if (!pid) return done(true);
        const bool sandboxed = is_sandboxed(static_cast<pid_t>(*pid));
        // Asked again: the caller must still be connected, or its number may have gone to another process before.
        ask_pid(caller, [this, caller, done, pid, sandboxed](std::optional<uint32_t> again) {
            if (again != pid) return done(true);
            remember(caller, sandboxed);
            done(sandboxed);
        });
    });
}

bool CallerIdentities::resolve_now(const std::string& caller) {
    if (const auto sandboxed = known(caller)) return *sandboxed;
    const auto pid = ask_pid_now(caller);
    if (!pid) return true;
    const bool sandboxed = is_sandboxed(static_cast<pid_t>(*pid));
    if (ask_pid_now(caller) != pid) return true;
    remember(caller, sandboxed);
    return sandboxed;
}

std::optional<bool> CallerIdentities::known(const std::string& caller) const {
    const auto found = known_.find(caller);
    return found == known_.end() ? std::nullopt : std::optional<bool>(found->second);
}

void CallerIdentities::ask_pid(const std::string& caller, std::function<void(std::optional<uint32_t>)> done) {
    bus_.callMethodAsync("GetConnectionUnixProcessID")
        .onInterface("org.freedesktop.DBus")
        .withArguments(caller)
        .uponReplyInvoke([done = std::move(done)](ReplyError error, uint32_t pid) {
            done(error ? std::nullopt : std::optional<uint32_t>(pid));
        });
}

std::optional<uint32_t> CallerIdentities::ask_pid_now(const std::string& caller) {
    try {
        uint32_t pid = 0;
        bus_.callMethod("GetConnectionUnixProcessID")
            .onInterface("org.freedesktop.DBus")
            .withTimeout(std::chrono::microseconds(kBusTimeout))
            .withArguments(caller)
            .storeResultsTo(pid);
        return pid;
    } catch (const sdbus::Error&) {
        return std::nullopt;
    }
}

void CallerIdentities::remember(const std::string& caller, bool sandboxed) {
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[caller] = sandboxed;
}

}  // namespace llmd::ipc
