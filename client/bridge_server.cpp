#include "client/bridge_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "client/bridge_peer.h"

namespace llmd::client {
namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;
using base::UniqueFd;

// The size of the kernel's buffer for a client, so that a text does not run ahead of its reader by megabytes.
constexpr int kSendBufferBytes = 64 << 10;
// Where no descriptors are left, accept() is tried again after this: poll() would report the connection all the time.
constexpr std::chrono::seconds kAcceptPause{1};
// With port 0 the one that is free on 127.0.0.1 may be taken on ::1.
constexpr int kPortTries = 16;

struct Address {
    sockaddr_storage bytes{};
    socklen_t size = 0;
};

Address loopback(int family, uint16_t port) {
    Address out;
    if (family == AF_INET) {
        auto& v4 = reinterpret_cast<sockaddr_in&>(out.bytes);
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v4.sin_port = htons(port);
        out.size = sizeof v4;
    } else {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(out.bytes);
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = in6addr_loopback;
        v6.sin6_port = htons(port);
        out.size = sizeof v6;
    }
    return out;
}

void set_option(int fd, int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
}

// Leaves errno as the call that failed has set it.
UniqueFd listen_on(int family, uint16_t port) {
    UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return fd;
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);  // a bridge that has just ended leaves connections behind
    if (family == AF_INET6) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    const Address address = loopback(family, port);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0 ||
        ::listen(fd.get(), BridgeServer::kMaxConnections) != 0) {
        const int error = errno;
        fd.reset();
        errno = error;
    }
    return fd;
}

uint16_t port_of(int fd) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

// Connects this process to the listener: the kernel must name the owner of the connection. Those in front of it in the
// queue are other programs', which came before they were invited: they are closed.
Result<void> check_kernel(int listener) {
    const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Address address = loopback(AF_INET, port_of(listener));
    if (!client || ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0) {
        return fail_errno(ErrorCode::Failed, "connect to 127.0.0.1", errno);
    }
    const uint16_t own_port = port_of(client.get());
    UniqueFd server;
    // The queue may hold one more than listen() was asked for.
    for (size_t tries = BridgeServer::kMaxConnections + 2; tries > 0; --tries) {
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        server.reset(::accept4(listener, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC));
        if (!server) return fail_errno(ErrorCode::Failed, "accept on 127.0.0.1", errno);
        if (ntohs(peer.sin_port) == own_port) break;
    }
    const auto peer = socket_of_peer(server.get());
    if (peer && *peer && (*peer)->uid == ::geteuid()) return {};
    return fail(ErrorCode::Failed, "this kernel does not tell whose a TCP connection is (CONFIG_INET_TCP_DIAG)",
                peer ? "" : ": ", peer ? "" : peer.error().message);
}

// As much as the socket takes at once: that of a new connection is empty.
void turn_away(int fd, unsigned status, const base::Error& error) {
    const std::string answer = bridge_answer(status, error);
    (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Result<std::unique_ptr<BridgeServer>> BridgeServer::open(base::EventLoop& loop, BridgeConnection::Route route) {
    std::unique_ptr<BridgeServer> server(new BridgeServer(loop, std::move(route)));
    if (auto listening = server->listen(); !listening) return listening.error();
    return server;
}

BridgeServer::~BridgeServer() {
    for (const UniqueFd& listener : listeners_) loop_.remove_fd(listener.get());
}

Result<void> BridgeServer::listen() {
    uint16_t& port = route_.preamble.port;
    const bool any_port = port == 0;
    UniqueFd v4;
    UniqueFd v6;
    for (int tries = any_port ? kPortTries : 1; tries > 0; --tries) {
        v4 = listen_on(AF_INET, any_port ? 0 : port);
        if (!v4) return fail_errno(ErrorCode::NotReady, base::concat("127.0.0.1 port ", port), errno);
        port = port_of(v4.get());
        v6 = listen_on(AF_INET6, port);
        if (v6 || errno != EADDRINUSE) break;
    }
    // Without IPv6 there is no ::1 that somebody else could take; else "localhost" must not lead to another program.
    if (!v6 && errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL) {
        return fail_errno(ErrorCode::NotReady, base::concat("::1 port ", port), errno);
    }
    if (auto checked = check_kernel(v4.get()); !checked) return checked.error();
    listeners_.push_back(std::move(v4));
    if (v6) listeners_.push_back(std::move(v6));
    for (const UniqueFd& listener : listeners_) watch(listener.get());
    return {};
}

std::vector<std::string> BridgeServer::urls() const {
    std::vector<std::string> out;
    for (const char* host : {"127.0.0.1", "[::1]"}) {
        if (out.size() < listeners_.size()) out.push_back(base::concat("http://", host, ':', route_.preamble.port));
    }
    return out;
}

void BridgeServer::watch(int listener) {
    loop_.add_fd(listener, POLLIN, [this, listener](short) { accept(listener); });
}

void BridgeServer::accept(int listener) {
    UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) return;
        loop_.remove_fd(listener);
        loop_.add_timer_after(kAcceptPause, [this, listener] { watch(listener); });
        return;
    }
    const auto peer = socket_of_peer(fd.get());
    if (!peer || !*peer || (*peer)->uid != ::geteuid()) {
        return turn_away(fd.get(), 403,
                         peer ? fail(ErrorCode::NotAllowed, "this bridge serves another user") : peer.error());
    }
    if (connections_.size() >= kMaxConnections) {
        return turn_away(fd.get(), 503,
                         fail(ErrorCode::NotReady, connections_.size(), " connections are open, at most ",
                              kMaxConnections, " may be"));
    }
    const pid_t program = programs_.process_of((*peer)->inode);
    const auto is_of_program = [program](const auto& entry) { return entry.second->program() == program; };
    if (program != 0 && std::count_if(connections_.begin(), connections_.end(), is_of_program) >=
                            static_cast<ptrdiff_t>(kMaxConnectionsPerProgram)) {
        return turn_away(fd.get(), 429,
                         fail(ErrorCode::RateLimited, "process ", program, " has ", kMaxConnectionsPerProgram,
                              " connections in use, and no more may be"));
    }
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);  // a token is a small packet, and must not wait for the next
    set_option(fd.get(), SOL_SOCKET, SO_SNDBUF, kSendBufferBytes);
    const uint64_t key = ++last_connection_;
    connections_[key] = std::make_unique<BridgeConnection>(loop_, route_, std::move(fd), program,
                                                           [this, key] { connections_.erase(key); });
}

}  // namespace llmd::client
