// Starts llmd-remote where llmd has no network: a service of systemd with local sockets only cannot start a program
// that has one. systemd does it (llmd-remote.socket, Accept=yes), a process for each connection that is made here.
// Thread-bound.
#pragma once

#include <string>

#include "base/result.h"
#include "supervisor/engine_link.h"

namespace llmd::handover {

// $XDG_RUNTIME_DIR/llmd-remote/llmd-remote.socket. NotReady when the variable is not set.
base::Result<std::string> remote_socket_path();

// An EngineProcess of this launcher has neither a pid nor a pidfd: the process is systemd's, and all that is known of
// it is the connection. Its end of file is the end of the process.
class SocketLauncher final : public supervisor::EngineLauncher {
public:
    explicit SocketLauncher(std::string path) : path_(std::move(path)) {}

    // Connects; does not block. NotReady: nobody listens there, and the message has the command that changes that, or
    // too many connections are waiting.
    base::Result<supervisor::EngineProcess> launch() override;
    // Shuts the connection down, by which llmd-remote ends. The socket itself stays open, and shows end of file.
    void kill(const supervisor::EngineProcess& process) override;
    // There is no wait status: 0, as of a process that ended by itself.
    int reap(const supervisor::EngineProcess& process) override;

private:
    std::string path_;
};

}  // namespace llmd::handover
