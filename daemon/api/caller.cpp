#include "api/caller.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/unique_fd.h"

namespace llmd::api {

namespace {

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
    struct stat info = {};
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

}  // namespace llmd::api
