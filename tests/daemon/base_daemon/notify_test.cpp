#include "base/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

namespace llmd::base {
namespace {

// The service manager's end of $NOTIFY_SOCKET.
class NotifyTest : public testing::Test {
protected:
    NotifyTest() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        std::string pattern = testing::TempDir() + "notify-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = folder_ + "/socket";
        std::memcpy(address.sun_path, path.c_str(), path.size());
        EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    ~NotifyTest() override {
        ::unsetenv("NOTIFY_SOCKET");
        ::unlink((folder_ + "/socket").c_str());
        ::rmdir(folder_.c_str());
    }
    std::string received() {
        char text[256];
        const ssize_t n = ::recv(socket_.get(), text, sizeof text, 0);
        return n < 0 ? "nothing" : std::string(text, static_cast<size_t>(n));
    }

    UniqueFd socket_;
    std::string folder_;
};

TEST_F(NotifyTest, SaysItInTheProtocolsWords) {
    notify_ready("serving");
    EXPECT_EQ(received(), "READY=1\nSTATUS=serving");
    notify_status("two\nlines");
    EXPECT_EQ(received(), "STATUS=two lines");
    notify_stopping("");
    EXPECT_EQ(received(), "STOPPING=1");
    notify_watchdog();
    EXPECT_EQ(received(), "WATCHDOG=1");
}

// The kernel keeps net.unix.max_dgram_qlen messages, ten or some hundred.
TEST_F(NotifyTest, DoesNotWaitForAManagerThatReadsNothing) {
    notify_ready("serving");
    for (int i = 0; i < 2000; ++i) notify_status("ready");
    EXPECT_EQ(received(), "READY=1\nSTATUS=serving");
}

TEST_F(NotifyTest, FindsAnAbstractName) {
    socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};  // the kernel chooses the name
    address.sun_family = AF_UNIX;
    ASSERT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address.sun_family), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::string name(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
    ::setenv("NOTIFY_SOCKET", ('@' + name).c_str(), 1);
    notify_watchdog();
    EXPECT_EQ(received(), "WATCHDOG=1");
}

TEST_F(NotifyTest, WithoutAManagerItDoesNothing) {
    ::unsetenv("NOTIFY_SOCKET");
    notify_ready("serving");
    EXPECT_EQ(received(), "nothing");
}

TEST(Watchdog, PingsAtHalfTheAllowedTime) {
    ::unsetenv("WATCHDOG_PID");
    ::unsetenv("WATCHDOG_USEC");
    EXPECT_FALSE(watchdog_interval());
    ::setenv("WATCHDOG_USEC", "60000000", 1);
    EXPECT_EQ(watchdog_interval(), std::chrono::milliseconds(30'000));
    ::setenv("WATCHDOG_USEC", "100", 1);
    EXPECT_EQ(watchdog_interval(), std::chrono::milliseconds(1));
    ::unsetenv("WATCHDOG_USEC");
}

}  // namespace
}  // namespace llmd::base
