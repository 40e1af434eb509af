// One program's TCP connection to the bridge: a head that bridge_head.h lets through, then, once there is a place at
// llmd for it, bytes from one side to the other as they come, never more than kBufferBytes of them held. One request
// each: the answer says Connection: close, and what a client sends behind its request is thrown away.
// The client's leaving closes llmd's side at once, which cancels. On TCP the end of what a client sends is all that can
// be seen of that, so one that only says that it sends no more counts as gone too; but once its answer is a stream,
// that goes on until something cannot be sent. Thread-bound to the event loop. SIGPIPE must be ignored.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "client/bridge_head.h"

namespace llmd::client {

class BridgeConnection {
public:
    // Each way.
    static constexpr size_t kBufferBytes = 64u << 10;
    // From the connection's beginning to the head's end.
    static constexpr std::chrono::seconds kHeadTime{10};
    // How long a request waits for a place at llmd before it is refused.
    static constexpr std::chrono::seconds kPlaceTime{60};
    // A client that takes nothing for so long is given up. llmd gives the request up after half of it.
    static constexpr std::chrono::seconds kStallTime{60};
    // How long a client whose answer is complete has to close.
    static constexpr std::chrono::seconds kLeaveTime{2};

    struct Route {
        std::string socket;        // llmd's
        std::string how_to_start;  // the command that starts llmd
        BridgeRules rules;
    };

    // Called in a later turn.
    struct Events {
        std::function<void()> on_place;  // a place at llmd has been given back, or is waited for
        std::function<void()> on_end;    // once, when all is over: the connection may be destroyed
    };

    // `client` does not block. The references must outlive it.
    BridgeConnection(base::EventLoop& loop, const Route& route, base::UniqueFd client, Events events);
    ~BridgeConnection();
    BridgeConnection(const BridgeConnection&) = delete;
    BridgeConnection& operator=(const BridgeConnection&) = delete;

    bool waits_for_place() const { return stage_ == Stage::Wait; }
    bool has_place() const { return static_cast<bool>(llmd_.fd); }
    // Connects to llmd. Called while it waits for a place.
    void give_place();

private:
    enum class Stage { Head, Wait, Pump, Leaving, Ended };
    // A descriptor and what it is watched for; 0: not at all, for poll() reports a hang-up whatever it is asked.
    struct End {
        base::UniqueFd fd;
        short watched = 0;
    };

    void on_client(short events);
    void on_llmd(short events);
    void read_client();
    void take_from_client(std::string_view bytes);
    void take_head();
    void read_llmd();
    void read_answer_head(std::string_view bytes);
    // False when the other side takes no more, ever.
    bool send(End& end, std::string& bytes);
    void send_to_client();
    void refuse(const BridgeRefusal& refusal);
    void close_llmd();
    void leave();
    void end();
    void set_timer(std::chrono::seconds limit, std::function<void()> callback);
    // What is waited for follows from what is held.
    void update();
    void watch(End& end, short events, void (BridgeConnection::*callback)(short));

    base::EventLoop& loop_;
    const Route& route_;
    const Events events_;
    End client_;
    End llmd_;
    Stage stage_ = Stage::Head;
    std::string head_;
    uint64_t body_left_ = 0;  // bytes of the request that have not come yet
    std::string to_llmd_;
    std::string to_client_;
    std::string answer_head_;    // until all of it has come
    bool streams_ = false;       // the answer has no length
    bool client_ended_ = false;  // it sends no more
    bool answered_ = false;      // a byte of an answer has come, or been made
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::client
