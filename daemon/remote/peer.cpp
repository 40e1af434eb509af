#include "remote/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/file_bytes.h"
#include "base/unique_fd.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;

// From asm/socket.h of Linux 6.5, which may be newer than the headers.
#ifdef SO_PEERPIDFD
constexpr int kPeerPidfd = SO_PEERPIDFD;
#else
constexpr int kPeerPidfd = 77;
#endif

constexpr size_t kMaxCgroupBytes = 16 << 10;

// Takes what stands before the next `separator`, which goes too.
std::string_view take(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

// The process that connected. Before Linux 6.5 it is whoever has its number now.
base::UniqueFd open_peer(int socket, pid_t pid) {
    int pidfd = -1;
    socklen_t size = sizeof pidfd;
    if (::getsockopt(socket, SOL_SOCKET, kPeerPidfd, &pidfd, &size) == 0) return base::UniqueFd(pidfd);
    return base::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool has_ended(int pidfd) {
    pollfd ended{pidfd, POLLIN, 0};
    return ::poll(&ended, 1, 0) != 0;
}

bool is_llmds_unit(std::string_view path, const std::string& manager) {
    bool is_managed = false;
    while (!path.empty()) {
        const std::string_view part = take(path, '/');
        if (path.empty()) return is_managed && part == "llmd.service";
        if (part == manager) {
            is_managed = true;
        } else if (!part.empty() && !part.ends_with(".slice")) {
            return false;
        }
    }
    return false;
}

}  // namespace

bool is_llmds_cgroup(std::string_view cgroups, uid_t uid) {
    const std::string manager = "user@" + std::to_string(uid) + ".service";
    bool is_llmds = false;
    while (!cgroups.empty()) {
        std::string_view path = take(cgroups, '\n');
        take(path, ':');
        const std::string_view hierarchy = take(path, ':');
        // systemd's own, where control groups are still of version 1, says more than the other.
        if (hierarchy == "name=systemd") return is_llmds_unit(path, manager);
        if (hierarchy.empty()) is_llmds = is_llmds_unit(path, manager);
    }
    return is_llmds;
}

base::Result<void> check_peer(int socket, const std::string& proc) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return fail_errno(ErrorCode::Failed, "SO_PEERCRED", errno);
    }
    if (peer.uid != ::getuid()) {
        return fail(ErrorCode::NotAllowed, "only llmd may ask for texts, not user ", peer.uid);
    }
    if (peer.pid == ::getppid()) return {};
    const base::UniqueFd pidfd = open_peer(socket, peer.pid);
    const base::UniqueFd file(::open(base::concat(proc, "/", peer.pid, "/cgroup").c_str(), O_RDONLY | O_CLOEXEC));
    const auto cgroups = file ? base::read_text(file.get(), kMaxCgroupBytes) : std::nullopt;
    // If it still runs, the number was its own while the file was read.
    if (!pidfd || !cgroups || has_ended(pidfd.get())) {
        return fail(ErrorCode::Failed, "cannot tell who process ", peer.pid, " is");
    }
    if (!is_llmds_cgroup(*cgroups, peer.uid)) {
        return fail(ErrorCode::NotAllowed, "only llmd may ask for texts, not process ", peer.pid);
    }
    return {};
}

}  // namespace llmd::remote
