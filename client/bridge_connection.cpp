#include "client/bridge_connection.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bridge_header.h"

namespace llmd::client {
namespace {

using base::ErrorCode;
using base::fail;

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr size_t kReadBytes = 16u << 10;

bool would_block(int error) {
    return error == EAGAIN || error == EINTR;
}

}  // namespace

base::Result<void> BridgeQueue::enter(const BridgedHead& head) {
    if (head.is_call && n_requests_ >= kMaxRequests) {
        return fail(ErrorCode::QueueFull, n_requests_, " requests are waiting in the bridge, at most ", kMaxRequests,
                    " may");
    }
    if (head.n_body > 0 && n_body_bytes_ + head.n_body > kMaxBodyBytes) {
        return fail(ErrorCode::QueueFull, "the bodies of requests that are waiting in the bridge have ", n_body_bytes_,
                    " bytes; with ", head.n_body, " they are more than ", kMaxBodyBytes);
    }
    n_requests_ += head.is_call ? 1 : 0;
    n_body_bytes_ += head.n_body;
    return {};
}

void BridgeQueue::leave(const BridgedHead& head) {
    n_requests_ -= head.is_call ? 1 : 0;
    n_body_bytes_ -= head.n_body;
}

BridgeConnection::BridgeConnection(base::EventLoop& loop, const Route& route, BridgeQueue& queue, base::UniqueFd client,
                                   Events events)
    : loop_(loop), route_(route), queue_(queue), events_(std::move(events)) {
    client_.fd = std::move(client);
    set_timer(kHeadTime, [this] {
        refuse(408, fail(ErrorCode::Timeout, "the headers did not come within ", kHeadTime.count(), " s"));
    });
    update();
}

BridgeConnection::~BridgeConnection() {
    leave_queue();
    loop_.cancel_timer(timer_);
    watch(client_, 0, nullptr);
    watch(llmd_, 0, nullptr);
}

void BridgeConnection::on_client(short events) {
    if ((events & POLLOUT) != 0) send_to_client();
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && stage_ != Stage::Ended) read_client();
    update();
}

void BridgeConnection::read_answer_head(std::string_view bytes) {
    if (answered_ && answer_head_.empty()) return;
    answer_head_ += bytes;
    const size_t size = answer_head_.find(kHeadEnd);
    if (size == std::string::npos && answer_head_.size() < kMaxBridgeHeadBytes) return;
    streams_ = answers_with_a_stream(std::string_view(answer_head_).substr(0, size));
    answer_head_ = {};
}

void BridgeConnection::on_llmd(short events) {
    // llmd may refuse a request before it has read all of it: the rest is of no use then, but the answer is.
    if ((events & POLLOUT) != 0 && !send(llmd_, to_llmd_)) to_llmd_.clear();
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) read_llmd();
    update();
}

void BridgeConnection::read_client() {
    std::array<char, kReadBytes> bytes;
    const ssize_t n = ::recv(client_.fd.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && would_block(errno)) return;
    if (n == 0 && streams_ && stage_ == Stage::Pump && !client_ended_) {
        client_ended_ = true;
        return;
    }
    if (n <= 0) return end();
    take_from_client({bytes.data(), static_cast<size_t>(n)});
}

void BridgeConnection::take_from_client(std::string_view bytes) {
    if (stage_ == Stage::Head) {
        head_ += bytes;
        take_head();
    } else if (stage_ == Stage::Wait && body_left_ > 0) {
        bytes = bytes.substr(0, body_left_);
        body_left_ -= bytes.size();
        to_llmd_ += bytes;
        if (body_left_ == 0) wait_for_place();
    }
}

void BridgeConnection::take_head() {
    const size_t size = head_.find(kHeadEnd);
    if (std::min(size, head_.size()) > kMaxBridgeHeadBytes) {
        return refuse(431,
                      fail(ErrorCode::InvalidArgument, "the headers have more than ", kMaxBridgeHeadBytes, " bytes"));
    }
    if (size == std::string::npos) return;
    loop_.cancel_timer(std::exchange(timer_, 0));
    auto read = read_bridge_head(std::string_view(head_).substr(0, size), route_.rules);
    if (const auto* refusal = std::get_if<BridgeRefusal>(&read)) return answer(*refusal);
    const std::string body = std::exchange(head_, {}).substr(size + kHeadEnd.size());
    request_ = std::move(*std::get_if<BridgedHead>(&read));
    if (const auto entered = queue_.enter(request_); !entered) return refuse(429, entered.error());
    in_queue_ = true;
    to_llmd_ = std::exchange(request_.text, {});
    body_left_ = request_.n_body;
    stage_ = Stage::Wait;
    if (body_left_ == 0) return wait_for_place();
    set_timer(kBodyTime, [this] {
        refuse(408, fail(ErrorCode::Timeout, "the body did not come within ", kBodyTime.count(), " s"));
    });
    take_from_client(body);
}

void BridgeConnection::wait_for_place() {
    loop_.cancel_timer(std::exchange(timer_, 0));
    loop_.defer(events_.on_place);
}

void BridgeConnection::leave_queue() {
    if (std::exchange(in_queue_, false)) queue_.leave(request_);
}

void BridgeConnection::give_place() {
    leave_queue();
    stage_ = Stage::Pump;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    route_.socket.copy(address.sun_path, sizeof address.sun_path - 1);  // run_bridge() has measured it
    llmd_.fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!llmd_.fd || ::connect(llmd_.fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return refuse(503, fail(ErrorCode::NotReady, "llmd is not reached at ", route_.socket, ": ",
                                std::strerror(errno), "; start it: ", route_.how_to_start));
    }
    update();
}

void BridgeConnection::read_llmd() {
    std::array<char, kReadBytes> bytes;
    const ssize_t n = ::recv(llmd_.fd.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && would_block(errno)) return;
    if (n > 0) {
        read_answer_head({bytes.data(), static_cast<size_t>(n)});
        answered_ = true;
        to_client_.append(bytes.data(), static_cast<size_t>(n));
        return send_to_client();
    }
    close_llmd();
    if (!answered_) return refuse(502, fail(ErrorCode::Failed, "llmd ended before it answered"));
    if (to_client_.empty()) leave();
}

bool BridgeConnection::send(End& end, std::string& bytes) {
    const ssize_t n = ::send(end.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0) return would_block(errno);
    bytes.erase(0, static_cast<size_t>(n));
    return true;
}

void BridgeConnection::send_to_client() {
    const size_t before = to_client_.size();
    if (!send(client_, to_client_)) return end();
    if (stage_ == Stage::Leaving) return;
    if (to_client_.empty()) {
        loop_.cancel_timer(std::exchange(timer_, 0));
        if (!llmd_.fd) leave();
    } else if (to_client_.size() < before || timer_ == 0) {
        set_timer(kStallTime, [this] { end(); });
    }
}

void BridgeConnection::refuse(unsigned status, base::Error error) {
    answer({status, std::move(error), request_.is_ollamas});
}

// In place of llmd's answer. Called while nothing of that has been sent.
void BridgeConnection::answer(const BridgeRefusal& refusal) {
    leave_queue();
    close_llmd();
    answered_ = true;
    stage_ = Stage::Pump;
    to_llmd_.clear();
    body_left_ = 0;
    to_client_ = bridge_answer(refusal);
    send_to_client();
    update();
}

void BridgeConnection::close_llmd() {
    if (!llmd_.fd) return;
    watch(llmd_, 0, nullptr);
    llmd_.fd.reset();
    loop_.defer(events_.on_place);
}

// What the client has sent and nobody has read would have its kernel throw the answer away when this side closes.
void BridgeConnection::leave() {
    if (client_ended_) return end();  // there is nothing of it to be read
    stage_ = Stage::Leaving;
    ::shutdown(client_.fd.get(), SHUT_WR);
    set_timer(kLeaveTime, [this] { end(); });
}

void BridgeConnection::end() {
    if (std::exchange(stage_, Stage::Ended) == Stage::Ended) return;
    leave_queue();
    loop_.cancel_timer(std::exchange(timer_, 0));
    close_llmd();
    watch(client_, 0, nullptr);
    client_.fd.reset();
    loop_.defer(events_.on_end);
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
    watch(client_, static_cast<short>((client_ended_ ? 0 : POLLIN) | (to_client_.empty() ? 0 : POLLOUT)),
          &BridgeConnection::on_client);
    if (!llmd_.fd) return;
    const bool takes_answer = to_client_.size() < kBufferBytes;
    watch(llmd_, static_cast<short>((takes_answer ? POLLIN : 0) | (to_llmd_.empty() ? 0 : POLLOUT)),
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
