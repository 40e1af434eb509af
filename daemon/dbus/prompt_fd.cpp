#include "dbus/prompt_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "service/request.h"

namespace llmd::dbus {

namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using service::RequestLimits;

constexpr const char* kKey = "prompt_fd";
// With these neither the bytes nor their number ever change again.
constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;

Result<std::string> read_sealed(int fd) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0) return fail(ErrorCode::InvalidArgument, kKey, ": it is no memory that can be sealed (memfd_create)");
    if ((seals & kSeals) != kSeals) {
        return fail(ErrorCode::InvalidArgument, kKey, ": its seals lack", seals & F_SEAL_WRITE ? "" : " F_SEAL_WRITE",
                    seals & F_SEAL_SHRINK ? "" : " F_SEAL_SHRINK", seals & F_SEAL_GROW ? "" : " F_SEAL_GROW");
    }
    struct stat file {};
    if (::fstat(fd, &file) != 0) return base::fail_errno(ErrorCode::Failed, kKey, errno);
    const auto size = static_cast<uint64_t>(file.st_size);
    if (size > RequestLimits::kMaxSocketPromptBytes) {
        return fail(ErrorCode::PromptTooLong, kKey, ": ", size, " bytes are more than ",
                    RequestLimits::kMaxSocketPromptBytes);
    }
    std::string text(size, '\0');
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return base::fail_errno(ErrorCode::InvalidArgument, base::concat(kKey, ": it cannot be read"), errno);
        if (n == 0) return fail(ErrorCode::InvalidArgument, kKey, ": it ends after ", done, " bytes of ", size);
        done += static_cast<size_t>(n);
    }
    if (const size_t clean = base::clean_prefix(text); clean != text.size()) {
        return fail(ErrorCode::InvalidArgument, kKey, ": byte ", clean,
                    " begins no character that a D-Bus string may hold");
    }
    return text;
}

}  // namespace

Result<std::optional<std::string>> take_prompt_fd(bus::VariantMap& options) {
    const auto taken = options.extract(kKey);
    if (!taken) return std::optional<std::string>();
    const std::string type = taken.mapped().peekValueType();
    if (type != "h") {
        return fail(ErrorCode::InvalidArgument, kKey, ": expected a descriptor (h), got a value of D-Bus type ",
                    base::in_quotes(type));
    }
    auto text = read_sealed(taken.mapped().get<sdbus::UnixFd>().get());
    if (!text) return text.error();
    return std::optional<std::string>(*std::move(text));
}

}  // namespace llmd::dbus
