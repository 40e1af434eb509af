// Who may ask llmd-remote: its parent, or what runs in llmd.service of the user's systemd, and nobody else. Where the
// tests run as root the checks are made as an ordinary user too, since root may read what llmd keeps from the user.
#include "remote/peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/unique_fd.h"
#include "privileges.h"

namespace llmd::remote {
namespace {

namespace fs = std::filesystem;

TEST(LlmdsCgroup, IsTheUnitOfTheUsersManager) {
    const auto is = [](const char* cgroups) { return is_llmds_cgroup(cgroups, 1000); };
    EXPECT_TRUE(is("0::/user.slice/user-1000.slice/user@1000.service/background.slice/llmd.service\n"));
    EXPECT_TRUE(is("0::/user.slice/user-1000.slice/user@1000.service/llmd.service"));
    EXPECT_TRUE(is("12:pids:/x\n1:name=systemd:/user.slice/user@1000.service/app.slice/llmd.service\n0::/\n"));

    EXPECT_FALSE(is(""));
    EXPECT_FALSE(is("0::/\n"));
    EXPECT_FALSE(is("garbage"));
    EXPECT_FALSE(is("0::/llmd.service\n")) << "of no user's manager";
    EXPECT_FALSE(is("0::/user.slice/user@1001.service/llmd.service\n")) << "of another user";
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/llmd.service/sub\n")) << "below the unit";
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/xllmd.service\n"));
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/llmd.service.slice\n"));
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/podman-7.scope/llmd.service\n")) << "a container's own";
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/x.service/llmd.service\n"));
    EXPECT_FALSE(is("0::/user.slice/user@1000.service/app.slice/app-flatpak-org.example.App-7.scope\n"));
    EXPECT_FALSE(is("0::/user@1000.service/app.slice\n5:pids:/user@1000.service/llmd.service\n"))
        << "hierarchies that are not systemd's say nothing";
    EXPECT_FALSE(is("1:name=systemd:/user@1000.service/app.slice/x.scope\n0::/user@1000.service/llmd.service\n"));
}

// The parameter is whether it runs as root.
class Peer : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-peer-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        ASSERT_EQ(::chmod(name.c_str(), 0777), 0);
    }
    void TearDown() override { fs::remove_all(directory_); }

    static uid_t uid() { return ::geteuid() == 0 && !GetParam() ? test::kOrdinaryUser : ::geteuid(); }
    static bool become_the_user() { return GetParam() || test::leave_root(); }
    // Whether this process, as the user, can be forked into one that returns true.
    static bool holds_in_child(const std::function<bool()>& what) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(become_the_user() && what() ? 0 : 1);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    static bool refuses(int socket, const std::string& proc, base::ErrorCode code) {
        const auto result = check_peer(socket, proc);
        return !result && result.error().code == code;
    }
    // Writes the control group of a process as the user would find it, below proc() in place of /proc.
    void say_cgroup(pid_t pid, const std::string& cgroup) {
        const fs::path process = fs::path(proc()) / std::to_string(pid);
        fs::create_directories(process);
        std::ofstream(process / "cgroup") << cgroup;
    }
    std::string proc() const { return directory_ / "proc"; }

    // Connects to a socket that the caller listens at, as the user, and keeps the connection until it is killed. Like
    // llmd it is not dumpable.
    pid_t connect_from_child() {
        const fs::path path = directory_ / "socket";
        listening_ = base::UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.string().copy(address.sun_path, sizeof address.sun_path - 1);
        const auto* generic = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(::bind(listening_.get(), generic, sizeof address), 0);
        EXPECT_EQ(::chmod(path.c_str(), 0666), 0);
        EXPECT_EQ(::listen(listening_.get(), 1), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
            if (!become_the_user() || ::prctl(PR_SET_DUMPABLE, 0) != 0) ::_exit(1);
            if (::connect(fd, generic, sizeof address) != 0) ::_exit(1);
            while (true) ::pause();
        }
        connection_ = base::UniqueFd(::accept(listening_.get(), nullptr, nullptr));
        return child;
    }
    static void end(pid_t child) {
        ::kill(child, SIGKILL);
        EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    }

    fs::path directory_;
    base::UniqueFd listening_;
    base::UniqueFd connection_;
};

TEST_P(Peer, TheParentMayAsk) {
    // The creator of the pair is the peer, as llmd is.
    ASSERT_TRUE(holds_in_child([] {
        int ends[2];
        if (::prctl(PR_SET_DUMPABLE, 0) != 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
        return holds_in_child([&] { return check_peer(ends[1]).has_value(); });
    }));
}

TEST_P(Peer, AnotherProgramMayNot) {
    const pid_t other = connect_from_child();
    EXPECT_TRUE(holds_in_child([&] { return refuses(connection_.get(), "/proc", base::ErrorCode::NotAllowed); }));
    end(other);
}

TEST_P(Peer, WhatRunsInLlmdsUnitMayAsk) {
    const pid_t llmd = connect_from_child();
    say_cgroup(llmd, base::concat("0::/user.slice/user@", uid(), ".service/background.slice/llmd.service\n"));
    EXPECT_TRUE(holds_in_child([&] { return check_peer(connection_.get(), proc()).has_value(); }));
    say_cgroup(llmd, base::concat("0::/user.slice/user@", uid(), ".service/app.slice/other.service\n"));
    EXPECT_TRUE(holds_in_child([&] { return refuses(connection_.get(), proc(), base::ErrorCode::NotAllowed); }));
    end(llmd);
}

TEST_P(Peer, WhatHasEndedMayNot) {
    const pid_t llmd = connect_from_child();
    say_cgroup(llmd, base::concat("0::/user.slice/user@", uid(), ".service/llmd.service\n"));
    end(llmd);
    EXPECT_TRUE(holds_in_child([&] { return refuses(connection_.get(), proc(), base::ErrorCode::Failed); }));
}

TEST_P(Peer, ItsControlGroupHasToBeReadable) {
    const pid_t llmd = connect_from_child();
    EXPECT_TRUE(holds_in_child([&] { return refuses(connection_.get(), proc(), base::ErrorCode::Failed); }));
    end(llmd);
}

TEST(PeerOfAnotherUser, MayNotAskEvenAsTheParent) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs to be root";
    // Root made the pair and is the parent.
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const base::UniqueFd own(ends[0]), theirs(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto result = test::leave_root() ? check_peer(theirs.get()) : base::Result<void>();
        ::_exit(!result && result.error().code == base::ErrorCode::NotAllowed ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_P(Peer, OnlyASocketHasOne) {
    const base::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(refuses(null.get(), "/proc", base::ErrorCode::Failed));
}

INSTANTIATE_TEST_SUITE_P(, Peer, testing::ValuesIn(test::possible_privileges()), test::privileges);

}  // namespace
}  // namespace llmd::remote
