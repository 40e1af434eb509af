#include "client/http_exchange.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "client/json_reading.h"

namespace llmd::client {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
// "HTTP/1.1 200 OK": the code stands behind the version, which is always this long.
constexpr std::string_view kVersion = "HTTP/1.";
constexpr size_t kStatusAt = 9;
constexpr size_t kStatusDigits = 3;

timeval as_timeval(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    timeval out{};
    out.tv_sec = seconds.count();
    out.tv_usec = std::chrono::microseconds(time - seconds).count();
    return out;
}

}  // namespace

HttpExchange::HttpExchange(const std::string& path, const HttpRequest& request,
                           std::optional<std::chrono::milliseconds> timeout)
    : path_(path), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (!socket_) throw CommandError(ExitCode::Failed, std::string("socket: ") + std::strerror(errno));
    if (timeout) {
        const timeval limit = as_timeval(*timeout);
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // connect() too: socket(7)
    }
    connect();
    std::string message(request.method);
    message += ' ' + request.target + " HTTP/1.0\r\nHost: llmd\r\n";
    if (!request.body.empty()) message += "Content-Type: application/json\r\n";
    message += "Content-Length: " + std::to_string(request.body.size()) + std::string(kHeadEnd) + request.body;
    send(message);
}

void HttpExchange::connect() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path) unreachable(std::strerror(ENAMETOOLONG));
    path_.copy(address.sun_path, path_.size());
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        unreachable(std::strerror(errno));
    }
}

void HttpExchange::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count >= 0) {
            bytes.remove_prefix(static_cast<size_t>(count));
        } else if (errno == EPIPE || errno == ECONNRESET) {
            return;  // llmd wants no more of it: its answer says why
        } else if (errno != EINTR) {
            errno == EAGAIN ? unanswered() : unreachable(std::strerror(errno));
        }
    }
}

std::optional<std::string> HttpExchange::read() {
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) return std::string();
    if (count < 0 && errno == EAGAIN) unanswered();
    if (count < 0 && errno != ECONNRESET) unreachable(std::strerror(errno));
    if (count <= 0) {
        if (status_ == 0) unreachable("llmd ended before it answered");
        return std::nullopt;
    }
    const std::string_view part(bytes.data(), static_cast<size_t>(count));
    return status_ != 0 ? std::string(part) : take_head(part);
}

// Returns what stands behind the headers.
std::string HttpExchange::take_head(std::string_view bytes) {
    head_ += bytes;
    const size_t end = head_.find(kHeadEnd);
    if (std::min(end, head_.size()) > kMaxHeadBytes) malformed("its headers are too long");
    if (end == std::string::npos) return {};
    const char* digits = head_.data() + kStatusAt;
    unsigned status = 0;
    if (!head_.starts_with(kVersion) || end < kStatusAt + kStatusDigits ||
        std::from_chars(digits, digits + kStatusDigits, status).ptr != digits + kStatusDigits || status == 0) {
        malformed("it is not HTTP");
    }
    status_ = status;
    std::string body = head_.substr(end + kHeadEnd.size());
    head_.clear();
    return body;
}

void HttpExchange::unreachable(const std::string& why) const {
    throw CommandError(ExitCode::Unreachable, path_ + ": " + why, "Unreachable");
}

void HttpExchange::unanswered() const {
    throw Unanswered(ExitCode::Unreachable, path_ + ": llmd does not answer", "Unreachable");
}

HttpAnswer whole_answer(HttpExchange exchange) {
    HttpAnswer answer;
    while (const auto part = exchange.read()) {
        answer.body += *part;
        if (answer.body.size() > kMaxAnswerBytes) malformed("it has more than 64 MiB");
    }
    answer.status = exchange.status();
    return answer;
}

HttpAnswer fetch(const std::string& path, const HttpRequest& request,
                 std::optional<std::chrono::milliseconds> timeout) {
    return whole_answer(HttpExchange(path, request, timeout));
}

}  // namespace llmd::client
