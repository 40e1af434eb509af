// An HTTP server on loopback for tests: a handler answers each call as it likes, or breaks off.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace llmd::test {

struct UpstreamCall {
    std::string method, path, head, body;
};

class UpstreamServer {
public:
    // One connection, which is closed when the handler returns.
    class Answer {
    public:
        Answer(int fd, UpstreamServer& server) : fd_(fd), server_(server) {}
        // False: the caller has gone.
        bool write(std::string_view bytes) const {
            return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
        }
        void head(int status, std::string_view more = "Content-Type: text/event-stream\r\n") const {
            write("HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: close\r\n" + std::string(more) + "\r\n");
        }
        void json(std::string_view body, int status = 200, std::string_view more = "") const {
            head(status, "Content-Length: " + std::to_string(body.size()) + "\r\n" + std::string(more));
            write(body);
        }
        void event(std::string_view data) const { write("data: " + std::string(data) + "\n\n"); }
        // Says nothing until the caller or the test has gone.
        void hold() const {
            std::array<pollfd, 2> fds{pollfd{fd_, POLLRDHUP, 0}, pollfd{server_.end_[0].get(), POLLIN, 0}};
            ::poll(fds.data(), fds.size(), -1);
        }

    private:
        int fd_;
        UpstreamServer& server_;
    };
    using Handler = std::function<void(const UpstreamCall&, const Answer&)>;

    explicit UpstreamServer(Handler handler) : handler_(std::move(handler)) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        end_[0].reset(ends[0]);
        end_[1].reset(ends[1]);
        listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(::listen(listener_.get(), 16), 0);
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
        thread_ = std::thread([this] { accept_all(); });
    }
    ~UpstreamServer() {
        end_[1].reset();
        thread_.join();
        for (std::thread& one : threads_) one.join();
    }
    UpstreamServer(const UpstreamServer&) = delete;
    UpstreamServer& operator=(const UpstreamServer&) = delete;

    const std::string& url() const { return url_; }
    // The calls of that path so far.
    std::vector<UpstreamCall> calls(std::string_view path) {
        const std::lock_guard lock(mutex_);
        std::vector<UpstreamCall> some;
        for (const UpstreamCall& call : calls_) {
            if (call.path == path) some.push_back(call);
        }
        return some;
    }

private:
    void accept_all() {
        while (true) {
            std::array<pollfd, 2> fds{pollfd{listener_.get(), POLLIN, 0}, pollfd{end_[0].get(), POLLIN, 0}};
            ::poll(fds.data(), fds.size(), -1);
            if (fds[1].revents != 0) return;
            const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd >= 0) threads_.emplace_back([this, fd] { serve(base::UniqueFd(fd)); });
        }
    }
    void serve(const base::UniqueFd& fd) {
        std::string bytes;
        std::array<char, 4096> buffer{};
        size_t end = std::string::npos, length = 0;
        while (end == std::string::npos || bytes.size() < end + length) {
            const ssize_t n = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
            if (n <= 0) return;
            bytes.append(buffer.data(), static_cast<size_t>(n));
            if (end != std::string::npos || (end = bytes.find("\r\n\r\n")) == std::string::npos) continue;
            end += 4;
            const size_t at = bytes.find("Content-Length: ");
            if (at < end) length = std::stoul(bytes.substr(at + 16));
        }
        UpstreamCall call;
        const size_t blank = bytes.find(' ');
        call.method = bytes.substr(0, blank);
        call.path = bytes.substr(blank + 1, bytes.find(' ', blank + 1) - blank - 1);
        call.head = bytes.substr(0, end);
        call.body = bytes.substr(end);
        {
            const std::lock_guard lock(mutex_);
            calls_.push_back(call);
        }
        handler_(call, Answer(fd.get(), *this));
    }

    const Handler handler_;
    std::array<base::UniqueFd, 2> end_;  // of a pipe, closed at the end
    base::UniqueFd listener_;
    std::string url_;
    std::mutex mutex_;
    std::vector<UpstreamCall> calls_;
    std::list<std::thread> threads_;
    std::thread thread_;
};

}  // namespace llmd::test
