// A connection in place of a process: how it begins, how either side ends it, and what a user gets to read where there
// is nobody to connect to.
#include "handover/socket_launcher.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace llmd::handover {
namespace {

namespace fs = std::filesystem;

class SocketLauncherTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-launcher-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        path_ = directory_ / "socket";
    }
    void TearDown() override { fs::remove_all(directory_); }

    // Listens as systemd does for llmd-remote.socket.
    base::UniqueFd listen_there(int backlog) const {
        base::UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path_.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(listening.get(), backlog), 0);
        return listening;
    }
    static base::UniqueFd accepted(const base::UniqueFd& listening) {
        return base::UniqueFd(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    }
    static bool is_readable(int fd) {
        pollfd ready{fd, POLLIN, 0};
        return ::poll(&ready, 1, 0) == 1;
    }
    static bool is_at_end(int fd) {
        char byte = 0;
        return is_readable(fd) && ::recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
    }
    static std::string refusal(const std::string& path, base::ErrorCode code) {
        const auto process = SocketLauncher(path).launch();
        if (process) return "connected";
        EXPECT_EQ(process.error().code, code);
        return process.error().message;
    }

    fs::path directory_;
    std::string path_;
};

TEST_F(SocketLauncherTest, AConnectionStandsForAProcess) {
    const base::UniqueFd listening = listen_there(4);
    SocketLauncher launcher(path_);
    auto process = launcher.launch();
    ASSERT_TRUE(process) << process.error().message;
    EXPECT_EQ(process->pid, -1);
    EXPECT_FALSE(process->pidfd);
    const int socket = process->socket.get();
    EXPECT_NE(::fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);

    base::UniqueFd theirs = accepted(listening);
    ASSERT_TRUE(theirs);
    ASSERT_EQ(::send(socket, "frame", 5, MSG_NOSIGNAL), 5);
    std::string bytes(5, ' ');
    ASSERT_EQ(::recv(theirs.get(), bytes.data(), bytes.size(), 0), 5);
    EXPECT_EQ(bytes, "frame");
    EXPECT_FALSE(is_readable(socket));
    theirs.reset();
    EXPECT_TRUE(is_at_end(socket)) << "it has ended";
    EXPECT_EQ(launcher.reap(*process), 0);
}

TEST_F(SocketLauncherTest, EachLaunchIsAConnectionOfItsOwn) {
    const base::UniqueFd listening = listen_there(4);
    SocketLauncher launcher(path_);
    auto first = launcher.launch();
    auto second = launcher.launch();
    ASSERT_TRUE(first && second);
    base::UniqueFd one = accepted(listening);
    const base::UniqueFd other = accepted(listening);
    one.reset();
    EXPECT_TRUE(is_at_end(first->socket.get()));
    EXPECT_FALSE(is_readable(second->socket.get()));
}

TEST_F(SocketLauncherTest, ToKillIsToEndTheConnection) {
    const base::UniqueFd listening = listen_there(4);
    SocketLauncher launcher(path_);
    auto process = launcher.launch();
    ASSERT_TRUE(process);
    const base::UniqueFd theirs = accepted(listening);
    EXPECT_FALSE(is_readable(theirs.get()));
    launcher.kill(*process);
    EXPECT_TRUE(is_at_end(theirs.get()));
    EXPECT_TRUE(is_at_end(process->socket.get())) << "llmd learns of it as of any other end";
    launcher.kill(*process);
    process->socket.reset();  // as a link does that is asked to stop
    launcher.kill(*process);
}

TEST_F(SocketLauncherTest, WhoHasNotEnabledItIsToldHow) {
    const char* command = "systemctl --user enable --now llmd-remote.socket";
    EXPECT_NE(refusal(path_, base::ErrorCode::NotReady).find(command), std::string::npos) << "there is no file";
    EXPECT_NE(refusal(directory_ / "absent/socket", base::ErrorCode::NotReady).find(command), std::string::npos);
    listen_there(4).reset();
    ASSERT_TRUE(fs::exists(path_));
    EXPECT_NE(refusal(path_, base::ErrorCode::NotReady).find(command), std::string::npos) << "nobody listens any more";
}

TEST_F(SocketLauncherTest, NeverWaits) {
    const base::UniqueFd listening = listen_there(0);
    SocketLauncher launcher(path_);
    auto first = launcher.launch();
    ASSERT_TRUE(first);
    EXPECT_EQ(refusal(path_, base::ErrorCode::NotReady), "too many connections to llmd-remote are waiting");
}

TEST_F(SocketLauncherTest, APathThatIsTooLongIsNotCut) {
    const std::string path = directory_ / std::string(sizeof(sockaddr_un::sun_path), 'x');
    EXPECT_NE(refusal(path, base::ErrorCode::Failed).find("too long"), std::string::npos);
}

TEST_F(SocketLauncherTest, TheSocketHasADirectoryOfItsOwn) {
    ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
    const auto path = remote_socket_path();
    ASSERT_TRUE(path);
    EXPECT_EQ(*path, "/run/user/7/llmd-remote/llmd-remote.socket");
    ::unsetenv("XDG_RUNTIME_DIR");
    const auto none = remote_socket_path();
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, base::ErrorCode::NotReady);
}

}  // namespace
}  // namespace llmd::handover
