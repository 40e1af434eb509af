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
#include <utility>

#include "base/event_loop.h"
#include "base/result.h"
#include "http/bridge_guard.h"
#include "http/call_queue.h"
#include "http/exchange.h"
#include "http/reply.h"
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

// The memory that bodies may take while they are being received, before anybody has admitted their requests: they count
// by their whole lengths, from the headers' end until the body is complete, or until a request that waits in a
// CallQueue is let go on.
class BodyBudget {
public:
    static constexpr size_t kMaxBytes = 16u << 20;
    static constexpr size_t kMaxBytesPerApplication = 8u << 20;
    // A body of so few bytes is always received: all connections together cannot fill memory with these.
    static constexpr size_t kFreeBytes = 64u << 10;

    explicit BodyBudget(size_t most_per_owner = kMaxBytesPerApplication) : most_per_owner_(most_per_owner) {}

    // `owner` is an application's share, or one client of it. RateLimited: it has enough; NotReady: everybody together
    // has.
    base::Result<void> take(const std::string& owner, size_t n_bytes);
    void give_back(const std::string& owner, size_t n_bytes);

private:
    const size_t most_per_owner_;
    size_t n_bytes_ = 0;
    std::map<std::string, size_t> by_owner_;  // none of them 0
};

class Connection {
public:
    // `fd` belongs to libmicrohttpd, and is open until this is destroyed. The references must outlive it. `bridge`:
    // what the bridge has said through which the connection came.
    Connection(base::EventLoop& loop, Api& api, BodyBudget& bodies, CallQueue& calls, int fd, base::Caller caller,
               std::optional<base::BridgePreamble> bridge = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const std::string& client() const { return caller_.name; }
    const std::string& share() const { return caller_.share; }
    bool is_bridged() const { return bridge_.has_value(); }
    bool is_gone() const { return gone_; }
    // Whether there has been a request, and since when the head of another is waited for; nothing while there is one.
    using Waits = std::pair<bool, base::TimePoint>;
    std::optional<Waits> waits() const;
    // A request is being received or answered.
    bool is_busy() const { return exchange_ != nullptr; }
    // Ends it, whatever it is doing; libmicrohttpd closes it when it runs next.
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

    struct Head;
    MHD_Result on_head();
    // Answers at once, and ends the connection when the body has come.
    void refuse_body(Reply reply);
    // Returns the reason to refuse the request before its body is read.
    std::optional<Reply> refuse_head(const Head& head);
    Reply refusal(unsigned status, const base::Error& error) const;
    Reply body_too_large() const;
    // Whose part of the budget a body takes: programs behind bridges have one share.
    const std::string& body_owner() const { return bridge_ ? caller_.name : caller_.share; }
    // Keeps no more than `n_kept` bytes reserved for the body that is being received.
    void release_body(size_t n_kept = 0);
    void leave_queue();
    // All of the request is there.
    void handle();
    void receive(const char* data, size_t n_data);
    MHD_Result send_answer();
    static ssize_t read_stream(void* connection, uint64_t position, char* out, size_t size);
    void suspend();
    void watch();
    void unwatch();
    void wake();
    void set_time_limit(std::chrono::seconds limit);
    void on_time(std::chrono::seconds limit);

    base::EventLoop& loop_;
    Api& api_;
    BodyBudget& bodies_;
    CallQueue& calls_;
    const int fd_;
    const base::Caller caller_;
    const std::optional<base::BridgePreamble> bridge_;
    MHD_Connection* handle_ = nullptr;
    Stage stage_ = Stage::Headers;
    size_t n_request_line_ = 0;
    size_t n_body_ = 0;         // received, whether or not it was kept
    size_t n_reserved_ = 0;     // of the budget
    CallQueue::Key place_ = 0;  // until the request has ended; 0: none
    Request request_;
    ReplyHeaders cors_;        // of each answer to the request
    bool is_refused_ = false;  // and answered; the rest of the body is dropped
    std::shared_ptr<Exchange> exchange_;
    bool suspended_ = false;
    bool watched_ = false;  // by the loop, for its end
    bool gone_ = false;
    Waits waits_{false, base::Clock::now()};
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::http
