// The server on a socket of its own, with a real service and an engine that the test plays by hand; clients are plain
// sockets of the test itself. Everything shares one loop.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include "daemon/service/service_fixture.h"
#include "http/server.h"

namespace llmd::http {

class ServerTest : public service::ServiceTest {
protected:
    ServerTest() {
        ::signal(SIGPIPE, SIG_IGN);
        auto opened =
            Server::open(loop_, *service_, "1.2.3",
                         {path(), bridge_path(), [this](const std::string& why) { warnings_ += why + '\n'; }});
        EXPECT_TRUE(opened) << opened.error().message;
        server_ = std::move(*opened);
    }
    std::string path() const { return folder_.path() + "/llmd.sock"; }
    std::string bridge_path() const { return folder_.path() + "/bridge/bridge.sock"; }

    // A connection of which the server has not been notified yet.
    static base::UniqueFd knock(const std::string& path) {
        base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        return fd;
    }
    base::UniqueFd connect() {
        base::UniqueFd fd = knock(path());
        settle();
        return fd;
    }
    // One that a bridge has made, up to its preamble.
    base::UniqueFd connect_bridged(const base::BridgePreamble& preamble = {1234, {}, {}, {}}) {
        base::UniqueFd fd = knock(bridge_path());
        settle();
        write(fd, *base::write_bridge_preamble(preamble));
        return fd;
    }
    void write(const base::UniqueFd& fd, std::string_view bytes) {
        for (int i = 0; !bytes.empty() && i < kMaxIterations; ++i) {
            const ssize_t n = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
            settle();
        }
        EXPECT_TRUE(bytes.empty()) << "the server does not read";
    }
    // Returns the bytes that have come until now. The end of the stream is marked.
    std::string read(const base::UniqueFd& fd) {
        settle();
        std::string out;
        std::array<char, 4096> part;
        for (ssize_t n; (n = ::recv(fd.get(), part.data(), part.size(), 0)) != -1;) {
            if (n == 0) return out + kEnd;
            out.append(part.data(), static_cast<size_t>(n));
            settle();
        }
        return out;
    }
    std::string ask(const std::string& request) {
        const base::UniqueFd fd = connect();
        write(fd, request);
        return read(fd);
    }
    std::string ask_bridged(const std::string& request) {
        const base::UniqueFd fd = connect_bridged();
        write(fd, request);
        return read(fd);
    }
    static std::string get(const std::string& path, const std::string& host = "llmd") {
        return base::concat("GET ", path, " HTTP/1.1\r\nHost: ", host, "\r\n\r\n");
    }
    static std::string post(const std::string& path, const std::string& body, const std::string& headers = "",
                            const std::string& host = "llmd") {
        return base::concat("POST ", path, " HTTP/1.1\r\nHost: ", host, "\r\n", headers,
                            "Content-Length: ", body.size(), "\r\n\r\n", body);
    }
    // A status line's number, and what is behind the empty line.
    static int status(const std::string& reply) {
        return reply.rfind("HTTP/1.1 ", 0) == 0 ? std::stoi(reply.substr(9, 3)) : 0;
    }
    static std::string body(const std::string& reply) {
        const size_t end = reply.find("\r\n\r\n");
        return end == std::string::npos ? "" : reply.substr(end + 4);
    }
    // The data of a chunked body, without times. "…" at the end: it has not ended.
    static std::string chunks(std::string bytes) {
        std::string out;
        for (;;) {
            const size_t line = bytes.find("\r\n");
            if (line == std::string::npos) return without_time(out) + "…";
            const size_t size = std::stoul(bytes.substr(0, line), nullptr, 16);
            if (size == 0) return without_time(out);
            out += bytes.substr(line + 2, size);
            bytes.erase(0, line + 2 + size + 2);
        }
    }
    static std::string without_time(const std::string& json) {
        return std::regex_replace(json, std::regex(R"("created":\d+)"), R"("created":0)");
    }

    static constexpr const char* kEnd = "<end>";
    static constexpr int kMaxIterations = 10'000;  // only a failure needs so many
    // The host of a bridge that listens on 1234.
    static constexpr const char* kBridgeHost = "localhost:1234";
    std::string warnings_;
    std::unique_ptr<Server> server_;
};

}  // namespace llmd::http
