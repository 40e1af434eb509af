// llmd's Unix socket: HTTP/1.1 by libmicrohttpd on the event loop, for programs of the same user. api.h says what is
// served, connection.h how much of a request is taken.
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

#include "base/bridge_header.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "http/api.h"
#include "http/connection.h"

struct MHD_Daemon;

namespace llmd::http {

class Server final : private base::PollSource {
public:
    // Further connections are told so and closed.
    static constexpr size_t kMaxConnections = 64;
    static constexpr size_t kMaxConnectionsPerProcess = base::kConnectionsPerProcess;
    // How long shut_down() waits for clients to take the last bytes.
    static constexpr std::chrono::seconds kDrainTime{2};

    // Listens on what the service manager hands over, else at `path`. The references must outlive the server.
    // The errors of listening_socket.h, and Failed when libmicrohttpd cannot be started.
    static base::Result<std::unique_ptr<Server>> open(base::EventLoop& loop, service::Service& service,
                                                      std::string version, const std::string& path);
    // Closes all connections. Requests that have not ended lose their sinks: the loop may turn no more then.
    ~Server() override;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // No request is being received or answered.
    bool is_idle() const;
    // Takes no more connections; once the last answers are out, or kDrainTime has passed, calls `done`.
    void shut_down(std::function<void()> done);

private:
    Server(base::EventLoop& loop, service::Service& service, std::string version);
    base::Result<void> start(const std::string& path);
    void listen();
    void close_listener();
    // One connection, if there is one.
    void accept();
    base::Result<Client> admit(int fd, pid_t& pid) const;

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
    base::UniqueFd listener_;
    std::string made_path_;  // of the socket, to be removed in the end; empty when the service manager owns it
    std::map<int, std::unique_ptr<Connection>> connections_;  // by descriptor
    MHD_Daemon* daemon_ = nullptr;
    base::EventLoop::TimerId accept_timer_ = 0;
    base::EventLoop::TimerId drain_timer_ = 0;
    std::function<void()> done_;
};

}  // namespace llmd::http
