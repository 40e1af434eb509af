// The program llmd on a bus of its own, with a script for an engine: what signals do to it.
// The environment variable LLMD is the program's path.
#include "daemon.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "bus/sdbus_compat.h"
#include "daemon/dbus/private_bus.h"
#include "protocol/frame.h"
#include "supervisor/engine_link.h"

namespace llmd {
namespace {

using bus::BusName;
using bus::BusPath;
using bus::VariantMap;

constexpr const char* kInterface = "org.llmd.Llmd1";
// Longer than any machine needs: only a failure takes so long.
constexpr int kLimitMs = 20'000;
constexpr int kMaxCalls = 1000;

class DaemonTest : public testing::Test {
protected:
    DaemonTest() {
        std::string pattern = testing::TempDir() + "daemon-XXXXXX";
        folder = ::mkdtemp(pattern.data());
        ::setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
        ::setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
        ::setenv("XDG_DATA_HOME", folder.c_str(), 1);
        ::setenv("LLMD_MODEL_PATH", folder.c_str(), 1);
        ::setenv("LLMD_ENGINE", (folder + "/engine").c_str(), 1);
        std::ofstream(folder + "/tale.gguf") << "a model";
        bus.emplace(folder);
        notify.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        (folder + "/notify").copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(notify.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    ~DaemonTest() override {
        if (llmd > 0) {
            ::kill(llmd, SIGKILL);
            ::waitpid(llmd, nullptr, 0);
        }
        bus.reset();  // it has files in the folder too
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }

    // Starts llmd with `engine_script` for an engine and waits until it is ready.
    void start(const std::string& engine_script) {
        std::ofstream(folder + "/engine") << "#!/bin/sh\n" << engine_script;
        ASSERT_EQ(::chmod((folder + "/engine").c_str(), 0700), 0);
        const char* program = ::getenv("LLMD");
        ASSERT_NE(program, nullptr) << "the environment variable LLMD is the path of llmd";
        const pid_t test = ::getpid();
        llmd = ::fork();
        if (llmd == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::setenv("NOTIFY_SOCKET", (folder + "/notify").c_str(), 1);  // here only: dbus-daemon uses it too
            if (::getppid() == test) ::execl(program, program, static_cast<char*>(nullptr));
            ::_exit(127);
        }
        pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, llmd, 0)));
        expect_notice("READY=1");
        connection = sdbus::createSessionBusConnection();
        root = sdbus::createProxy(*connection, bus::BusName(kInterface), bus::BusPath("/org/llmd/Llmd1"));
    }
    // Waits for what llmd sends its service manager.
    void expect_notice(const std::string& expected) {
        for (;;) {
            std::array<pollfd, 2> ready{pollfd{notify.get(), POLLIN, 0}, pollfd{pidfd.get(), POLLIN, 0}};
            ASSERT_GT(::poll(ready.data(), ready.size(), kLimitMs), 0) << "waited in vain for " << expected;
            ASSERT_NE(ready[0].revents, 0) << "llmd ended before it said " << expected;
            std::array<char, 4096> bytes;
            const ssize_t n = ::recv(notify.get(), bytes.data(), bytes.size(), 0);
            ASSERT_GT(n, 0);
            if (std::string_view(bytes.data(), static_cast<size_t>(n)).find(expected) != std::string_view::npos) return;
        }
    }
    // Its exit status; nothing when a signal has killed it or it runs on.
    std::optional<int> wait_for_exit() {
        pollfd ended{pidfd.get(), POLLIN, 0};
        if (::poll(&ended, 1, kLimitMs) != 1) return std::nullopt;
        int status = 0;
        ::waitpid(std::exchange(llmd, -1), &status, 0);
        return WIFEXITED(status) ? std::optional<int>(WEXITSTATUS(status)) : std::nullopt;
    }

    std::string folder;
    std::optional<dbus::PrivateBus> bus;
    base::UniqueFd notify;
    base::UniqueFd pidfd;
    pid_t llmd = -1;
    std::unique_ptr<sdbus::IConnection> connection;
    std::unique_ptr<sdbus::IProxy> root;
};

TEST_F(DaemonTest, HangupReadsTheModelsAgain) {
    // Leaves a mark for every inspection, and answers that this is no model.
    std::string answer;
    ASSERT_TRUE(protocol::encode(protocol::Inspection{}, answer));
    std::ofstream(folder + "/answer", std::ios::binary) << answer;
    start("echo inspected >> '" + folder + "/inspections'\ncat '" + folder + "/answer'\n");
    const auto n_inspections_after_list = [&] {
        std::vector<bus::VariantMap> models;
        root->callMethod("ListModels").onInterface(kInterface).withArguments(bus::VariantMap{}).storeResultsTo(models);
        EXPECT_EQ(models.size(), 1u);
        std::ifstream marks(folder + "/inspections");
        return std::count(std::istreambuf_iterator<char>(marks), {}, '\n');
    };
    EXPECT_EQ(n_inspections_after_list(), 1);
    EXPECT_EQ(n_inspections_after_list(), 1) << "it is remembered";
    ASSERT_EQ(::kill(llmd, SIGHUP), 0);
    // A call that llmd has read already may still be answered before the signal is.
    int n_calls = 0;
    while (n_inspections_after_list() == 1 && ++n_calls < kMaxCalls) {
    }
    EXPECT_EQ(n_inspections_after_list(), 2);
}

TEST_F(DaemonTest, TerminationEndsItAndASecondOneAtOnce) {
    // One that never answers and does not exit when its socket is closed: llmd waits for that.
    start("exec sleep 1000\n");
    root->callMethodAsync("LoadModel")
        .onInterface("org.llmd.Llmd1.Admin")
        .withArguments(std::string("tale"), bus::VariantMap{})
        .uponReplyInvoke([](bus::ReplyError) {});
    std::string state;
    for (int i = 0; i < kMaxCalls && state != "loading"; ++i) {
        bus::VariantMap status;
        root->callMethod("GetStatus").onInterface(kInterface).withArguments(bus::VariantMap{}).storeResultsTo(status);
        state = status.at("state").get<std::string>();
    }
    ASSERT_EQ(state, "loading");
    const base::TimePoint first = base::Clock::now();
    ASSERT_EQ(::kill(llmd, SIGTERM), 0);
    expect_notice("STOPPING=1");
    ASSERT_EQ(::kill(llmd, SIGTERM), 0);
    EXPECT_EQ(wait_for_exit(), 0);
    EXPECT_LT(base::Clock::now() - first, supervisor::EngineTimeouts{}.exit) << "it has waited for the engine";
}

TEST_F(DaemonTest, TerminationWithNothingToDoEndsIt) {
    start("exit 1\n");
    ASSERT_EQ(::kill(llmd, SIGTERM), 0);
    EXPECT_EQ(wait_for_exit(), 0);
}

}  // namespace
}  // namespace llmd
