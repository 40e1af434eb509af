// The small file in which DeviceHealth outlives llmd. Losing it costs a few crashes at worst, so nothing that goes
// wrong with it is an error of llmd.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace llmd::supervisor {

inline constexpr size_t kMaxDeviceRecordBytes = 8u << 10;  // several times the longest record

// The file's content; empty when there is none, when it is no regular file of this size, or when it cannot be read.
std::string read_device_record(const std::string& path);

// Puts `text` in the place of the file, whole or not at all, readable by its owner only; makes the directory above it.
// Empty text: removes the file. Failed names the file and what is wrong.
base::Result<void> write_device_record(const std::string& path, const std::string& text);

}  // namespace llmd::supervisor
