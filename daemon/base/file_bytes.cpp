#include "base/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

std::optional<std::string> read_text(int fd, size_t most) {
    std::string text;
    std::array<char, 4096> part;
    while (text.size() < most) {
        const ssize_t n = ::read(fd, part.data(), std::min(part.size(), most - text.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0) break;
        text.append(part.data(), static_cast<size_t>(n));
    }
    return text;
}

}  // namespace llmd::base
