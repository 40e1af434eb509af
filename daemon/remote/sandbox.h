// The sandbox of llmd-remote, the one program of llmd with a network. Data from a remote is not trusted, and whoever
// takes llmd-remote over through it shall find nothing but the text that is being asked for.
#pragma once

#include <string>

#include "base/config.h"
#include "base/result.h"

namespace llmd::remote {

// Restricts this process for good to asking one remote. Call it when the settings and the key have been read and the
// peer is known, before anything is looked up or connected and while the process has one thread. From then on it
// - writes no file, and reads only the system's programs, libraries and settings (/usr, /lib, /etc), what name
//   resolution reads, and the remote's `ca_file` (Landlock, Linux 5.13);
// - connects by TCP only to the port of the URL and, for a host that has a name, to those of DNS; binds no TCP port
//   (Linux 6.7);
// - reaches Unix sockets only for name resolution, or in the directory of a `unix:` URL (Linux 7.1); where neither is
//   needed, it opens none (seccomp);
// - opens no sockets of other families and protocols, accepts nobody, executes nothing, starts no processes and has no
//   access to others (seccomp; refused calls fail with EPERM);
// - leaves no core dump, cannot be looked into by others of the user, and has few descriptors and little memory.
// It may still start threads and send UDP to anywhere: libcurl's resolver needs both, and musl's binds its socket.
// Returns what is in force, and what this kernel lacks for it, for people: "files and TCP ports (Landlock 7) and system
// calls (seccomp); this kernel cannot restrict paths of Unix sockets". Failed names the call that the kernel offers and
// that failed; InvalidArgument: the URL names no port that a remote can have.
base::Result<std::string> confine(const base::RemoteSettings& settings);

}  // namespace llmd::remote
