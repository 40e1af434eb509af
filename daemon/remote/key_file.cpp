#include "remote/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_bytes.h"
#include "base/json_writer.h"
#include "base/unique_fd.h"

namespace llmd::remote {

base::Result<std::string> read_key(const std::string& path) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto refuse = [&](const auto&... why) {
        return base::fail(base::ErrorCode::NotReady, "key_file: ", base::in_quotes(path, path.size()), " ", why...);
    };
    const auto unreadable = [&] {
        return base::fail_errno(base::ErrorCode::NotReady, "key_file: " + base::in_quotes(path, path.size()), errno);
    };
    // A FIFO must not hold this up.
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return unreadable();
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return refuse("is no regular file");
    if (status.st_uid != ::geteuid()) return refuse("belongs to another user");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return refuse("can be read by others: chmod 600");
    auto text = base::read_text(fd.get(), kMaxKeyBytes + 1);
    if (!text) return unreadable();
    std::string& key = *text;
    if (key.size() > kMaxKeyBytes) return refuse("has more than ", kMaxKeyBytes, " bytes");
    const size_t begin = key.find_first_not_of(kBlanks);
    if (begin == std::string::npos) return refuse("is empty");
    key = key.substr(begin, key.find_last_not_of(kBlanks) - begin + 1);
    for (const char c : key) {
        if (c <= ' ' || c > '~') return refuse("holds more than one word");
    }
    return key;
}

}  // namespace llmd::remote
