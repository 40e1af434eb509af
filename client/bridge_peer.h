// Whose a TCP connection on this device is: sockets of TCP have no SO_PEERCRED, but the kernel's sock_diag(7) reports
// the owner and the inode of the one at the other end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace llmd::client {

struct PeerSocket {
    uid_t uid = 0;       // of the program that made it
    uint32_t inode = 0;  // never 0: SocketFinder finds the process by it
};

// The socket at the other end of `fd`, a connection between two sockets of this network namespace.
// Nothing when it belongs to no program any more: it has been closed, and the kernel would call it root's.
// Failed: the kernel does not say (it is built without CONFIG_INET_TCP_DIAG).
base::Result<std::optional<PeerSocket>> socket_of_peer(int fd);

}  // namespace llmd::client
