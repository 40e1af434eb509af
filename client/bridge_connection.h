// One program's TCP connection to the bridge: a head that bridge_head.h lets through, its body, of which all is held,
// and then, once there is a place at llmd for it, bytes from one side to the other as they come, never more than
// kBufferBytes of an answer held. One request each: the answer says Connection: close, and what a client sends behind
// its request is thrown away.
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
#include "base/result.h"
#include "base/unique_fd.h"
#include "client/bridge_head.h"

namespace llmd::client {

// The requests that wait in the bridge for a place at llmd, from the end of their heads: their number and the lengths
// of their bodies, which are held. Those that are answered at once count with their bodies only.
class BridgeQueue {
public:
    static constexpr size_t kMaxRequests = 16;
    static constexpr size_t kMaxBodyBytes = 16u << 20;

    // QueueFull names the number and the limit.
    base::Result<void> enter(const BridgedHead& head);
    void leave(const BridgedHead& head);

private:
    size_t n_requests_ = 0;
    size_t n_body_bytes_ = 0;
};

class BridgeConnection {
public:
    // Of an answer.
    static constexpr size_t kBufferBytes = 64u << 10;
    // From the connection's beginning to the head's end.
    static constexpr std::chrono::seconds kHeadTime{10};
    // From the head's end to the body's. After that a request waits for its place as long as its client does.
    static constexpr std::chrono::seconds kBodyTime{30};
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
    BridgeConnection(base::EventLoop& loop, const Route& route, BridgeQueue& queue, base::UniqueFd client,
                     Events events);
    ~BridgeConnection();
    BridgeConnection(const BridgeConnection&) = delete;
    BridgeConnection& operator=(const BridgeConnection&) = delete;

    bool waits_for_place() const { return stage_ == Stage::Wait && body_left_ == 0; }
    bool has_place() const { return static_cast<bool>(llmd_.fd); }
    bool is_call() const { return request_.is_call; }
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
    void refuse(unsigned status, base::Error error);
    void answer(const BridgeRefusal& refusal);
    void wait_for_place();
    void leave_queue();
    void close_llmd();
    void leave();
    void end();
    void set_timer(std::chrono::seconds limit, std::function<void()> callback);
    // What is waited for follows from what is held.
    void update();
    void watch(End& end, short events, void (BridgeConnection::*callback)(short));

    base::EventLoop& loop_;
    const Route& route_;
    BridgeQueue& queue_;
    const Events events_;
    End client_;
    End llmd_;
    Stage stage_ = Stage::Head;
    std::string head_;
    BridgedHead request_;  // without its text
    bool in_queue_ = false;
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
