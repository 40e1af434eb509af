// Bytes of an open file. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace llmd::base {

// As many as `out` has, from where the file stands. False when there are fewer or reading fails; then `out` holds
// anything.
bool read_all(int fd, std::span<std::byte> out);
// False when writing fails; then some may have been written.
bool write_all(int fd, std::span<const std::byte> bytes);

// From where the file stands to its end, but no more than `most` bytes. Nothing, with errno set, when reading fails.
std::optional<std::string> read_text(int fd, size_t most);

}  // namespace llmd::base
