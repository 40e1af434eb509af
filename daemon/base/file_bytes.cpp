#include "base/file_bytes.h"

#include <unistd.h>

#include <cerrno>

namespace llmd::base {

bool read_all(int fd, std::span<std::byte> out) {
    while (!out.empty()) {
        const ssize_t n = ::read(fd, out.data(), out.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        out = out.subspan(static_cast<size_t>(n));
    }
    return true;
}

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

}  // namespace llmd::base
