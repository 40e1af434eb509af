// llmd's Unix sockets: HTTP/1.1 by libmicrohttpd on the event loop, for programs of the same user. api.h says what is
// served, connection.h how much of a request is taken.
// A program that connects to the second one is a bridge (base/bridge_preamble.h) and speaks for others. Which
// applications they are cannot be known, so their requests count as those of one sandboxed application, with half the
// limits, a priority of normal at most and a prefix cache of their own. By the processes that the bridge names they are
// clients of it that wait no longer than each other. That socket only takes rights away, whoever connects to it.
// Thread-bound to the event loop. SIGPIPE must be ignored.
#pragma once

#include <chrono>
#include <cstdarg>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "http/api.h"
#include "http/call_queue.h"
#include "http/connection.h"
#include "http/preamble_reader.h"

struct MHD_Daemon;

namespace llmd::http {

class Server final : private base::PollSource {
public:
    // Further connections take the place of one that waits for a request, which is closed: the longest of those that
    // never sent one, else the longest of all. Where none waits they are closed with an answer that says so. Those of
    // bridges are counted apart, and of them only by process those whose process is known. A process has room for all
    // calls of an SDK that a CallQueue takes, and as many idle connections as a third of that.
    static constexpr size_t kMaxConnections = 192;
    static constexpr size_t kMaxConnectionsPerApplication = 128;
    static constexpr size_t kMaxConnectionsPerProcess = 96;
    static constexpr size_t kMaxBridged = 128;
    // For bodies of one program that come through bridges, while they are received or wait: of what all programs have,
    // one of the longest of another's is left.
    static constexpr size_t kMaxBridgedBodyBytes = BodyBudget::kMaxBytes - kMaxBodyBytes;
    // How long shut_down() waits for clients to take the last bytes.
    static constexpr std::chrono::seconds kDrainTime{2};

    struct Sockets {
        std::string main;
        std::string bridge;
        // Called with the reason when bridges cannot be served, or one is dropped: for the log.
        std::function<void(const std::string&)> warn = [](const std::string&) {};
    };

    // Listens on what the service manager hands over, else where `sockets` says. The references must outlive the
    // server. The errors of listening_socket.h for the main socket, and Failed when libmicrohttpd cannot be started.
    static base::Result<std::unique_ptr<Server>> open(base::EventLoop& loop, service::Service& service,
                                                      std::string version, Sockets sockets);
    // Closes all connections. Requests that have not ended lose their sinks: the loop must not run any more then.
    ~Server() override;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // No request is being received or answered.
    bool is_idle() const;
    // Takes no more connections; once the last answers are out, or kDrainTime has passed, calls `done`.
    void shut_down(std::function<void()> done);

private:
    struct Listener {
        base::UniqueFd fd;
        std::string made_path;  // to be removed in the end; empty when the service manager owns it
        base::EventLoop::TimerId accept_timer = 0;
        bool is_bridge = false;
    };

    Server(base::EventLoop& loop, service::Service& service, std::string version, Sockets sockets);
    base::Result<void> start();
    static base::Result<void> open_listener(Listener& listener, base::UniqueFd inherited, const std::string& path);
    void listen(Listener& listener);
    void close_listener(Listener& listener);
    // One connection, if there is one.
    void accept(Listener& listener);
    base::Result<base::Caller> admit(int fd, pid_t& pid, bool is_bridge);
    // RateLimited: so many connections of this client, the process `pid`, are in use.
    base::Result<void> check_room(const std::string& client, pid_t pid);
    // Closes one of the connections for which `is_like` holds where there are `most` of them. Returns false where there
    // are and none waits for a request.
    template <typename Condition>
    bool make_room(size_t most, Condition is_like);
    void await_preamble(base::UniqueFd fd, pid_t pid, base::Caller caller);
    void serve_bridged(base::UniqueFd fd, base::Caller caller, base::BridgePreamble preamble);
    void serve(base::UniqueFd fd, base::Caller caller, std::optional<base::BridgePreamble> bridge);

    void prepare(std::vector<pollfd>& fds, std::optional<base::TimePoint>& deadline) override;
    void dispatch(std::span<const pollfd> polled) override;

    static MHD_Result on_access(void* server, MHD_Connection* connection, const char* url, const char* method,
                                const char* version, const char* data, size_t* n_data, void** context);
    static void* on_request_line(void* server, const char* uri, MHD_Connection* connection);
    static void on_log(void* server, const char* format, va_list arguments);
    static void on_completed(void* server, MHD_Connection* connection, void** context, MHD_RequestTerminationCode code);
    static void on_connection(void* server, MHD_Connection* connection, void** context,
                              MHD_ConnectionNotificationCode code);

    base::EventLoop& loop_;
    Api api_;
    BodyBudget bodies_;
    BodyBudget bridged_bodies_{kMaxBridgedBodyBytes};
    CallQueue calls_;
    service::Service& service_;
    const Sockets sockets_;
    Listener main_;
    Listener bridge_{.is_bridge = true};
    std::map<int, std::unique_ptr<PreambleReader>> preambles_;  // by descriptor, as are the others
    std::map<int, std::unique_ptr<Connection>> connections_;
    MHD_Daemon* daemon_ = nullptr;
    base::EventLoop::TimerId drain_timer_ = 0;
    std::function<void()> done_;
};

}  // namespace llmd::http
