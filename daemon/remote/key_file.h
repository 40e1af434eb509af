// The key that a remote asks for. Only llmd-remote reads it.
#pragma once

#include <string>

#include "base/result.h"

namespace llmd::remote {

inline constexpr size_t kMaxKeyBytes = 8192;

// The key in the file at `path`, without blanks and line breaks around it. NotReady names
// the path and what is wrong: it is no regular file, others than its owner may read or write it, its owner is somebody
// else, it is empty or too long.
base::Result<std::string> read_key(const std::string& path);

}  // namespace llmd::remote
