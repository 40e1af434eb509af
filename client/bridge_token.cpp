#include "client/bridge_token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"
#include "base/utf8.h"
#include "client/exit_code.h"
#include "client/output.h"

namespace llmd::client {
namespace {

constexpr size_t kRandomBytes = 32;

[[noreturn]] void fail(ExitCode code, const std::string& path, const std::string& what) {
    throw CommandError(code, "--token-file: " + path + ": " + what);
}

std::string read(int fd, const std::string& path) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0) fail(ExitCode::Failed, path, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail(ExitCode::Usage, path, "not a file");
    if (info.st_uid != ::geteuid()) fail(ExitCode::Usage, path, "belongs to another user");
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) fail(ExitCode::Usage, path, "others may read it; chmod 600 it");
    std::array<char, kMaxTokenLength + 2> bytes;
    const ssize_t n = ::read(fd, bytes.data(), bytes.size());
    if (n < 0) fail(ExitCode::Failed, path, std::strerror(errno));
    std::string token(bytes.data(), static_cast<size_t>(n));
    token.erase(std::min(token.find('\n'), token.size()));
    const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (!visible || token.size() < kMinTokenLength || token.size() > kMaxTokenLength) {
        fail(ExitCode::Usage, path,
             "its first line is not " + std::to_string(kMinTokenLength) + " to " + std::to_string(kMaxTokenLength) +
                 " visible characters");
    }
    return token;
}

std::string make(const std::string& path) {
    std::string bytes(kRandomBytes, '\0');
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        fail(ExitCode::Failed, path, "the kernel gave no random bytes");
    }
    std::string token = base::hex_digits(bytes);
    const base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const std::string line = token + '\n';
    if (!fd || ::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        const std::string why = std::strerror(errno);
        if (fd) ::unlink(path.c_str());
        fail(ExitCode::Failed, path, why);
    }
    write_all(STDERR_FILENO, "llmctl: a token was made and is in " + path + "\n");
    return token;
}

}  // namespace

std::string bridge_token(const std::string& path) {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd) return read(fd.get(), path);
    if (errno != ENOENT) fail(ExitCode::Failed, path, std::strerror(errno));
    return make(path);
}

}  // namespace llmd::client
