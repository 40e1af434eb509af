// llmd-remote itself, in its sandbox, with settings, a key and a server: it answers, and ends with its socket.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

#include "base/unique_fd.h"
#include "protocol/frame.h"
#include "support/temporary_directory.h"
#include "upstream_server.h"

namespace llmd::test {
namespace {

class ProgramTest : public testing::Test {
protected:
    void start(const std::string& key, mode_t key_mode = 0600) {
        const std::string key_file = directory_.path() + "/home.key";
        std::ofstream(key_file) << key;
        ASSERT_EQ(::chmod(key_file.c_str(), key_mode), 0);
        std::filesystem::create_directory(directory_.path() + "/llmd");
        std::ofstream(directory_.path() + "/llmd/llmd.toml")
            << "[[remote]]\nname = \"home\"\nurl = \"" << upstream_.url()
            << "\"\napi = \"openai\"\nmodels = [\"tales\"]\n"
            << "key_file = \"" << key_file << "\"\n";
        std::array<int, 2> fds{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
        peer_.reset(fds[0]);
        const base::UniqueFd theirs(fds[1]);
        child_ = ::fork();
        if (child_ == 0) {
            ::setenv("XDG_CONFIG_HOME", directory_.path().c_str(), 1);
            // The leak sanitizer stops a program's threads with ptrace, which a sandboxed one may not use.
            const char* sanitizer = ::getenv("ASAN_OPTIONS");
            const std::string without_leaks = std::string(sanitizer != nullptr ? sanitizer : "") + ":detect_leaks=0";
            ::setenv("ASAN_OPTIONS", without_leaks.c_str(), 1);
            ::fcntl(theirs.get(), F_SETFD, 0);
            const std::string number = std::to_string(theirs.get());
            ::execl(LLMD_REMOTE, LLMD_REMOTE, "--socket-fd", number.c_str(), nullptr);
            ::_exit(127);
        }
        ASSERT_GT(child_, 0);
        say(protocol::Connect{.remote = "home", .model = "tales"});
    }
    ~ProgramTest() override {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }

    void say(const protocol::Message& message) {
        std::string frame;
        ASSERT_TRUE(protocol::encode(message, frame));
        ASSERT_EQ(::send(peer_.get(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
    }
    // Nothing: the program has closed its socket.
    template <typename T>
    std::optional<T> wait_for() {
        std::array<char, 65536> buffer;
        while (true) {
            auto message = reader_.next();
            if (!message) return std::nullopt;
            if (message->has_value()) {
                if (const auto* failed = std::get_if<protocol::LoadFailed>(&**message)) failed_ = *failed;
                if (const auto* one = std::get_if<T>(&**message)) return *one;
                continue;
            }
            const ssize_t n = ::recv(peer_.get(), buffer.data(), buffer.size(), 0);
            if (n <= 0) return std::nullopt;
            reader_.append({buffer.data(), static_cast<size_t>(n)});
        }
    }
    int status() {
        int status = -1;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        return status;
    }

    TemporaryDirectory directory_;
    UpstreamServer upstream_{[](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        if (call.path == "/v1/models") return answer.json(R"({"data":[{"id":"tales"}]})");
        answer.head(200);
        answer.event(R"({"choices":[{"text":" upon","finish_reason":"stop"}]})");
        answer.event("[DONE]");
    }};
    base::UniqueFd peer_;
    protocol::FrameReader reader_;
    std::optional<protocol::LoadFailed> failed_;
    pid_t child_ = -1;
};

TEST_F(ProgramTest, AnswersFromItsSandboxAndEndsWithItsSocket) {
    start("geheim\n");
    const auto ready = wait_for<protocol::Ready>();
    ASSERT_TRUE(ready) << (failed_ ? failed_->message : "it has ended");
    EXPECT_FALSE(ready->sandbox.empty());
    protocol::Submit submit;
    submit.id = 1;
    submit.prompt = "Once";
    submit.max_tokens = 4;
    say(submit);
    ASSERT_TRUE(wait_for<protocol::Accepted>());
    say(protocol::Start{1});
    const auto tokens = wait_for<protocol::Tokens>();
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->parts.at(0).text, " upon");
    EXPECT_TRUE(wait_for<protocol::Finished>());
    EXPECT_NE(upstream_.calls("/v1/models").at(0).head.find("Bearer geheim\r\n"), std::string::npos);
    peer_.reset();
    EXPECT_EQ(status(), 0);
}

TEST_F(ProgramTest, SendsNoKeyThatOthersCanRead) {
    start("geheim\n", 0644);
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, base::ErrorCode::NotReady);
    EXPECT_TRUE(upstream_.calls("/v1/models").empty());
}

}  // namespace
}  // namespace llmd::test
