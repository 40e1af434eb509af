// Whether it is llmd that asks llmd-remote for texts: nobody else may, or the rules of who may ask which remote, which
// are llmd's, would be gone round.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace llmd::remote {

// Succeeds if the process at the other end of a connected Unix socket is of this user and
// - is the parent of this process: llmd has started it over a socket pair; or
// - runs in the unit llmd.service of this user's systemd, which has started this process because llmd has connected.
// A sandboxed application has neither: its control group is its own and not for it to choose. Other programs of the
// user outside of a sandbox could pretend to be llmd; they are no boundary (api/caller.h), and could read the key.
//
// llmd cannot be recognised by its root directory, as others are: it is not dumpable, which keeps that from everyone.
// The process is the one that connected, even if another has the socket now. NotAllowed says what the peer is instead;
// Failed: it cannot be known. `proc` is another directory in tests.
base::Result<void> check_peer(int socket, const std::string& proc = "/proc");

// Whether a /proc/PID/cgroup is that of a process in llmd.service of the systemd of user `uid`: all above the unit are
// slices and the user's manager, so that it is not a group that a container or a service has made for itself.
bool is_llmds_cgroup(std::string_view cgroups, uid_t uid);

}  // namespace llmd::remote
