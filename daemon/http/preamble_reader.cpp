#include "http/preamble_reader.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace llmd::http {

using base::ErrorCode;
using base::fail;

PreambleReader::PreambleReader(base::EventLoop& loop, base::UniqueFd fd, Done done)
    : loop_(loop), fd_(std::move(fd)), done_(std::move(done)) {
    timer_ = loop_.add_timer_after(
        kTime, [this] { end(fail(ErrorCode::Timeout, "preamble: it did not come within ", kTime.count(), " s")); });
    loop_.add_fd(fd_.get(), POLLIN, [this](short) { read(); });
}

PreambleReader::~PreambleReader() {
    done_ = nullptr;
    end(base::Error{});
}

void PreambleReader::read() {
    std::array<char, base::kMaxBridgePreambleBytes> part;
    const ssize_t n = ::recv(fd_.get(), part.data(), std::min(part.size(), n_wanted_ - bytes_.size()), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return end(fail(ErrorCode::InvalidArgument, "preamble: the connection ended before it"));
    bytes_.append(part.data(), static_cast<size_t>(n));
    if (bytes_.size() < n_wanted_) return;
    if (has_length_) return end(base::read_bridge_preamble(bytes_));
    const auto length = base::read_bridge_length(bytes_);
    if (!length) return end(length.error());
    bytes_.clear();
    has_length_ = true;
    n_wanted_ = *length;
}

void PreambleReader::end(base::Result<base::BridgePreamble> result) {
    if (timer_ == 0) return;
    loop_.cancel_timer(std::exchange(timer_, 0));
    loop_.remove_fd(fd_.get());
    if (done_) std::exchange(done_, {})(std::move(result));
}

}  // namespace llmd::http
