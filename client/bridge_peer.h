// Whose a TCP connection on this device is: sockets of TCP have no SO_PEERCRED, but the kernel's sock_diag(7) reports
// the owner of the one at the other end.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/result.h"

namespace llmd::client {

// The user of the program at the other end of `fd`, a connection between two sockets of this network namespace.
// Nothing when that socket belongs to no program any more: it has been closed, and the kernel would call it root's.
// Failed: the kernel does not say (it is built without CONFIG_INET_TCP_DIAG).
base::Result<std::optional<uid_t>> uid_of_peer(int fd);

}  // namespace llmd::client
