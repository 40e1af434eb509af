// llmd-remote's side of the connection to llmd: the frames of protocol/messages.h, with Connect in place of Load. It
// reads and writes the socket, connects to the one remote that llmd names, and hands each request to a RemoteRequest. A
// question for a tokenizer never comes here: llmd asks none of a remote.
// Thread-bound to the event loop. A session is the whole life of the process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/config.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "protocol/frame.h"
#include "remote/remote_request.h"

namespace llmd::remote {

inline constexpr Milliseconds kConnectTimeout{5'000};
// Beside what the remote's own times are, so that llmd never takes the remote's time limit for a hang of this process.
inline constexpr Milliseconds kBudgetMargin{300'000};

// A remote that may be talked to.
struct OpenedRemote {
    base::RemoteSettings settings;
    std::string key;      // empty: none
    std::string sandbox;  // the restrictions in force, for people
};

class Session : private RemoteRequest::Host {
public:
    struct Environment {
        // Finds the remote of that name in the settings, reads its key and confines this process. Called once.
        std::function<base::Result<OpenedRemote>(const std::string& remote)> open;
        Limits limits = {};  // first_token and resume are the settings'
        std::string salt_key;
    };

    enum class Leave : uint8_t {
        PeerGone = 0,  // the socket was closed
        Broken,        // the peer broke the protocol, or the socket failed
    };

    Session(base::EventLoop& loop, base::UniqueFd socket, Environment environment);
    ~Session() override;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Why the session is over; the loop has been stopped then.
    std::optional<Leave> left() const { return left_; }
    const std::string& reason() const { return reason_; }

private:
    void receive();
    void handle(const protocol::Message& message);
    void connect(const protocol::Connect& connect);
    void on_connected(const base::Result<Upstream>& upstream);
    void submit(const protocol::Submit& submit);
    void send(const protocol::Message& message) override;
    void on_ended(uint64_t id) override;
    bool may_post() const override;
    void clean_up_soon();
    void report_phase();
    void leave(Leave leave, std::string reason);

    base::EventLoop& loop_;
    base::UniqueFd socket_;
    const Environment environment_;
    protocol::FrameReader reader_;
    std::string unsent_;
    bool connect_seen_ = false;
    base::RemoteSettings settings_;
    std::string sandbox_;
    Limits limits_;
    const base::TimePoint begun_ = loop_.now();
    // In the order in which each needs those before it.
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Connector> connector_;
    std::optional<RemoteContext> context_;  // once the remote is ready
    std::map<uint64_t, std::unique_ptr<RemoteRequest>> requests_;
    std::map<uint64_t, std::unique_ptr<RemoteRequest>> ended_;
    base::EventLoop::TimerId cleaning_ = 0;
    bool told_busy_ = false;
    std::optional<Leave> left_;
    std::string reason_;
};

}  // namespace llmd::remote
