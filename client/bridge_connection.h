// One program's TCP connection to the bridge and the one to llmd behind it: a preamble (base/bridge_preamble.h), and
// then bytes from one side to the other as they come, never more than kBufferBytes of either kept. What they say is
// llmd's matter; the bridge answers by itself only where llmd does not.
// The client's leaving closes llmd's side at once, which cancels. On TCP the end of what a client sends is all that can
// be seen of that, so one that only says that it sends no more counts as gone too; but once something of the answer to
// its last bytes has come, that goes on until something cannot be sent. Thread-bound to the event loop. SIGPIPE must be
// ignored.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/bridge_preamble.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::client {

// A whole answer of the bridge's own, after which the connection is closed. `request` is how the client's request
// begins, or empty: where its path is one of Ollama's API the answer has that one's form, else OpenAI's.
std::string bridge_answer(unsigned status, const base::Error& error, std::string_view request = {});

class BridgeConnection {
public:
    static constexpr size_t kBufferBytes = 64u << 10;
    // Until the client's first bytes; only then llmd is connected to, which has times for all that follows.
    static constexpr std::chrono::seconds kFirstBytesTime{10};
    // A client that takes nothing for so long is dropped. llmd cancels the request after half of it.
    static constexpr std::chrono::seconds kStallTime{60};
    // How long a client whose answer is complete has to close.
    static constexpr std::chrono::seconds kLeaveTime{2};

    struct Route {
        std::string socket;        // the bridges' own of llmd
        std::string how_to_start;  // the command that starts llmd
        base::BridgePreamble preamble;
    };

    // `client` does not block. `program`: whose it is, as in a preamble. `on_end` is called once, in a later pass of
    // the loop, when all is over: the connection may be destroyed. The references must outlive it.
    BridgeConnection(base::EventLoop& loop, const Route& route, base::UniqueFd client, pid_t program,
                     std::function<void()> on_end);
    ~BridgeConnection();
    BridgeConnection(const BridgeConnection&) = delete;
    BridgeConnection& operator=(const BridgeConnection&) = delete;

    pid_t program() const { return program_; }

private:
    enum class Stage { Pump, Leaving, Ended };
    // A descriptor, what is to be sent to it, and what it is watched for; 0: not at all, for poll() reports a hang-up
    // whatever it is asked.
    struct End {
        base::UniqueFd fd;
        std::string bytes;
        short watched = 0;
    };

    void on_client(short events);
    void on_llmd(short events);
    void read_client();
    void end_of_client();
    void connect_llmd();
    void read_llmd();
    // False when the other side takes no more, ever.
    static bool send(End& end);
    void send_to_client();
    void refuse(unsigned status, const base::Error& error);
    void close_llmd();
    void leave();
    void end();
    void set_timer(std::chrono::seconds limit, std::function<void()> callback);
    // Watches for what the kept bytes call for.
    void update();
    void watch(End& end, short events, void (BridgeConnection::*callback)(short));

    base::EventLoop& loop_;
    const Route& route_;
    const pid_t program_;
    const std::function<void()> on_end_;
    End client_;
    End llmd_;
    Stage stage_ = Stage::Pump;
    std::string first_bytes_;    // of the client, for the form of an answer that llmd does not give
    bool waits_ = false;         // nothing has been answered to the client's last bytes
    bool answered_ = false;      // a byte of an answer has come, or been made
    bool client_ended_ = false;  // it sends no more
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::client
