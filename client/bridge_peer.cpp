#include "client/bridge_peer.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace llmd::client {
namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;

struct Question {
    nlmsghdr header;
    inet_diag_req_v2 body;
};

// The kernel's words for an end: an address of four or sixteen bytes and a port, both in network order.
template <typename Address>
void put(const sockaddr_storage& from, Address& address, __be16& port) {
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        std::memcpy(address, &v4.sin_addr, sizeof v4.sin_addr);
        port = v4.sin_port;
    } else {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
        std::memcpy(address, &v6.sin6_addr, sizeof v6.sin6_addr);
        port = v6.sin6_port;
    }
}

base::Result<Question> question_about_peer(int fd) {
    sockaddr_storage own{};
    sockaddr_storage peer{};
    socklen_t own_size = sizeof own;
    socklen_t peer_size = sizeof peer;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_size) != 0) {
        return fail_errno(ErrorCode::Failed, "getsockname", errno);
    }
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
        return fail_errno(ErrorCode::Failed, "getpeername", errno);
    }
    Question question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.body.sdiag_family = static_cast<uint8_t>(own.ss_family);
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = UINT32_MAX;
    // Seen from the peer: its own end is the source.
    put(peer, question.body.id.idiag_src, question.body.id.idiag_sport);
    put(own, question.body.id.idiag_dst, question.body.id.idiag_dport);
    question.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return question;
}

// One form for both families: a socket of IPv6 that speaks IPv4 reports its addresses as ::ffff:127.0.0.1.
std::array<uint32_t, 4> mapped(uint8_t family, const __be32 (&address)[4]) {
    if (family == AF_INET) return {0, 0, htonl(0xffff), address[0]};
    return {address[0], address[1], address[2], address[3]};
}

// Where there is no such connection any more, the kernel may answer with a listener on the port.
bool answers(const inet_diag_msg& message, const inet_diag_req_v2& question) {
    const inet_diag_sockid& told = message.id;
    const inet_diag_sockid& asked = question.id;
    const auto is_same = [&](const __be32(&one)[4], const __be32(&other)[4]) {
        return mapped(message.idiag_family, one) == mapped(question.sdiag_family, other);
    };
    return told.idiag_sport == asked.idiag_sport && told.idiag_dport == asked.idiag_dport &&
           is_same(told.idiag_src, asked.idiag_src) && is_same(told.idiag_dst, asked.idiag_dst);
}

}  // namespace

base::Result<std::optional<PeerSocket>> socket_of_peer(int fd) {
    const auto question = question_about_peer(fd);
    if (!question) return question.error();
    const base::UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!netlink) return fail_errno(ErrorCode::Failed, "socket NETLINK_SOCK_DIAG", errno);
    if (::send(netlink.get(), &*question, sizeof *question, 0) < 0) {
        return fail_errno(ErrorCode::Failed, "send to NETLINK_SOCK_DIAG", errno);
    }
    // The kernel answers within send(), with attributes behind what is read of it here.
    alignas(nlmsghdr) std::array<char, 4096> bytes;
    const ssize_t n_bytes = ::recv(netlink.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n_bytes < 0) return fail_errno(ErrorCode::Failed, "recv from NETLINK_SOCK_DIAG", errno);
    nlmsghdr header{};
    inet_diag_msg message{};
    nlmsgerr error{};
    const char* content = bytes.data() + NLMSG_HDRLEN;
    const auto holds = [&](size_t size) { return static_cast<size_t>(n_bytes) >= NLMSG_HDRLEN + size; };
    if (holds(0)) std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_type == SOCK_DIAG_BY_FAMILY && holds(sizeof message)) {
        std::memcpy(&message, content, sizeof message);
        if (message.idiag_inode == 0 || !answers(message, question->body)) return std::optional<PeerSocket>();
        return std::optional(PeerSocket{message.idiag_uid, message.idiag_inode});
    }
    if (header.nlmsg_type == NLMSG_ERROR && holds(sizeof error.error)) {
        std::memcpy(&error.error, content, sizeof error.error);
        // Asked about TCP, a kernel without it says ENOENT too; bridge_server.cpp has asked about a socket of its own.
        if (error.error == -ENOENT) return std::optional<PeerSocket>();
        return fail_errno(ErrorCode::Failed, "NETLINK_SOCK_DIAG", -error.error);
    }
    return fail(ErrorCode::Failed, "NETLINK_SOCK_DIAG: an answer of ", n_bytes, " bytes that is none");
}

}  // namespace llmd::client
