#include "supervisor/device_record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/unique_fd.h"

namespace llmd::supervisor {
namespace {

using base::ErrorCode;
using base::fail_errno;

base::Result<void> write_all(const std::string& path, std::string_view text) {
    const base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail_errno(ErrorCode::Failed, path, errno);
    while (!text.empty()) {
        const ssize_t n = ::write(fd.get(), text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(ErrorCode::Failed, path, errno);
        text.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

}  // namespace

std::string read_device_record(const std::string& path) {
    // Not blocking: somebody may have put a FIFO there.
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status = {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (status.st_size <= 0 || static_cast<size_t>(status.st_size) > kMaxDeviceRecordBytes) return {};
    std::string text(static_cast<size_t>(status.st_size), '\0');
    return ::read(fd.get(), text.data(), text.size()) == status.st_size ? text : std::string();
}

base::Result<void> write_device_record(const std::string& path, const std::string& text) {
    if (text.empty()) {
        if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
        return fail_errno(ErrorCode::Failed, path, errno);
    }
    std::error_code ignored;  // open() below says it better
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    const std::string unfinished = path + ".new";
    auto written = write_all(unfinished, text);
    if (written && ::rename(unfinished.c_str(), path.c_str()) != 0) {
        written = fail_errno(ErrorCode::Failed, path, errno);
    }
    if (!written) ::unlink(unfinished.c_str());
    return written;
}

}  // namespace llmd::supervisor
