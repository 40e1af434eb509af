// HTTP calls to one remote, by libcurl on the event loop. A remote is http or https and nothing else: no redirects,
// which would carry the key elsewhere, no cookies, no proxy from the environment, certificates always verified, one
// connection a call, which is closed to cancel it. Answers are not trusted.
// Thread-bound to the event loop. Transfers must end before their Transport.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/event_loop.h"
#include "base/result.h"

namespace llmd::remote {

// Where a remote is, checked.
struct Endpoint {
    std::string base_url;   // without a slash at its end; "http://localhost" for a Unix socket
    std::string unix_path;  // empty: none
    base::RemoteSettings settings;
    std::string key;  // empty: none is sent
};
// InvalidArgument: what base::fault_in() says of the settings, or a key that is no line.
base::Result<Endpoint> make_endpoint(const base::RemoteSettings& settings, std::string key);

struct TransferEnd {
    enum class How : uint8_t {
        Answered = 0,  // whole, whatever its status
        Unreachable,
        Untrusted,
        Broken,    // the connection, or HTTP itself
        Unusable,  // compressed, or too long
    };
    How how = How::Answered;
    long status = 0;                                  // 0: there is no answer
    std::optional<std::chrono::seconds> retry_after;  // as the server asks
    std::string detail;                               // one sentence, unless answered
};

class Transport;

// A call. Destroying it cancels it.
class Transfer {
public:
    struct Events {
        // Bytes of the body, under the answer's status.
        std::function<void(long status, std::string_view bytes)> on_bytes;
        std::function<void(const TransferEnd& end)> on_end;  // once, the last
    };
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    // Nothing is read meanwhile, beyond what libcurl and the kernel hold; no event comes.
    void set_paused(bool paused);

private:
    friend class Transport;
    struct State;
    Transfer(Transport& transport, std::unique_ptr<State> state);

    Transport& transport_;
    std::unique_ptr<State> state_;
};

class Transport {
public:
    Transport(base::EventLoop& loop, Endpoint endpoint, std::chrono::milliseconds connect_timeout);
    ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    // A GET of `path`, or a POST of `json`, where that is not empty. Events come from the loop, never from this call.
    std::unique_ptr<Transfer> start(const std::string& path, std::string json, Transfer::Events events);

private:
    friend class Transfer;
    struct Callbacks;

    void drive(int fd, int events);
    void collect();
    void deliver();
    void deliver_soon();

    base::EventLoop& loop_;
    const Endpoint endpoint_;
    const std::chrono::milliseconds connect_timeout_;
    void* multi_ = nullptr;
    std::map<int, bool> watched_;  // sockets in the loop
    base::EventLoop::TimerId timer_ = 0;
    base::EventLoop::TimerId delivery_ = 0;
    std::map<uint64_t, Transfer::State*> transfers_;
    uint64_t last_transfer_ = 0;
};

}  // namespace llmd::remote
