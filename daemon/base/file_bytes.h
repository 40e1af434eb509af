// Bytes of an open file, as many as are asked for or none that count. Any thread.
#pragma once

#include <cstddef>
#include <span>

namespace llmd::base {

// From where the file stands. False when there are fewer or reading fails; then `out` holds anything.
bool read_all(int fd, std::span<std::byte> out);
// False when writing fails; then some may have been written.
bool write_all(int fd, std::span<const std::byte> bytes);

}  // namespace llmd::base
