#include "handover/socket_launcher.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <utility>

#include "base/config.h"
#include "base/unique_fd.h"

namespace llmd::handover {

using base::ErrorCode;
using base::fail;
using base::fail_errno;

base::Result<std::string> remote_socket_path() {
    auto directory = base::xdg_runtime_dir();
    if (!directory) return directory;
    return *directory + "/llmd-remote/llmd-remote.socket";
}

base::Result<supervisor::EngineProcess> SocketLauncher::launch() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path) {
        return fail(ErrorCode::Failed, "the path of llmd-remote's socket is too long: ", path_);
    }
    path_.copy(address.sun_path, path_.size());
    base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return fail_errno(ErrorCode::Failed, "socket for llmd-remote", errno);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) {
            return fail(
                ErrorCode::NotReady,
                "bigger machines are asked by llmd-remote, which is not enabled; enable it with: systemctl --user "
                "enable --now llmd-remote.socket");
        }
        if (errno == EAGAIN) return fail(ErrorCode::NotReady, "too many connections to llmd-remote are waiting");
        return fail_errno(ErrorCode::Failed, "connect to " + path_, errno);
    }
    return supervisor::EngineProcess{-1, base::UniqueFd(), std::move(socket)};
}

void SocketLauncher::kill(const supervisor::EngineProcess& process) {
    if (process.socket) ::shutdown(process.socket.get(), SHUT_RDWR);
}

int SocketLauncher::reap(const supervisor::EngineProcess&) {
    return 0;
}

}  // namespace llmd::handover
