// One llmd a user: a lock on `$XDG_RUNTIME_DIR/llmd/lock`, held for the life of the process.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::base {

// Creates `directory` (0700; its parent must exist) and locks the file `lock` in it, trying for `timeout` because an
// earlier instance may be leaving. Blocks: for use before the event loop runs. The descriptor is the lock.
// NotAllowed, naming its process, when another instance keeps it; NotReady when the directory or file cannot be made.
Result<UniqueFd> lock_instance(const std::string& directory, std::chrono::milliseconds timeout);

// An instance holds that lock now. False also when it cannot be looked at.
bool is_instance_locked(const std::string& directory);

}  // namespace llmd::base
