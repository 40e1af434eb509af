// Who may do what with whose request.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/dbus/front_end_fixture.h"
#include "dbus/caller_identity.h"

namespace llmd::dbus {
namespace {

using CallerRights = FrontEndTest;

TEST_F(CallerRights, AnUnsandboxedStrangerMayLookAndCancel) {
    Client stranger(loop);
    const std::string path = stream(*client);
    load();
    accept();
    EXPECT_EQ(call_and_wait(stranger, path, kRequest, "SetPriority", std::string("now")), "InvalidArgument");
    EXPECT_EQ(call_and_wait(stranger, path, kRequest, "SetPriority", std::string("background")), "ok");
    sdbus::Variant priority;
    ASSERT_EQ(get(stranger, path, kRequest, "Priority", priority), "ok");
    EXPECT_EQ(priority.get<std::string>(), "background");
    EXPECT_EQ(call_and_wait(stranger, kRoot, kAdmin, "CancelAll"), "ok");
    until([&] { return !client->finished.empty(); });
    EXPECT_EQ(client->finished, std::vector<std::string>{"1"});
}

TEST_F(CallerRights, PropertiesAreForTheOwnerAndForUnsandboxedStrangers) {
    const std::string path = stream(*client);
    load();
    accept();
    sdbus::Variant value;
    for (const char* property :
         {"State", "Position", "EstimatedWaitMs", "PromptTokens", "GeneratedTokens", "Priority"}) {
        EXPECT_EQ(get(*client, path, kRequest, property, value), "ok") << property;
        Client newcomer(loop);
        EXPECT_EQ(get(newcomer, path, kRequest, property, value), "ok") << property;
    }
    Client stranger(loop);
    ASSERT_EQ(get(stranger, path, kRequest, "State", value), "ok");
    EXPECT_EQ(value.get<std::string>(), "prefill");
    EXPECT_EQ(call_and_wait(stranger, path, "org.freedesktop.DBus.Properties", "GetAll", std::string(kRequest)), "ok");
}

// A process whose root has a /.flatpak-info. Its exit status: 0 when it was refused everything that is not its own.
int sandboxed_caller(const std::string& root, const std::string& others_request, int stays) {
    try {
        const auto connection = sdbus::createSessionBusConnection();
        const auto daemon = sdbus::createProxy(*connection, bus::BusName(kInterface), bus::BusPath(kRoot));
        const auto request = sdbus::createProxy(*connection, bus::BusName(kInterface), bus::BusPath(others_request));
        if (::geteuid() != 0 && ::unshare(CLONE_NEWUSER) != 0) return 77;
        if (::chroot(root.c_str()) != 0) return 77;
        const auto refused = [](const std::function<void()>& call) {
            try {
                call();
            } catch (const sdbus::Error& error) {
                return std::string(error.getName()) == "org.llmd.Llmd1.Error.NotAllowed";
            }
            return false;
        };
        if (!refused([&] { daemon->callMethod("CancelAll").onInterface(kAdmin); })) return 1;
        if (!refused([&] { daemon->callMethod("UnloadModel").onInterface(kAdmin).withArguments(bus::VariantMap{}); }))
            return 2;
        if (!refused([&] { request->callMethod("Cancel").onInterface(kRequest); })) return 3;
        if (!refused([&] { (void)request->getProperty("State").onInterface(kRequest); })) return 4;
        const auto cancelled = [&](const std::string& path) {
            try {
                daemon->callMethod("Cancel").onInterface(kInterface).withArguments(sdbus::ObjectPath(path));
            } catch (const sdbus::Error& error) {
                return std::string(error.getName()).substr(sizeof "org.llmd.Llmd1.Error");
            }
            return std::string("ok");
        };
        std::string own = connection->getUniqueName().substr(1);
        std::replace(own.begin(), own.end(), '.', '_');
        if (cancelled(std::string(kRoot) + "/request/" + own + "/ended") != "NotFound") return 5;
        if (cancelled(std::string(kRoot) + "/request/0_1/ended") != "NotAllowed") return 6;
        // Nor does it learn of others' requests.
        const auto n_listed = [&] {
            std::vector<bus::VariantMap> requests;
            daemon->callMethod("ListRequests").onInterface(kAdmin).storeResultsTo(requests);
            return requests.size();
        };
        const auto figure = [&](const char* property) {
            return daemon->getProperty(property).onInterface(kInterface).get<uint32_t>();
        };
        if (n_listed() != 0) return 10;
        if (figure("QueueDepth") != 0 || figure("ActiveRequests") != 0) return 11;
        bus::VariantMap status;
        daemon->callMethod("GetStatus").onInterface(kInterface).withArguments(bus::VariantMap{}).storeResultsTo(status);
        if (status.at("queued").get<uint32_t>() + status.at("active").get<uint32_t>() != 0) return 14;
        if (status.at("engine_pid").get<int64_t>() != 0) return 15;
        // Half of what others may have in flight.
        constexpr size_t kMine = service::RequestLimits::kMaxPerClient / 2;
        std::vector<sdbus::UnixFd> pipes(kMine + 1);
        for (size_t i = 0; i <= kMine; ++i) {
            sdbus::ObjectPath mine;
            try {
                daemon->callMethod("Stream")
                    .onInterface(kInterface)
                    .withArguments(std::string("Once"), bus::VariantMap{})
                    .storeResultsTo(mine, pipes[i]);
                if (i == kMine) return 8;
            } catch (const sdbus::Error& error) {
                if (i < kMine || std::string(error.getName()) != "org.llmd.Llmd1.Error.RateLimited") return 9;
            }
        }
        if (n_listed() != kMine) return 12;
        if (figure("QueueDepth") + figure("ActiveRequests") != kMine) return 13;
        char end = 0;
        (void)!::read(stays, &end, 1);
        return 0;
    } catch (const sdbus::Error&) {
        return 7;
    }
}

TEST_F(CallerRights, ASandboxedCallerMayTouchOnlyItsOwnRequests) {
    const std::string path = stream(*client);
    load();
    const auto submit = expect_frame<protocol::Submit>();
    EXPECT_EQ(submit.cache_scope, base::kHostApplication);
    engine().send(protocol::Accepted{submit.id, 3});
    expect_frame<protocol::Start>();
    std::filesystem::create_directory(folder + "/root");
    std::ofstream(folder + "/root/.flatpak-info") << "[Application]\nname=org.example.App\n";
    // It stays on the bus until its requests have been seen: leaving at once, it would take them with it.
    int stay[2];
    ASSERT_EQ(::pipe2(stay, O_CLOEXEC), 0);
    base::UniqueFd stays(stay[0]), may_leave(stay[1]);
    const pid_t caller = ::fork();
    if (caller == 0) {
        may_leave.reset();
        const int result = sandboxed_caller(folder + "/root", path, stays.get());
        ::_exit(result);
    }
    int status = 0;
    bool has_left = false;
    const auto leaves = [&] { return has_left = has_left || ::waitpid(caller, &status, WNOHANG) == caller; };
    until([&] { return leaves() || service->requests().size() > service::RequestLimits::kMaxPerClient / 2; });
    sdbus::Variant figure;
    ASSERT_EQ(get(*client, kRoot, kInterface, "ActiveRequests", figure), "ok");
    EXPECT_EQ(figure.get<uint32_t>(), service->status().active) << "of all, for a program outside a sandbox";
    for (size_t i = 0; !has_left && i < service::RequestLimits::kMaxPerClient / 2; ++i) {
        EXPECT_EQ(expect_frame<protocol::Submit>().cache_scope, "flatpak:org.example.App");
    }
    may_leave.reset();
    until(leaves);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        GTEST_SKIP() << "nobody may change the root here; run as root with CAP_SYS_CHROOT, or where users may make "
                        "user namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
    until([&] { return service->requests().size() <= 1; });  // the caller's own end with it
    EXPECT_EQ(service->requests().size(), 1u) << "the other one still runs";
}

}  // namespace
}  // namespace llmd::dbus
