#include "http/listening_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;
using base::UniqueFd;

// Connections that wait to be accepted; the kernel lowers it to its own limit. A connection beyond it fails at once
// with EAGAIN where the client's socket does not block, which HTTP libraries do not expect: llmd rather says itself
// when there are too many.
constexpr int kBacklog = SOMAXCONN;
constexpr mode_t kFolderMode = 0700;
constexpr mode_t kSocketMode = 0600;
constexpr const char* kBridgeName = "bridge";

Result<void> check_folder(const std::string& path) {
    const std::string folder = path.substr(0, path.rfind('/'));
    if (::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) {
        return fail_errno(ErrorCode::NotReady, folder, errno);
    }
    const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno(ErrorCode::NotReady, folder, errno);
    if (info.st_uid != ::geteuid()) return fail(ErrorCode::NotReady, folder, " belongs to another user");
    if ((info.st_mode & 0777) != kFolderMode && ::fchmod(fd.get(), kFolderMode) != 0) {
        return fail_errno(ErrorCode::NotReady, "chmod " + folder, errno);
    }
    return {};
}

// Makes room at `address` if what is there is a socket on which nobody listens.
Result<void> remove_stale(const std::string& path, const sockaddr_un& address) {
    struct stat info = {};
    if (::lstat(path.c_str(), &info) != 0) return fail_errno(ErrorCode::NotReady, path, errno);
    if (!S_ISSOCK(info.st_mode)) return fail(ErrorCode::NotReady, path, " is there and is not a socket");
    const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!probe) return fail_errno(ErrorCode::NotReady, "socket", errno);
    // A full backlog (EAGAIN) has a listener too.
    if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
        errno != ECONNREFUSED) {
        return fail(ErrorCode::NotAllowed, "another program listens on ", path);
    }
    if (::unlink(path.c_str()) != 0) return fail_errno(ErrorCode::NotReady, "unlink " + path, errno);
    return {};
}

}  // namespace

Result<InheritedSockets> inherited_sockets() {
    char** names = nullptr;
    // The variables stay: they show later that somebody starts llmd again.
    const int n = ::sd_listen_fds_with_names(0, &names);
    if (n < 0) return fail_errno(ErrorCode::InvalidArgument, "LISTEN_FDS", -n);
    InheritedSockets out;
    bool are_good = true;
    for (int i = 0; i < n; ++i) {
        UniqueFd fd(SD_LISTEN_FDS_START + i);
        UniqueFd& place = names[i] == std::string_view(kBridgeName) ? out.bridge : out.main;
        are_good = are_good && !place && ::sd_is_socket_unix(fd.get(), SOCK_STREAM, 1, nullptr, 0) > 0 &&
                   ::fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0;
        place = std::move(fd);
        std::free(names[i]);
    }
    std::free(names);
    if (are_good) return out;
    return fail(ErrorCode::InvalidArgument,
                "LISTEN_FDS: what was handed over is not one listening Unix socket, and perhaps one more named ",
                kBridgeName);
}

Result<UniqueFd> listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return fail(ErrorCode::NotReady, path, " is too long for a socket, which may have ",
                    sizeof address.sun_path - 1, " bytes");
    }
    path.copy(address.sun_path, path.size());
    if (auto checked = check_folder(path); !checked) return checked.error();

    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return fail_errno(ErrorCode::NotReady, "socket", errno);
    // Before bind(), which gives the file this mode: at no time may others connect.
    if (::fchmod(fd.get(), kSocketMode) != 0) return fail_errno(ErrorCode::NotReady, "fchmod of a socket", errno);
    const auto bind = [&] { return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address); };
    if (bind() != 0) {
        if (errno != EADDRINUSE) return fail_errno(ErrorCode::NotReady, path, errno);
        if (auto removed = remove_stale(path, address); !removed) return removed.error();
        if (bind() != 0) return fail_errno(ErrorCode::NotReady, path, errno);
    }
    if (::listen(fd.get(), kBacklog) != 0) return fail_errno(ErrorCode::NotReady, path, errno);
    return fd;
}

}  // namespace llmd::http
