#include "http/server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/caller.h"
#include "api/errors.h"
#include "http/listening_socket.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;

// libmicrohttpd has so much memory for a request's line and headers and an answer's.
constexpr size_t kConnectionMemoryBytes = 64u << 10;
// A connection on which nothing moves, neither way, though something should. Longer than Backlog::kStallTimeout, which
// knows why.
constexpr unsigned kInactivitySeconds = 60;
// Connections that are closed already, but not yet by libmicrohttpd, which has one more for each that is accepted.
constexpr unsigned kMaxClosing = 8;
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
                                             Sockets sockets) {
    std::unique_ptr<Server> server(new Server(loop, service, std::move(version), std::move(sockets)));
    if (auto started = server->start(); !started) return started.error();
    return server;
}

Server::Server(base::EventLoop& loop, service::Service& service, std::string version, Sockets sockets)
    : loop_(loop),
      api_(loop, service, std::move(version)),
      calls_(loop, [&service](const base::Caller& caller) { return service.has_room(caller); }),
      service_(service),
      sockets_(std::move(sockets)) {
    service_.on_pass([this] { calls_.review(); });
}

Server::~Server() {
    service_.on_pass({});
    loop_.cancel_timer(drain_timer_);
    close_listener(main_);
    close_listener(bridge_);
    if (!daemon_) return;
    loop_.remove_source(*this);
    // libmicrohttpd aborts when it is stopped with suspended connections.
    for (const auto& [fd, connection] : connections_) connection->cut();
    MHD_stop_daemon(daemon_);
}

Result<void> Server::open_listener(Listener& listener, base::UniqueFd inherited, const std::string& path) {
    listener.fd = std::move(inherited);
    if (listener.fd) return {};
    auto made = listen_at(path);
    if (!made) return made.error();
    listener.fd = std::move(*made);
    listener.made_path = path;
    return {};
}

Result<void> Server::start() {
    auto inherited = inherited_sockets();
    if (!inherited) return inherited.error();
    if (auto opened = open_listener(main_, std::move(inherited->main), sockets_.main); !opened) return opened;
    const auto bridged = open_listener(bridge_, std::move(inherited->bridge), sockets_.bridge);
    if (!bridged) sockets_.warn("llmctl bridge is not served: " + bridged.error().message);
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
                               0, nullptr, nullptr, on_access, this,      //
                               MHD_OPTION_EXTERNAL_LOGGER, on_log, this,  // it must be the first
                               MHD_OPTION_CONNECTION_LIMIT,
                               static_cast<unsigned>(kMaxConnections + kMaxBridged) + kMaxClosing,
                               MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemoryBytes,
                               MHD_OPTION_CONNECTION_TIMEOUT, kInactivitySeconds,   //
                               MHD_OPTION_URI_LOG_CALLBACK, on_request_line, this,  //
                               MHD_OPTION_NOTIFY_COMPLETED, on_completed, this,     //
                               MHD_OPTION_NOTIFY_CONNECTION, on_connection, this,   //
                               MHD_OPTION_END);
    if (!daemon_) return fail(ErrorCode::Failed, "libmicrohttpd did not start");
    loop_.add_source(*this);
    listen(main_);
    if (bridge_.fd) listen(bridge_);
    return {};
}

void Server::listen(Listener& listener) {
    listener.accept_timer = 0;
    // One an iteration: the connections that have ended are noticed between two, and do not count against a newer one.
    loop_.add_fd(listener.fd.get(), POLLIN, [this, &listener](short) { accept(listener); });
}

void Server::close_listener(Listener& listener) {
    loop_.cancel_timer(std::exchange(listener.accept_timer, 0));
    if (listener.fd) loop_.remove_fd(listener.fd.get());
    listener.fd.reset();
    if (!listener.made_path.empty()) ::unlink(std::exchange(listener.made_path, {}).c_str());
}

void Server::accept(Listener& listener) {
    base::UniqueFd fd(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
        if (errno == EINTR || errno == ECONNABORTED || errno == EAGAIN) return;
        loop_.remove_fd(listener.fd.get());
        listener.accept_timer = loop_.add_timer_after(kAcceptPause, [this, &listener] { listen(listener); });
        return;
    }
    pid_t pid = 0;
    auto client = admit(fd.get(), pid, listener.is_bridge);
    if (!client) {
        turn_away(fd.get(), client.error());
    } else if (listener.is_bridge) {
        await_preamble(std::move(fd), pid, std::move(*client));
    } else {
        serve(std::move(fd), std::move(*client), {});
    }
}

void Server::await_preamble(base::UniqueFd fd, pid_t pid, base::Caller caller) {
    const int number = fd.get();
    preambles_[number] = std::make_unique<PreambleReader>(
        loop_, std::move(fd), [this, number, pid, caller = std::move(caller)](Result<base::BridgePreamble> preamble) {
            const auto reader = std::move(preambles_.extract(number).mapped());
            if (preamble) return serve_bridged(reader->take_fd(), caller, std::move(*preamble));
            sockets_.warn(base::concat("a connection of process ", pid, " to ", sockets_.bridge,
                                       " was dropped: ", preamble.error().message));
        });
}

void Server::serve_bridged(base::UniqueFd fd, base::Caller caller, base::BridgePreamble preamble) {
    // A sandbox's own bridge may say of itself what it likes: it is one client.
    if (preamble.program != 0 && caller.application == base::kBridgeApplication) {
        caller.name += base::concat(':', preamble.program);
        if (auto room = check_room(caller.name, preamble.program); !room) return turn_away(fd.get(), room.error());
    }
    serve(std::move(fd), std::move(caller), std::move(preamble));
}

void Server::serve(base::UniqueFd fd, base::Caller caller, std::optional<base::BridgePreamble> bridge) {
    // From here on the descriptor is libmicrohttpd's, which closes it also when it fails.
    const int number = fd.release();
    connections_[number] = std::make_unique<Connection>(loop_, api_, bridge ? bridged_bodies_ : bodies_, calls_, number,
                                                        std::move(caller), std::move(bridge));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (MHD_add_connection(daemon_, number, reinterpret_cast<const sockaddr*>(&address), sizeof address.sun_family) !=
        MHD_YES) {
        connections_.erase(number);
    }
}

template <typename Condition>
bool Server::make_room(size_t most, Condition is_like) {
    size_t n_like = 0;
    Connection* first = nullptr;
    for (const auto& [fd, connection] : connections_) {
        if (connection->is_gone() || !is_like(*connection)) continue;
        ++n_like;
        const auto waits_for = connection->waits();
        if (waits_for && (first == nullptr || *waits_for < *first->waits())) first = connection.get();
    }
    if (n_like < most) return true;
    if (first != nullptr) first->cut();
    return first != nullptr;
}

Result<void> Server::check_room(const std::string& client, pid_t pid) {
    if (make_room(kMaxConnectionsPerProcess, [&](const Connection& one) { return one.client() == client; })) return {};
    return fail(ErrorCode::RateLimited, "process ", pid, " has ", kMaxConnectionsPerProcess,
                " connections in use, and no more may be");
}

Result<base::Caller> Server::admit(int fd, pid_t& pid, bool is_bridge) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return fail_errno(ErrorCode::Failed, "SO_PEERCRED", errno);
    }
    if (peer.uid != ::geteuid()) return fail(ErrorCode::NotAllowed, "this llmd serves another user");
    pid = peer.pid;
    base::Caller caller = api::identify(peer.pid);
    const size_t most = is_bridge ? kMaxBridged - std::min(kMaxBridged, preambles_.size()) : kMaxConnections;
    if (!make_room(most, [&](const Connection& one) { return one.is_bridged() == is_bridge; })) {
        return fail(ErrorCode::NotReady, "all ", is_bridge ? kMaxBridged : kMaxConnections, " connections are in use");
    }
    caller.name = "socket:" + std::to_string(peer.pid);
    if (!is_bridge) {
        if (auto room = check_room(caller.name, peer.pid); !room) return room.error();
        const auto of_application = [&](const Connection& one) {
            return !one.is_bridged() && one.share() == caller.share;
        };
        if (!make_room(kMaxConnectionsPerApplication, of_application)) {
            return fail(ErrorCode::RateLimited, "application ", base::in_quotes(caller.share), " has ",
                        kMaxConnectionsPerApplication, " connections in use, and no more may be");
        }
    }
    // A sandbox's own name holds: it would else share the bridge's prefix cache.
    if (is_bridge && !caller.sandboxed) {
        caller.sandboxed = true;
        caller.application = caller.share = caller.name = base::kBridgeApplication;
    }
    return caller;
}

bool Server::is_idle() const {
    return preambles_.empty() && std::none_of(connections_.begin(), connections_.end(),
                                              [](const auto& entry) { return entry.second->is_busy(); });
}

void Server::shut_down(std::function<void()> done) {
    close_listener(main_);
    close_listener(bridge_);
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
    // A connection that was resumed in this iteration shows in no descriptor.
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

// The time of the message matters, and not its text: it comes before libmicrohttpd answers a request that it refuses by
// itself.
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
