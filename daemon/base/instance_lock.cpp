#include "base/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

namespace llmd::base {

namespace {

constexpr std::chrono::milliseconds kRetryInterval{50};

std::string lock_path(const std::string& directory) {
    return directory + "/lock";
}

// Returns what the holder wrote into its lock: digits, or nothing yet.
std::string holder_of(int fd) {
    std::array<char, 16> digits{};
    const ssize_t n = ::pread(fd, digits.data(), digits.size(), 0);
    std::string pid(digits.data(), n > 0 ? static_cast<size_t>(n) : 0);
    pid.erase(std::find_if(pid.begin(), pid.end(), [](char c) { return c < '0' || c > '9'; }), pid.end());
    return pid.empty() ? "" : " (process " + pid + ")";
}

}  // namespace

Result<UniqueFd> lock_instance(const std::string& directory, std::chrono::milliseconds timeout) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return fail_errno(ErrorCode::NotReady, "mkdir " + directory, errno);
    }
    const std::string path = lock_path(directory);
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail_errno(ErrorCode::NotReady, path, errno);

    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return fail_errno(ErrorCode::NotReady, path, errno);
        if (std::chrono::steady_clock::now() >= deadline) {
            return fail(ErrorCode::NotAllowed, "another llmd", holder_of(fd.get()),
                        " already serves this user; it holds ", path);
        }
        std::this_thread::sleep_for(kRetryInterval);
    }
    // For the message above only: without it the lock is as good.
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) return fd;
    return fd;
}

bool is_instance_locked(const std::string& directory) {
    const UniqueFd fd(::open(lock_path(directory).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    // Shared, so that two who look do not take each other for an instance; one that starts tries again.
    return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace llmd::base
