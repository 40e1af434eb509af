// The Unix sockets on which llmd serves HTTP: taken from the service manager, or made.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::http {

// The sockets that the service manager hands over (sd_listen_fds_with_names); either may be absent.
struct InheritedSockets {
    base::UniqueFd main;    // of whatever name
    base::UniqueFd bridge;  // the socket called "bridge" (FileDescriptorName=)
};

// InvalidArgument when it is anything but one listening Unix stream socket of each kind.
base::Result<InheritedSockets> inherited_sockets();

// Listens at `path`: readable and writable for the owner only (0600), in a directory that belongs to the owner alone
// (0700, which is set; it is made if there is none, its parent must exist). A socket that is there already is replaced,
// unless somebody listens on it (NotAllowed); hold the instance lock. NotReady names the path and what is wrong with
// it.
base::Result<base::UniqueFd> listen_at(const std::string& path);

}  // namespace llmd::http
