// Requests and answers over a real socket, whose other end answers with given bytes.
#include "client/http_exchange.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

// Takes one connection, reads the request, sends `answer` and closes.
class Peer {
public:
    explicit Peer(const std::string& answer) : listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(listener_.get(), 1), 0);
        thread_ = std::thread([this, answer] {
            const base::UniqueFd fd(::accept(listener_.get(), nullptr, nullptr));
            std::array<char, 4096> bytes;
            const ssize_t count = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
            request.assign(bytes.data(), count > 0 ? static_cast<size_t>(count) : 0);
            for (const char c : answer) {
                if (::send(fd.get(), &c, 1, MSG_NOSIGNAL) < 0) return;
            }
        });
    }
    ~Peer() {
        join();
        ::unlink(path.c_str());
    }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

    const std::string path = testing::TempDir() + "llmctl-http-" + std::to_string(::getpid());
    std::string request;

private:
    base::UniqueFd listener_;
    std::thread thread_;
};

ExitCode failure_of(const std::string& answer) {
    const Peer peer(answer);
    try {
        (void)fetch(peer.path, {"GET", "/", {}});
    } catch (const CommandError& error) {
        return error.code();
    }
    return ExitCode::Ok;
}

TEST(Fetch, SendsTheRequestAndReadsTheAnswerToItsEnd) {
    Peer peer("HTTP/1.1 404 Not Found\r\nContent-Type: x\r\n\r\n{\r\n\r\n}");
    const HttpAnswer answer = fetch(peer.path, {"POST", "/tokenize", "{}"});
    EXPECT_EQ(answer.status, 404u);
    EXPECT_EQ(answer.body, "{\r\n\r\n}");
    peer.join();
    EXPECT_EQ(peer.request,
              "POST /tokenize HTTP/1.0\r\nHost: llmd\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(Fetch, WhoDoesNotAnswerInTimeIsToldFromWhoIsNotThere) {
    const std::string path = testing::TempDir() + "llmctl-silent-" + std::to_string(::getpid());
    const base::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    const HttpRequest request{"GET", "/", {}};
    EXPECT_THROW((void)fetch(path, request, std::chrono::milliseconds(1)), Unanswered);
    ::unlink(path.c_str());
    try {
        (void)fetch(path, request);
        FAIL() << "nobody is there";
    } catch (const Unanswered&) {
        FAIL() << "it was waited for";
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Unreachable);
    }
}

TEST(Fetch, AnEndBeforeTheAnswerIsADaemonThatIsGone) {
    for (const char* answer : {"", "HTTP/1.1 200 OK\r\nContent-"}) {
        EXPECT_EQ(failure_of(answer), ExitCode::Unreachable) << answer;
    }
}

TEST(Fetch, RefusesWhatIsNotHttp) {
    for (const std::string answer :
         {"\r\n\r\n", "SSH-2.0-x 200 OK\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n"}) {
        EXPECT_EQ(failure_of(answer), ExitCode::Failed) << answer;
    }
    EXPECT_EQ(failure_of("HTTP/1.1 200 OK\r\n" + std::string(2 * kMaxHeadBytes, 'x')), ExitCode::Failed);
}

TEST(Fetch, NamesASocketThatNobodyServes) {
    for (const std::string& path : {std::string("/nonexistent/llmd.sock"), '/' + std::string(200, 'x')}) {
        try {
            (void)fetch(path, {"GET", "/", {}});
            FAIL();
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), ExitCode::Unreachable);
            EXPECT_EQ(std::string(error.what()).rfind(path + ": ", 0), 0u);
        }
    }
}

}  // namespace
}  // namespace llmd::client
