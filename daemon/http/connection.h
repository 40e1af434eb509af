// One connection that libmicrohttpd serves: receives a request within its limits, hands it to the API, suspends while
// there is nothing to send, and notices meanwhile that the client disconnects. Only server.cpp and this know
// libmicrohttpd.
// Thread-bound to the event loop.
#pragma once

#include <microhttpd.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "base/result.h"
#include "http/exchange.h"
#include "http/request.h"

namespace llmd::http {

class Api;

inline constexpr size_t kMaxRequestLineBytes = 8u << 10;
inline constexpr size_t kMaxHeaders = 64;
inline constexpr size_t kMaxBodyBytes = 4u << 20;
// From a connection's beginning to the end of its first request's headers.
inline constexpr std::chrono::seconds kHeaderTime{10};
// From one request's end to the end of the next one's headers.
inline constexpr std::chrono::seconds kIdleTime{60};
// From the headers' end to the body's: the socket carries a body of any size in a moment.
inline constexpr std::chrono::seconds kBodyTime{30};

// What the bodies that are being received may take of memory, before anybody has admitted their requests: by their
// whole lengths, from the headers' end until the body is complete.
class BodyBudget {
public:
    static constexpr size_t kMaxBytes = 16u << 20;
    static constexpr size_t kMaxBytesPerApplication = 8u << 20;  // of one share
    // A body of so few bytes is always received: all connections together cannot fill memory with these.
    static constexpr size_t kFreeBytes = 64u << 10;

    // RateLimited: the application has enough; NotReady: everybody together has.
    base::Result<void> take(const std::string& share, size_t n_bytes);
    void give_back(const std::string& share, size_t n_bytes);

private:
    size_t n_bytes_ = 0;
    std::map<std::string, size_t> by_share_;  // none of them 0
};

class Connection {
public:
    // `fd` belongs to libmicrohttpd, and is open until this is destroyed. The references must outlive it.
    Connection(base::EventLoop& loop, Api& api, BodyBudget& bodies, int fd, pid_t pid, Client client);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    pid_t pid() const { return pid_; }
    // A request is being received or answered.
    bool is_busy() const { return exchange_ != nullptr; }
    // Ends it, whatever it is doing; libmicrohttpd closes it in its next turn.
    void cut();

    // --- What libmicrohttpd tells ------------------------------------------------------------------------------------
    void on_started(MHD_Connection* handle) { handle_ = handle; }
    void on_request_line(size_t n_bytes);
    MHD_Result on_access(const char* method, const char* path, const char* data, size_t* n_data);
    void on_completed();
    // To be called before libmicrohttpd answers a Content-Length that is no number, which it does with two heads (at
    // 0.9.75): it is answered here, and nothing more can be sent.
    void refuse_malformed_length();

private:
    enum class Stage : uint8_t { Headers, Body, Answer };

    // Whom the request counts as (base/bridge_header.h).
    Client requester() const;
    // What makes the request refused before its body is read; the connection does not survive that.
    std::optional<Reply> refuse_head();
    // The body that is being received is complete, or not wanted any more.
    void release_body();
    void receive(const char* data, size_t n_data);
    MHD_Result send_answer();
    static ssize_t read_stream(void* connection, uint64_t position, char* out, size_t size);
    void suspend();
    void watch();
    void unwatch();
    void wake();
    void set_time_limit(std::chrono::seconds limit);

    base::EventLoop& loop_;
    Api& api_;
    BodyBudget& bodies_;
    const int fd_;
    const pid_t pid_;
    const Client client_;
    MHD_Connection* handle_ = nullptr;
    Stage stage_ = Stage::Headers;
    size_t n_request_line_ = 0;
    size_t n_body_ = 0;      // received, whether or not it was kept
    size_t n_reserved_ = 0;  // of the budget, for the share of request_
    Request request_;
    std::shared_ptr<Exchange> exchange_;
    bool suspended_ = false;
    bool watched_ = false;  // by the loop, for its end
    bool gone_ = false;
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::http
