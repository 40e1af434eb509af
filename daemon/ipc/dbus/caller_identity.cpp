#include "ipc/dbus/caller_identity.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace llmd::ipc {

namespace {

// More callers than a session has apps; when it is full, everybody is looked up again.
constexpr size_t kMaxKnown = 256;

constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

// What can be read of it.
std::string read_flatpak_info(int root) {
    std::string text;
    const base::UniqueFd fd(::openat(root, ".flatpak-info", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 4096> part;
    while (fd && text.size() < kMaxFlatpakInfoBytes) {
        const ssize_t n = ::read(fd.get(), part.data(), part.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(part.data(), static_cast<size_t>(n));
    }
    return text;
}

bool has_ended(int pidfd) {
    pollfd ended{pidfd, POLLIN, 0};
    return ::poll(&ended, 1, 0) != 0;
}

}  // namespace

Caller identify(pid_t pid) {
    // The pidfd pins the process: if it still runs afterwards, the number was its own while the root was looked at.
    const base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return {};
    const std::string root_path = "/proc/" + std::to_string(pid) + "/root";
    const base::UniqueFd root(::open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return {};
    struct stat info {};
    const bool absent = ::fstatat(root.get(), ".flatpak-info", &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    std::string name;
    if (!absent) name = application_name(read_flatpak_info(root.get()));
    if (has_ended(pidfd.get())) return {};
    if (absent) return {.sandboxed = false, .application = kHostApplication};
    return {.sandboxed = true, .application = name.empty() ? "" : "flatpak:" + name};
}

std::string application_name(std::string_view flatpak_info) {
    bool in_group = false;
    while (!flatpak_info.empty()) {
        const std::string_view line = flatpak_info.substr(0, flatpak_info.find('\n'));
        flatpak_info.remove_prefix(std::min(line.size() + 1, flatpak_info.size()));
        if (line.starts_with('[')) {
            in_group = line == "[Application]";
        } else if (in_group && line.starts_with("name=")) {
            const std::string_view name = line.substr(std::string_view("name=").size());
            const bool is_name = name.size() <= kMaxFlatpakNameBytes &&
                                 name.find_first_not_of(kNameCharacters) == std::string_view::npos;
            return is_name ? std::string(name) : std::string();
        }
    }
    return {};
}

void CallerIdentities::resolve(const std::string& caller, std::function<void(const Caller&)> done) {
    if (const auto identity = known(caller)) return done(*identity);
    ask_pid(caller, [this, caller, done = std::move(done)](std::optional<uint32_t> pid) {
        if (!pid) return done({});
        const Caller identity = identify(static_cast<pid_t>(*pid));
        // Asked again: the caller must still be connected, or its number may have gone to another process before.
        ask_pid(caller, [this, caller, done, pid, identity](std::optional<uint32_t> again) {
            if (again != pid) return done({});
            remember(caller, identity);
            done(identity);
        });
    });
}

Caller CallerIdentities::resolve_now(const std::string& caller) {
    if (const auto identity = known(caller)) return *identity;
    const auto pid = ask_pid_now(caller);
    if (!pid) return {};
    const Caller identity = identify(static_cast<pid_t>(*pid));
    if (ask_pid_now(caller) != pid) return {};
    remember(caller, identity);
    return identity;
}

std::optional<Caller> CallerIdentities::known(const std::string& caller) const {
    const auto found = known_.find(caller);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
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

void CallerIdentities::remember(const std::string& caller, const Caller& identity) {
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[caller] = identity;
}

}  // namespace llmd::ipc
