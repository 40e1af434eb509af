#include "platform/memory_pressure.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace llmd::platform {
namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;

struct Target {
    std::string path;
    std::string trigger;  // written once it is open
};

// RFC 4648, with padding; nothing when `text` is something else.
std::optional<std::string> from_base64(std::string_view text) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr size_t kGroup = 4;
    if (text.size() % kGroup != 0) return std::nullopt;
    std::string out;
    uint32_t bits = 0;
    int n_bits = 0;
    // At most two of them end it.
    const size_t end = text.find('=');
    if (end != std::string_view::npos && text.substr(end) != "=" && text.substr(end) != "==") return std::nullopt;
    for (const char c : text.substr(0, end)) {
        const size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(digit);
        n_bits += 6;
        if (n_bits < 8) continue;
        n_bits -= 8;
        out.push_back(static_cast<char>(bits >> n_bits & 0xff));
    }
    return out;
}

Result<base::UniqueFd> open_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return fail(ErrorCode::NotReady, path, ": too long for the address of a socket");
    }
    path.copy(address.sun_path, path.size());
    base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return fail_errno(ErrorCode::NotReady, path, errno);
    }
    return fd;
}

class Watch final : public MemoryPressure {
public:
    // A `stream` is read, and its end is the end of the watch; a file's trigger is an exceptional condition.
    Watch(base::EventLoop& loop, base::UniqueFd fd, bool is_stream)
        : loop_(loop), fd_(std::move(fd)), is_stream_(is_stream) {
        loop_.add_fd(fd_.get(), is_stream_ ? POLLIN : POLLPRI, [this](short revents) { on_event(revents); });
    }
    ~Watch() override {
        if (fd_) loop_.remove_fd(fd_.get());
    }

    void on_stall(std::function<void()> callback) override { callback_ = std::move(callback); }

private:
    void on_event(short revents) {
        // POLLERR: the control group has gone, or the peer.
        const bool has_ended = (revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
        bool has_stalled = (revents & POLLPRI) != 0 && !has_ended;
        if (is_stream_) has_stalled = drain();
        if (has_ended) {
            loop_.remove_fd(fd_.get());
            fd_.reset();
        }
        if (has_stalled && callback_) callback_();
    }

    bool drain() {
        bool has_read = false;
        std::array<char, 256> bytes;
        while (::read(fd_.get(), bytes.data(), bytes.size()) > 0) has_read = true;
        return has_read;
    }

    base::EventLoop& loop_;
    base::UniqueFd fd_;
    const bool is_stream_;
    std::function<void()> callback_;
};

Result<std::unique_ptr<MemoryPressure>> watch(base::EventLoop& loop, const Target& target) {
    struct stat status = {};
    if (::stat(target.path.c_str(), &status) != 0) return fail_errno(ErrorCode::NotReady, target.path, errno);
    const bool is_socket = S_ISSOCK(status.st_mode);
    const bool is_fifo = S_ISFIFO(status.st_mode);
    Result<base::UniqueFd> fd =
        is_socket ? open_socket(target.path)
                  : base::UniqueFd(::open(target.path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return fd.error();
    if (!*fd) return fail_errno(ErrorCode::NotReady, target.path, errno);
    // A FIFO is open for writing so that it does not end with its writers: what is written there would come back.
    const size_t n_bytes = is_fifo ? 0 : target.trigger.size();
    if (n_bytes > 0 && ::write(fd->get(), target.trigger.data(), n_bytes) != static_cast<ssize_t>(n_bytes)) {
        return fail_errno(ErrorCode::NotReady, target.path + ": its trigger", errno);
    }
    return std::unique_ptr<MemoryPressure>(std::make_unique<Watch>(loop, std::move(*fd), is_socket || is_fifo));
}

}  // namespace

std::string own_control_group(const PressureFiles& files) {
    std::ifstream groups(files.proc + "/self/cgroup");
    constexpr std::string_view kUnified = "0::";
    for (std::string line; std::getline(groups, line);) {
        if (line.starts_with(kUnified)) return line.substr(kUnified.size());
    }
    return {};
}

Result<std::unique_ptr<MemoryPressure>> watch_memory_pressure(base::EventLoop& loop, const PressureFiles& files) {
    if (const char* path = std::getenv("MEMORY_PRESSURE_WATCH"); path != nullptr && *path != '\0') {
        if (std::string_view(path) == "/dev/null") {
            return fail(ErrorCode::NotReady, "MEMORY_PRESSURE_WATCH is /dev/null: memory is not watched");
        }
        const char* encoded = std::getenv("MEMORY_PRESSURE_WRITE");
        auto trigger = from_base64(encoded != nullptr ? encoded : "");
        if (!trigger) return fail(ErrorCode::NotReady, "MEMORY_PRESSURE_WRITE: \"", encoded, "\" is not base64");
        return watch(loop, {path, std::move(*trigger)});
    }
    // With its terminating zero, which the kernel replaces with one of its own.
    const std::string trigger(kDefaultTrigger, std::char_traits<char>::length(kDefaultTrigger) + 1);
    if (const std::string group = own_control_group(files); !group.empty()) {
        if (auto own = watch(loop, {files.cgroups + group + "/memory.pressure", trigger})) return own;
    }
    return watch(loop, {files.proc + "/pressure/memory", trigger});
}

}  // namespace llmd::platform
