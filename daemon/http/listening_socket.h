// The Unix socket on which llmd serves HTTP: taken from the service manager, or made.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::http {

// The socket that the service manager hands over (sd_listen_fds); nothing when it hands over none. InvalidArgument when
// it is anything but one listening Unix stream socket.
base::Result<std::optional<base::UniqueFd>> inherited_socket();

// Listens at `path`: readable and writable for the owner only (0600), in a directory that belongs to the owner alone
// (0700, which is set). A socket that is there already is replaced, unless somebody listens on it (NotAllowed); hold
// the instance lock. NotReady names the path and what is wrong with it.
base::Result<base::UniqueFd> listen_at(const std::string& path);

}  // namespace llmd::http
