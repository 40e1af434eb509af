#include "engine/convert/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace llmd::convert {

using base::ErrorCode;
using base::Result;

Result<InputFile> InputFile::open(const std::string& path) {
    InputFile input;
    input.path_ = path;
    input.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info = {};
    if (!input.fd_ || ::fstat(input.fd_.get(), &info) != 0) {
        return base::fail_errno(ErrorCode::ModelLoadFailed, path, errno);
    }
    if (!S_ISREG(info.st_mode)) return input.fail("is not a regular file");
    input.size_ = static_cast<uint64_t>(info.st_size);
    return input;
}

Result<void> InputFile::read_bytes(uint64_t at, std::span<std::byte> out) const {
    while (!out.empty()) {
        const ssize_t n = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return base::fail_errno(ErrorCode::ModelLoadFailed, path_, errno);
        if (n == 0) return fail("ends at byte ", at, ", in the middle of a value");
        out = out.subspan(static_cast<size_t>(n));
        at += static_cast<uint64_t>(n);
    }
    return {};
}

Result<std::string> InputFile::read_text(uint64_t limit) const {
    if (size_ > limit) return fail("has ", size_, " bytes, more than ", limit);
    std::string text(size_, '\0');
    if (auto read = read_bytes(0, std::as_writable_bytes(std::span(text))); !read) return std::move(read).error();
    return text;
}

}  // namespace llmd::convert
