#include "http/server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/errors.h"
#include "http/listening_socket.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;

// Of libmicrohttpd, for a request's line and headers and an answer's.
constexpr size_t kConnectionMemoryBytes = 64u << 10;
// A connection on which nothing moves, neither way, though something should. Longer than Backlog::kStallTimeout, which
// knows why.
constexpr unsigned kInactivitySeconds = 60;
// Where no descriptors are left, accept() is tried again after this: the loop would report the connection all the time.
constexpr std::chrono::seconds kAcceptPause{1};

Connection* connection_of(MHD_Connection* handle) {
    const auto* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? static_cast<Connection*>(info->socket_context) : nullptr;
}

// Without libmicrohttpd, which shall not know a connection that is one too many. As much as the socket takes at once:
// a client that has just connected has an empty one.
void turn_away(int fd, const base::Error& error) {
    const std::string reply = wire_reply(refuse_with(api::error_row(error.code).http_status, error));
    (void)::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(base::EventLoop& loop, service::Service& service, std::string version,
                                             const std::string& path) {
    std::unique_ptr<Server> server(new Server(loop, service, std::move(version)));
    if (auto started = server->start(path); !started) return started.error();
    return server;
}

Server::Server(base::EventLoop& loop, service::Service& service, std::string version)
    : loop_(loop), api_(loop, service, std::move(version)) {}

Server::~Server() {
    loop_.cancel_timer(drain_timer_);
    close_listener();
    if (!daemon_) return;
    loop_.remove_source(*this);
    // libmicrohttpd aborts when it is stopped with suspended connections.
    for (const auto& [fd, connection] : connections_) connection->cut();
    MHD_stop_daemon(daemon_);
}

Result<void> Server::start(const std::string& path) {
    auto inherited = inherited_socket();
    if (!inherited) return inherited.error();
    if (*inherited) {
        listener_ = std::move(**inherited);
    } else {
        auto made = listen_at(path);
        if (!made) return made.error();
        listener_ = std::move(*made);
        made_path_ = path;
    }
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
                               0, nullptr, nullptr, on_access, this,      //
                               MHD_OPTION_EXTERNAL_LOGGER, on_log, this,  // it must be the first
                               MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(kMaxConnections),
                               MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemoryBytes,
                               MHD_OPTION_CONNECTION_TIMEOUT, kInactivitySeconds,   //
                               MHD_OPTION_URI_LOG_CALLBACK, on_request_line, this,  //
                               MHD_OPTION_NOTIFY_COMPLETED, on_completed, this,     //
                               MHD_OPTION_NOTIFY_CONNECTION, on_connection, this,   //
                               MHD_OPTION_END);
    if (!daemon_) return fail(ErrorCode::Failed, "libmicrohttpd did not start");
    loop_.add_source(*this);
    listen();
    return {};
}

void Server::listen() {
    accept_timer_ = 0;
    // One a turn: the connections that have ended are noticed between two, and do not count against a newer one.
    loop_.add_fd(listener_.get(), POLLIN, [this](short) { accept(); });
}

void Server::close_listener() {
    loop_.cancel_timer(std::exchange(accept_timer_, 0));
    if (listener_) loop_.remove_fd(listener_.get());
    listener_.reset();
    if (!made_path_.empty()) ::unlink(std::exchange(made_path_, {}).c_str());
}

void Server::accept() {
    base::UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
        if (errno == EINTR || errno == ECONNABORTED || errno == EAGAIN) return;
        loop_.remove_fd(listener_.get());
        accept_timer_ = loop_.add_timer_after(kAcceptPause, [this] { listen(); });
        return;
    }
    pid_t pid = 0;
    auto client = admit(fd.get(), pid);
    if (!client) {
        turn_away(fd.get(), client.error());
        return;
    }
    // From here on the descriptor is libmicrohttpd's, which closes it also when it fails.
    const int number = fd.release();
    connections_[number] = std::make_unique<Connection>(loop_, api_, bodies_, number, pid, std::move(*client));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (MHD_add_connection(daemon_, number, reinterpret_cast<const sockaddr*>(&address), sizeof address.sun_family) !=
        MHD_YES) {
        connections_.erase(number);
    }
}

Result<Client> Server::admit(int fd, pid_t& pid) const {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return fail_errno(ErrorCode::Failed, "SO_PEERCRED", errno);
    }
    if (peer.uid != ::geteuid()) return fail(ErrorCode::NotAllowed, "this llmd serves another user");
    if (connections_.size() >= kMaxConnections) {
        return fail(ErrorCode::NotReady, connections_.size(), " connections are open, at most ", kMaxConnections,
                    " may be");
    }
    pid = peer.pid;
    const auto of_process = std::count_if(connections_.begin(), connections_.end(),
                                          [&](const auto& entry) { return entry.second->pid() == peer.pid; });
    if (static_cast<size_t>(of_process) >= kMaxConnectionsPerProcess) {
        return fail(ErrorCode::RateLimited, "process ", peer.pid, " has ", of_process, " connections, at most ",
                    kMaxConnectionsPerProcess, " may be open");
    }
    return Client{"socket:" + std::to_string(peer.pid), api::identify(peer.pid)};
}

bool Server::is_idle() const {
    return std::none_of(connections_.begin(), connections_.end(),
                        [](const auto& entry) { return entry.second->is_busy(); });
}

void Server::shut_down(std::function<void()> done) {
    close_listener();
    done_ = std::move(done);
    drain_timer_ = loop_.add_timer_after(is_idle() ? std::chrono::seconds(0) : kDrainTime, [this] {
        drain_timer_ = 0;
        if (done_) std::exchange(done_, {})();
    });
}

void Server::prepare(std::vector<pollfd>& fds, std::optional<base::TimePoint>& deadline) {
    fds.push_back({MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0});
    MHD_UNSIGNED_LONG_LONG timeout_ms = 0;
    if (MHD_get_timeout(daemon_, &timeout_ms) != MHD_YES) return;
    const base::TimePoint next = base::Clock::now() + std::chrono::milliseconds(timeout_ms);
    deadline = deadline ? std::min(*deadline, next) : next;
}

void Server::dispatch(std::span<const pollfd>) {
    // What was resumed in this turn shows in no descriptor.
    if (!connections_.empty()) MHD_run(daemon_);
    if (done_ && is_idle()) std::exchange(done_, {})();
}

MHD_Result Server::on_access(void*, MHD_Connection* connection, const char* url, const char* method, const char*,
                             const char* data, size_t* n_data, void**) {
    return connection_of(connection)->on_access(method, url, data, n_data);
}

void* Server::on_request_line(void*, const char* uri, MHD_Connection* connection) {
    connection_of(connection)->on_request_line(std::strlen(uri));
    return nullptr;
}

// What it says does not matter, but when: before it answers a request that it refuses by itself.
void Server::on_log(void* server, const char*, va_list) {
    for (const auto& [fd, connection] : static_cast<Server*>(server)->connections_) {
        connection->refuse_malformed_length();
    }
}

void Server::on_completed(void*, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
    connection_of(connection)->on_completed();
}

void Server::on_connection(void* server, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode code) {
    auto& connections = static_cast<Server*>(server)->connections_;
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        Connection& started = *connections.at(info->connect_fd);
        started.on_started(connection);
        *context = &started;
    } else {
        connections.erase(info->connect_fd);
    }
}

}  // namespace llmd::http
