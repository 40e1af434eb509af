#include "api/caller.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/file_bytes.h"
#include "base/unique_fd.h"

namespace llmd::api {

namespace {

constexpr std::string_view kFlatpakNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::string_view kSnapNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_-";

bool consists_of(std::string_view name, std::string_view characters) {
    return !name.empty() && name.size() <= kMaxApplicationNameBytes &&
           name.find_first_not_of(characters) == std::string_view::npos;
}

// Takes what stands before the next `separator`, which goes too.
std::string_view take(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

// Nothing, with errno set, when the file cannot be opened or read.
std::optional<std::string> read_file(int directory, const char* name, int flags = 0) {
    const base::UniqueFd fd(::openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags));
    return fd ? base::read_text(fd.get(), kMaxCallerFileBytes) : std::nullopt;
}

bool has_ended(int pidfd) {
    pollfd ended{pidfd, POLLIN, 0};
    return ::poll(&ended, 1, 0) != 0;
}

Caller sandboxed_as(const std::string& kind, const std::string& name) {
    if (name.empty()) return {};
    return {.sandboxed = true, .application = kind + name, .share = kind + name, .name = {}};
}

// The process that `directory` is the one of below /proc.
Caller identify_process(int directory) {
    const base::UniqueFd root(::openat(directory, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return {};
    struct stat info = {};
    if (::fstatat(root.get(), ".flatpak-info", &info, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) {
        return sandboxed_as("flatpak:",
                            flatpak_name(read_file(root.get(), ".flatpak-info", O_NOFOLLOW).value_or(std::string())));
    }
    auto label = read_file(directory, "attr/apparmor/current");
    if (!label) label = read_file(directory, "attr/current");  // before Linux 5.8
    // ENOENT and EINVAL are a kernel that labels nothing.
    if (!label && errno != ENOENT && errno != EINVAL) return {};
    if (const SnapLabel snap = read_snap_label(label.value_or(std::string())); snap.is_snap) {
        return sandboxed_as("snap:", snap.name);
    }
    const std::string unit = unit_application(read_file(directory, "cgroup").value_or(std::string()));
    return {.sandboxed = false,
            .application = base::kHostApplication,
            .share = unit.empty() ? base::kHostApplication : "app:" + unit,
            .name = {}};
}

}  // namespace

Caller identify(pid_t pid, const std::string& proc) {
    // The pidfd pins the process: if it still runs afterwards, the number was its own while it was looked at.
    const base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return {};
    const std::string path = proc + "/" + std::to_string(pid);
    const base::UniqueFd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return {};
    Caller caller = identify_process(directory.get());
    return has_ended(pidfd.get()) ? Caller() : caller;
}

std::string flatpak_name(std::string_view flatpak_info) {
    bool in_group = false;
    while (!flatpak_info.empty()) {
        const std::string_view line = take(flatpak_info, '\n');
        if (line.starts_with('[')) {
            in_group = line == "[Application]";
        } else if (in_group && line.starts_with("name=")) {
            const std::string_view name = line.substr(std::string_view("name=").size());
            return consists_of(name, kFlatpakNameCharacters) ? std::string(name) : std::string();
        }
    }
    return {};
}

SnapLabel read_snap_label(std::string_view label) {
    constexpr std::string_view kPrefix = "snap.";
    constexpr std::string_view kStacked = "//&";  // between the profiles that all confine a process
    while (!label.empty()) {
        std::string_view profile = label.substr(0, label.find(kStacked));
        label.remove_prefix(std::min(profile.size() + kStacked.size(), label.size()));
        // ":NAMESPACE:" or ":NAMESPACE://"
        if (profile.starts_with(':')) {
            profile.remove_prefix(1);
            take(profile, ':');
            if (profile.starts_with("//")) profile.remove_prefix(2);
        }
        if (!profile.starts_with(kPrefix)) continue;
        profile.remove_prefix(kPrefix.size());
        const std::string_view name = take(profile, '.');
        const bool is_name = !profile.empty() && consists_of(name, kSnapNameCharacters);
        return {.is_snap = true, .name = is_name ? std::string(name) : std::string()};
    }
    return {};
}

std::string unit_application(std::string_view cgroups) {
    while (!cgroups.empty()) {
        std::string_view path = take(cgroups, '\n');
        take(path, ':');
        const std::string_view hierarchy = take(path, ':');
        if (!hierarchy.empty() && hierarchy != "name=systemd") continue;
        std::string_view unit;
        bool is_scope = false;
        while (!path.empty()) {
            const std::string_view part = take(path, '/');
            if (!part.ends_with(".service") && !part.ends_with(".scope")) continue;
            is_scope = part.ends_with(".scope");
            unit = part.substr(0, part.rfind('.'));
        }
        if (take(unit, '-') != "app") continue;
        if (is_scope) unit = unit.substr(0, unit.rfind('-') == std::string_view::npos ? 0 : unit.rfind('-'));
        if (!is_scope) unit = unit.substr(0, unit.find('@'));
        // The rest is [LAUNCHER-]APPLICATION: a "-" within one of the two is escaped.
        const std::string_view name = unit.substr(unit.rfind('-') + 1);
        if (!name.empty()) return std::string(name);
    }
    return {};
}

}  // namespace llmd::api
