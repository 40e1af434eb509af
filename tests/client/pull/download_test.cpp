// A server that says nothing any more is dropped, and asked again for the rest. Other things that servers do to llmctl
// are in tests/integration/pull_test.py.
#include "client/pull/download.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

// Answers each connection with the next text, and keeps it open until the test ends.
class Server {
public:
    explicit Server(std::vector<std::string> answers) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(listener_.get(), 8), 0);
        EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/m.gguf";
        thread_ = std::thread([this, answers = std::move(answers)] {
            for (const std::string& answer : answers) {
                base::UniqueFd connection(::accept(listener_.get(), nullptr, nullptr));
                if (!connection) return;
                std::array<char, 4096> request;
                const ssize_t n = ::read(connection.get(), request.data(), request.size());
                requests_.emplace_back(request.data(), n > 0 ? static_cast<size_t>(n) : 0);
                EXPECT_EQ(::send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                          static_cast<ssize_t>(answer.size()));
                connections_.push_back(std::move(connection));
            }
        });
    }
    ~Server() { end(); }
    void end() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        if (thread_.joinable()) thread_.join();
    }
    const std::string& url() const { return url_; }
    // After end().
    const std::vector<std::string>& requests() const { return requests_; }

private:
    base::UniqueFd listener_;
    std::string url_;
    std::vector<base::UniqueFd> connections_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

const DownloadLimits kShort{.connect = std::chrono::seconds(5),
                            .stall = std::chrono::seconds(1),
                            .first_pause = std::chrono::milliseconds(1),
                            .longest_pause = std::chrono::milliseconds(1),
                            .fruitless_attempts = 2};

class Download : public testing::Test {
protected:
    Download() : folder_(testing::TempDir() + "/llmd-download-" + std::to_string(::getpid())) {}
    ~Download() override { std::filesystem::remove_all(folder_); }
    FileRequest request(const std::string& url, const std::string& content) {
        return {url, "", content.size(), {Digest::Kind::Sha256, sha256_of(content)}, "it"};
    }
    const std::string folder_;
    const DownloadProgress no_progress_ = [](uint64_t, uint64_t) {};
};

TEST_F(Download, AsksAgainForTheRestWhenNothingComes) {
    const std::string content = "GGUF and more";
    Server server({"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nGGUF and",
                   "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 8-12/13\r\nContent-Length: 5\r\n\r\n more"});
    PartialFile partial = open_partial(folder_, "key");
    Downloader(kShort).get_file(request(server.url(), content), partial, no_progress_);
    server.end();
    EXPECT_EQ(std::filesystem::file_size(partial.path), content.size());
    ASSERT_EQ(server.requests().size(), 2u);
    EXPECT_NE(server.requests()[1].find("\r\nRange: bytes=8-\r\n"), std::string::npos);
}

TEST_F(Download, EndsWhenNothingComesAgainAndAgain) {
    Server server({"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nGGUF", "HTTP/1.1 206 OK\r\n", "HTTP/1.1 206 OK\r\n"});
    PartialFile partial = open_partial(folder_, "key");
    try {
        Downloader(kShort).get_file(request(server.url(), "GGUF and more"), partial, no_progress_);
        FAIL();
    } catch (const CommandError& error) {
        EXPECT_NE(std::string(error.what()).find("it stops coming after"), std::string::npos) << error.what();
    }
    EXPECT_EQ(std::filesystem::file_size(partial.path), 4u);
}

TEST_F(Download, HashesAsGitDoes) {
    Hasher hasher(Digest::Kind::GitBlob, 6);
    hasher.add(std::string("hello\n"));
    EXPECT_EQ(hasher.hex(), "ce013625030ba8dba906f756967f9e9ca394464a");  // git hash-object
}

}  // namespace
}  // namespace llmd::client
