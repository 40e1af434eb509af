// Where pressure is watched, what is written there, and what wakes. The kernel's own files have POLLPRI; made-up ones
// are a FIFO and a socket, as systemd's protocol allows.
#include "platform/memory_pressure.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "daemon/supervisor/fake_engine.h"
#include "support/temporary_directory.h"

namespace llmd::platform {
namespace {

using base::ErrorCode;

class MemoryPressureTest : public testing::Test {
protected:
    MemoryPressureTest() {
        ::unsetenv("MEMORY_PRESSURE_WATCH");
        ::unsetenv("MEMORY_PRESSURE_WRITE");
        std::filesystem::create_directories(folder_.path() + "/proc/self");
        std::filesystem::create_directories(folder_.path() + "/proc/pressure");
        std::filesystem::create_directories(folder_.path() + "/cgroups/user/llmd");
    }
    ~MemoryPressureTest() override { ::unsetenv("MEMORY_PRESSURE_WATCH"); }

    void watch_variable(const std::string& path) { ::setenv("MEMORY_PRESSURE_WATCH", path.c_str(), 1); }
    base::Result<void> open() {
        auto pressure = watch_memory_pressure(loop_, {folder_.path() + "/proc", folder_.path() + "/cgroups"});
        if (!pressure) return pressure.error();
        pressure_ = std::move(*pressure);
        pressure_->on_stall([this] { ++n_stalls_; });
        return {};
    }
    std::string content(const std::string& name) {
        std::ifstream file(folder_.path() + '/' + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string fifo() {
        const std::string path = folder_.path() + "/fifo";
        EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
        return path;
    }
    void settle() { supervisor::settle(loop_); }

    test::TemporaryDirectory folder_;
    base::EventLoop loop_;
    std::unique_ptr<MemoryPressure> pressure_;
    int n_stalls_ = 0;
};

TEST_F(MemoryPressureTest, WatchesItsOwnControlGroupBeforeTheSystem) {
    folder_.write("proc/self/cgroup", "1:name=systemd:/old\n0::/user/llmd\n");
    folder_.write("proc/pressure/memory", "");
    folder_.write("cgroups/user/llmd/memory.pressure", "");
    const std::string trigger("some 200000 2000000\0", 20);
    ASSERT_TRUE(open());
    EXPECT_EQ(content("cgroups/user/llmd/memory.pressure"), trigger);
    EXPECT_EQ(content("proc/pressure/memory"), "");
    std::filesystem::remove(folder_.path() + "/cgroups/user/llmd/memory.pressure");
    ASSERT_TRUE(open());
    EXPECT_EQ(content("proc/pressure/memory"), trigger);
    settle();
    EXPECT_EQ(n_stalls_, 0) << "a file that can be read is no stall";
}

TEST_F(MemoryPressureTest, WritesWhatTheServiceManagerAsksFor) {
    watch_variable(folder_.write("watched", ""));
    ::setenv("MEMORY_PRESSURE_WRITE", "ZnVsbCAxIDIA", 1);
    ASSERT_TRUE(open());
    EXPECT_EQ(content("watched"), std::string("full 1 2\0", 9));
    ::setenv("MEMORY_PRESSURE_WRITE", "bm90aGluZyE=", 1);
    ASSERT_TRUE(open());
    EXPECT_EQ(content("watched"), std::string("nothing!\0", 9));
}

TEST_F(MemoryPressureTest, AFifoThatIsWrittenIsAStall) {
    watch_variable(fifo());
    ::setenv("MEMORY_PRESSURE_WRITE", "ZnVsbCAxIDIA", 1);
    ASSERT_TRUE(open());
    settle();
    EXPECT_EQ(n_stalls_, 0) << "the trigger itself does not come back";
    for (int i = 1; i <= 2; ++i) {
        std::ofstream(folder_.path() + "/fifo") << "x";
        settle();
        EXPECT_EQ(n_stalls_, i);
    }
}

TEST_F(MemoryPressureTest, ASocketThatSaysSomethingIsAStallUntilItsEnd) {
    const std::string path = folder_.path() + "/socket";
    const base::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    watch_variable(path);
    ASSERT_TRUE(open());
    base::UniqueFd peer(::accept(listener.get(), nullptr, nullptr));
    ASSERT_EQ(::write(peer.get(), "x", 1), 1);
    settle();
    EXPECT_EQ(n_stalls_, 1);
    peer.reset();
    settle();
    EXPECT_EQ(n_stalls_, 1);
    // Nothing is left to wake: this would spin otherwise.
    ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(0)));
}

TEST_F(MemoryPressureTest, SaysWhyThereIsNothingToWatch) {
    EXPECT_EQ(open().error().code, ErrorCode::NotReady);
    EXPECT_NE(open().error().message.find("/proc/pressure/memory"), std::string::npos);
    watch_variable("/dev/null");
    EXPECT_NE(open().error().message.find("/dev/null"), std::string::npos);
    watch_variable(folder_.path() + "/nowhere");
    EXPECT_NE(open().error().message.find("/nowhere"), std::string::npos);
    watch_variable(folder_.write("watched", ""));
    for (const char* bad : {"A", "AAA", "A===", "!AAA", "AA=A"}) {
        ::setenv("MEMORY_PRESSURE_WRITE", bad, 1);
        ASSERT_FALSE(open()) << bad;
        EXPECT_NE(open().error().message.find(bad), std::string::npos);
    }
}

// The kernel's own file on this machine can be asked for without harm, which is all that is tested; whether it is
// allowed depends on the kernel.
TEST_F(MemoryPressureTest, TheKernelsOwnFileCanBeWatchedOrSaysWhyNot) {
    const auto pressure = watch_memory_pressure(loop_);
    EXPECT_TRUE(pressure || pressure.error().code == ErrorCode::NotReady) << pressure.error().message;
}

}  // namespace
}  // namespace llmd::platform
