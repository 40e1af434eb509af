#include "client/bridge_connection.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/errors.h"
#include "base/json_writer.h"

namespace llmd::client {
namespace {

using base::ErrorCode;
using base::fail;

constexpr size_t kReadBytes = 16u << 10;
// Enough of a request to see whose API it is: the longest method and the beginning of a path.
constexpr size_t kFirstBytes = 32;

bool would_block(int error) {
    return error == EAGAIN || error == EINTR;
}

}  // namespace

std::string bridge_answer(unsigned status, const base::Error& error, std::string_view request) {
    std::string body = api::openai_error(error);
    if (request.substr(std::min(request.find(' '), request.size())).starts_with(" /api/")) {
        body = base::JsonWriter().begin_object().key("error").value(error.message).end_object().take();
    }
    return base::concat(
        "HTTP/1.1 ", status, " Refused\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
        "\r\nConnection: close\r\n", api::error_row(error.code).may_retry ? "Retry-After: 2" : "x-should-retry: false",
        "\r\n\r\n", body);
}

BridgeConnection::BridgeConnection(base::EventLoop& loop, const Route& route, base::UniqueFd client, pid_t program,
                                   std::function<void()> on_end)
    : loop_(loop), route_(route), program_(program), on_end_(std::move(on_end)) {
    client_.fd = std::move(client);
    set_timer(kFirstBytesTime, [this] { end(); });
    update();
}

BridgeConnection::~BridgeConnection() {
    loop_.cancel_timer(timer_);
    watch(client_, 0, nullptr);
    watch(llmd_, 0, nullptr);
}

void BridgeConnection::on_client(short events) {
    if ((events & POLLOUT) != 0) send_to_client();
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && stage_ != Stage::Ended) read_client();
    update();
}

void BridgeConnection::on_llmd(short events) {
    // llmd may refuse a request before it has read all of it: the rest is of no use then, but the answer is.
    if ((events & POLLOUT) != 0 && !send(llmd_)) llmd_.bytes.clear();
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) read_llmd();
    update();
}

void BridgeConnection::read_client() {
    std::array<char, kReadBytes> bytes;
    const ssize_t n = ::recv(client_.fd.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && would_block(errno)) return;
    if (n < 0) return end();
    if (n == 0) return end_of_client();
    if (stage_ != Stage::Pump) return;  // it is too late for it
    waits_ = true;
    if (!llmd_.fd) {
        first_bytes_.assign(bytes.data(), std::min(static_cast<size_t>(n), kFirstBytes));
        connect_llmd();
    }
    if (llmd_.fd) llmd_.bytes.append(bytes.data(), static_cast<size_t>(n));
}

void BridgeConnection::end_of_client() {
    if (stage_ != Stage::Pump || waits_ || !llmd_.fd) return end();
    client_ended_ = true;
    ::shutdown(llmd_.fd.get(), SHUT_WR);
}

void BridgeConnection::connect_llmd() {
    loop_.cancel_timer(std::exchange(timer_, 0));
    base::BridgePreamble of_program = route_.preamble;
    of_program.program = program_;
    auto preamble = base::write_bridge_preamble(of_program);
    if (!preamble) return refuse(503, preamble.error());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    route_.socket.copy(address.sun_path, sizeof address.sun_path - 1);  // run_bridge() has measured it
    llmd_.fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!llmd_.fd || ::connect(llmd_.fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return refuse(503, fail(ErrorCode::NotReady, "llmd is not reached at ", route_.socket, ": ",
                                std::strerror(errno), "; start it: ", route_.how_to_start));
    }
    llmd_.bytes = std::move(*preamble);
}

void BridgeConnection::read_llmd() {
    std::array<char, kReadBytes> bytes;
    const ssize_t n = ::recv(llmd_.fd.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && would_block(errno)) return;
    if (n > 0) {
        answered_ = true;
        waits_ = false;
        client_.bytes.append(bytes.data(), static_cast<size_t>(n));
        return send_to_client();
    }
    close_llmd();
    if (!answered_) {
        return refuse(502, fail(ErrorCode::Failed, "llmd ended before it answered, as one of an older release than ",
                                "this bridge does; its log says why"));
    }
    if (client_.bytes.empty()) leave();
}

bool BridgeConnection::send(End& end) {
    const ssize_t n = ::send(end.fd.get(), end.bytes.data(), end.bytes.size(), MSG_NOSIGNAL);
    if (n < 0) return would_block(errno);
    end.bytes.erase(0, static_cast<size_t>(n));
    return true;
}

void BridgeConnection::send_to_client() {
    const size_t before = client_.bytes.size();
    if (!send(client_)) return end();
    if (stage_ == Stage::Leaving) return;
    if (client_.bytes.empty()) {
        loop_.cancel_timer(std::exchange(timer_, 0));
        if (!llmd_.fd) leave();
    } else if (client_.bytes.size() < before || timer_ == 0) {
        set_timer(kStallTime, [this] { end(); });
    }
}

// In place of llmd's answer. Called while nothing of that has been sent.
void BridgeConnection::refuse(unsigned status, const base::Error& error) {
    close_llmd();
    answered_ = true;
    client_.bytes = bridge_answer(status, error, first_bytes_);
    send_to_client();
}

void BridgeConnection::close_llmd() {
    watch(llmd_, 0, nullptr);
    llmd_ = {};
}

// Closing this side while bytes of the client are unread would have the client's kernel throw the answer away.
void BridgeConnection::leave() {
    if (client_ended_) return end();  // there is nothing of it to be read
    stage_ = Stage::Leaving;
    ::shutdown(client_.fd.get(), SHUT_WR);
    set_timer(kLeaveTime, [this] { end(); });
}

void BridgeConnection::end() {
    if (std::exchange(stage_, Stage::Ended) == Stage::Ended) return;
    loop_.cancel_timer(std::exchange(timer_, 0));
    close_llmd();
    watch(client_, 0, nullptr);
    client_.fd.reset();
    loop_.defer(on_end_);
}

void BridgeConnection::set_timer(std::chrono::seconds limit, std::function<void()> callback) {
    loop_.cancel_timer(timer_);
    timer_ = loop_.add_timer_after(limit, [this, callback = std::move(callback)] {
        timer_ = 0;
        callback();
    });
}

void BridgeConnection::update() {
    if (stage_ == Stage::Ended) return;
    // One that has ended is watched no more but for what can be sent: poll() would report its end all the time.
    const bool takes_request = !client_ended_ && llmd_.bytes.size() < kBufferBytes;
    watch(client_, static_cast<short>((takes_request ? POLLIN : 0) | (client_.bytes.empty() ? 0 : POLLOUT)),
          &BridgeConnection::on_client);
    if (!llmd_.fd) return;
    const bool takes_answer = client_.bytes.size() < kBufferBytes;
    watch(llmd_, static_cast<short>((takes_answer ? POLLIN : 0) | (llmd_.bytes.empty() ? 0 : POLLOUT)),
          &BridgeConnection::on_llmd);
}

void BridgeConnection::watch(End& end, short events, void (BridgeConnection::*callback)(short)) {
    if (events == end.watched) return;
    if (events == 0) {
        loop_.remove_fd(end.fd.get());
    } else if (end.watched == 0) {
        loop_.add_fd(end.fd.get(), events, [this, callback](short found) { (this->*callback)(found); });
    } else {
        loop_.set_events(end.fd.get(), events);
    }
    end.watched = events;
}

}  // namespace llmd::client
