// One test for each row of the table of rules that llmd decides by: who, over which network, when, and what a failure
// may lead to.
#include "handover/remote_policy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "api/caller.h"
#include "daemon/handover/callers.h"
#include "handover/names.h"
#include "support/temporary_directory.h"

namespace llmd::handover {
namespace {

using base::ErrorCode;
using platform::Metered;
using platform::Network;
using Action = Decision::Action;

base::RemoteSettings remote(std::vector<std::string> apps, const std::string& metered = "deny") {
    base::RemoteSettings settings = remote_for(std::move(apps));
    settings.metered = metered;
    return settings;
}

Facts facts(const Caller& caller = kHost, std::optional<Network> network = Network()) {
    Facts all;
    all.caller = caller;
    all.network = std::move(network);
    return all;
}

std::string refusal(const base::RemoteSettings& settings, const Facts& all) {
    const Decision decision = decide(settings, all);
    if (decision.action != Action::Refuse) return decision.action == Action::Send ? "sent" : "waits";
    return std::string(base::error_name(decision.why.code)) + ": " + decision.why.message;
}

// Row "host programs".
TEST(RemotePolicy, NobodyMayUseARemoteThatListsNobody) {
    for (const Caller& caller : {kHost, kNotes, kSnap, kBridge, kNobody}) {
        EXPECT_TRUE(refusal(remote({}), facts(caller)).starts_with("NotAllowed: ")) << caller.application;
    }
}

TEST(RemotePolicy, HostProgramsAreOneAndNeedHostOrTheStar) {
    EXPECT_EQ(refusal(remote({"host"}), facts(kHost)), "sent");
    EXPECT_EQ(refusal(remote({"*"}), facts(kHost)), "sent");
    EXPECT_EQ(
        refusal(remote({"org.example.Notes", "snap:example"}), facts(kHost)),
        "NotAllowed: the remote \"home\" takes no programs of the host; \"host\" among the apps in its [[remote]] "
        "of the settings would change that");
}

// Row "Flatpak"; Snaps alike.
TEST(RemotePolicy, AFlatpakNeedsItsExactId) {
    EXPECT_EQ(refusal(remote({"org.example.Notes"}), facts(kNotes)), "sent");
    EXPECT_EQ(refusal(remote({"flatpak:org.example.Notes"}), facts(kNotes)), "sent");
    for (const char* entry : {"org.example.Note", "org.example.NotesToo", "org.example.notes", "org.example", "Notes",
                              "org.example.*", "snap:org.example.Notes", "app:org.example.Notes", ""}) {
        EXPECT_EQ(refusal(remote({entry}), facts(kNotes)), "NotAllowed: this application may not use a remote \"home\"")
            << entry;
    }
}

TEST(RemotePolicy, NoWildcardLetsASandboxIn) {
    for (const Caller& caller : {kNotes, kSnap, kBridge, kNobody, Caller{true, "host"}, Caller{true, "flatpak:host"},
                                 Caller{true, "flatpak:*"}, Caller{true, "*"}}) {
        EXPECT_FALSE(may_use(caller, remote({"*", "host"}))) << caller.application;
    }
}

TEST(RemotePolicy, ASnapNeedsItsExactName) {
    EXPECT_EQ(refusal(remote({"snap:example"}), facts(kSnap)), "sent");
    for (const char* entry : {"example", "snap:exampl", "flatpak:example", "snap:*"}) {
        EXPECT_TRUE(refusal(remote({entry}), facts(kSnap)).starts_with("NotAllowed: ")) << entry;
    }
}

// Row "bridge clients, unidentified".
TEST(RemotePolicy, TheBridgeAndTheUnidentifiedMayNever) {
    for (const char* entry : {"*", "host", "bridge", "flatpak:bridge", "unidentified", "", "flatpak:"}) {
        EXPECT_EQ(refusal(remote({entry}), facts(kBridge)),
                  "NotAllowed: programs that come through the bridge may use no remote");
        EXPECT_TRUE(refusal(remote({entry}), facts(kNobody)).starts_with("NotAllowed: ")) << entry;
        EXPECT_FALSE(may_use(Caller{false, ""}, remote({entry}))) << "not sandboxed, but nobody that is known";
    }
}

// This policy reads the application as the front ends find it out.
TEST(RemotePolicy, KnowsTheApplicationsThatCallersAreIdentifiedAs) {
    const test::TemporaryDirectory proc;
    const std::string process = proc.path() + "/" + std::to_string(::getpid());
    std::filesystem::create_directories(process + "/root");
    const auto caller = [&] {
        const api::Caller found = api::identify(::getpid(), proc.path());
        return Caller{found.sandboxed, found.application};
    };
    EXPECT_TRUE(may_use(caller(), remote({"host"})));
    std::ofstream(process + "/cgroup") << "0::/app.slice/app-org.example.Notes.service\n";
    EXPECT_FALSE(may_use(caller(), remote({"org.example.Notes"})))
        << "a program outside of a sandbox chooses its control group itself";
    std::ofstream(process + "/root/.flatpak-info") << "[Application]\nname=org.example.Notes\n";
    EXPECT_TRUE(may_use(caller(), remote({"org.example.Notes"})));
    EXPECT_FALSE(may_use(caller(), remote({"host"})));
    std::filesystem::remove(process + "/root/.flatpak-info");
    std::filesystem::create_directories(process + "/attr");
    std::ofstream(process + "/attr/current") << "snap.example.app (enforce)\n";
    EXPECT_TRUE(may_use(caller(), remote({"snap:example"})));
    EXPECT_FALSE(may_use(caller(), remote({"host"})));
}

// Row "metered".
TEST(RemotePolicy, AMeteredConnectionIsRefusedUnlessTheSettingsAllowIt) {
    const Network metered{.metered = Metered::Yes, .modem = false};
    EXPECT_EQ(refusal(remote({"host"}), facts(kHost, metered)),
              "NotAllowed: the device is on a metered connection, over which the remote \"home\" is not asked; "
              "metered = \"allow\" in its [[remote]] of the settings would change that");
    EXPECT_EQ(refusal(remote({"host"}, "allow"), facts(kHost, metered)), "sent");
    EXPECT_EQ(refusal(remote({"host"}), facts(kHost, Network{.metered = Metered::No, .modem = true})), "sent")
        << "somebody has said that this modem does not cost";
}

TEST(RemotePolicy, AnApplicationIsNotToldOfTheSettings) {
    EXPECT_EQ(refusal(remote({"org.example.Notes"}), facts(kNotes, Network{.metered = Metered::Yes})),
              "NotAllowed: the device is on a metered connection, over which the remote \"home\" is not asked");
}

TEST(RemotePolicy, RoamingIsMeteredAndTheUnknownIsOnAModem) {
    const auto sent = [](const Network& network) { return refusal(remote({"host"}), facts(kHost, network)) == "sent"; };
    EXPECT_FALSE(sent({.metered = Metered::No, .modem = true, .roaming = true}));
    EXPECT_FALSE(sent({.metered = Metered::Unknown, .modem = true}));
    EXPECT_TRUE(sent({.metered = Metered::Unknown, .modem = false, .roaming = true}));
    EXPECT_TRUE(sent(Network())) << "nobody tells anything: a machine without a network manager";
}

TEST(RemotePolicy, NothingIsSentBeforeItIsKnownWhatTheNetworkCosts) {
    EXPECT_EQ(refusal(remote({"host"}), facts(kHost, std::nullopt)), "waits");
    EXPECT_EQ(refusal(remote({"host"}, "allow"), facts(kHost, std::nullopt)), "sent") << "whatever it costs";
    Facts background = facts(kHost, std::nullopt);
    background.is_background = true;
    EXPECT_EQ(refusal(remote({"host"}, "allow"), background), "waits") << "it may be a modem";
    EXPECT_TRUE(refusal(remote({}), facts(kHost, std::nullopt)).starts_with("NotAllowed: "))
        << "no need to wait for that";
}

// Row "background".
TEST(RemotePolicy, BackgroundWaitsWithTheDevicesAndDoesNotGoOverAModem) {
    Facts all = facts(kHost, Network{.metered = Metered::No, .modem = false});
    all.background_waits = true;
    EXPECT_EQ(refusal(remote({"host"}), all), "sent") << "it is not of that priority";
    all.is_background = true;
    EXPECT_EQ(refusal(remote({"host"}), all), "waits");
    EXPECT_NE(decide(remote({"host"}), all).why.message, "") << "status says why";
    all.background_waits = false;
    EXPECT_EQ(refusal(remote({"host"}), all), "sent");
    all.network->modem = true;
    EXPECT_EQ(
        refusal(remote({"host"}, "allow"), all),
        "Suspended: the device is on a mobile network, over which no background requests go to the remote \"home\"")
        << "whatever it costs";
    all.is_background = false;
    EXPECT_EQ(refusal(remote({"host"}, "allow"), all), "sent");
}

TEST(RemotePolicy, ADeviceThatGoesToSleepTakesNothingNew) {
    Facts all = facts();
    all.goes_to_sleep = true;
    EXPECT_EQ(refusal(remote({"host"}), all), "Suspended: the device is going to sleep");
}

// Rows "which name" and "device refuses": a name of the device stays on the device, whatever the device lacks.
TEST(RemotePolicy, OnlyTheNameLeadsToARemote) {
    const std::vector<base::RemoteSettings> remotes = {remote({"host"})};
    EXPECT_EQ(find_place("m", remotes, kHost)->remote, nullptr);
    EXPECT_EQ(find_place("", remotes, kHost)->remote, nullptr);
    for (const ErrorCode code : {ErrorCode::OutOfMemory, ErrorCode::Suspended}) {
        EXPECT_EQ(Fallback().next({}, {code, true, false}), std::nullopt);
    }
}

// Row "device refuses": not even to a remote that the request lists.
TEST(Fallback, ADeviceThatIsShortGivesNothingAway) {
    const std::vector<std::string> models = {"a@home", "tale", "b@home"};
    for (const ErrorCode code : {ErrorCode::OutOfMemory, ErrorCode::Suspended}) {
        Fallback fallback;
        EXPECT_EQ(fallback.next(models, {code, true, false}), "tale") << base::error_name(code);
        EXPECT_EQ(fallback.next(models, {ErrorCode::ModelNotFound, true, false}), std::nullopt)
            << "it is still short when the next model is not there";
        EXPECT_EQ(Fallback().next(models, {code, false, false}), "a@home") << "a remote has said so, not the device";
    }
    EXPECT_EQ(Fallback().next(models, {ErrorCode::DeviceError, true, false}), "a@home");
}

// Row "unreachable".
TEST(Fallback, GoesThroughTheListOfTheRequestInItsOrder) {
    const std::vector<std::string> models = {"b@work", "tale"};
    Fallback fallback;
    EXPECT_TRUE(fallback.has_more(models));
    EXPECT_EQ(fallback.next(models, {ErrorCode::RemoteUnreachable}), "b@work");
    EXPECT_EQ(fallback.next(models, {ErrorCode::RemoteRefused}), "tale");
    EXPECT_FALSE(fallback.has_more(models));
    EXPECT_EQ(fallback.next(models, {ErrorCode::RemoteUnreachable}), std::nullopt);
    EXPECT_EQ(Fallback().next({}, {ErrorCode::RemoteUnreachable}), std::nullopt) << "nobody listed anything";
}

TEST(Fallback, EndsWithTheFirstByte) {
    const std::vector<std::string> models = {"tale"};
    for (const ErrorCode code : {ErrorCode::RemoteLost, ErrorCode::RemoteUnreachable}) {
        EXPECT_EQ(Fallback().next(models, {code, false, false}), "tale");
        EXPECT_EQ(Fallback().next(models, {code, false, true}), std::nullopt);
    }
}

TEST(Fallback, IsForWhatAnotherModelMayHave) {
    const std::vector<std::string> models = {"tale"};
    const auto helps = [&](ErrorCode code) { return Fallback().next(models, {code}).has_value(); };
    for (const ErrorCode code :
         {ErrorCode::NotAllowed, ErrorCode::ModelNotFound, ErrorCode::ModelLoadFailed, ErrorCode::QueueFull,
          ErrorCode::NotReady, ErrorCode::DeviceError, ErrorCode::OutOfMemory, ErrorCode::Suspended,
          ErrorCode::NotSupported, ErrorCode::RemoteUnreachable, ErrorCode::RemoteRefused, ErrorCode::RemoteLost}) {
        EXPECT_TRUE(helps(code)) << base::error_name(code);
    }
    for (const ErrorCode code :
         {ErrorCode::Failed, ErrorCode::InvalidArgument, ErrorCode::NotFound, ErrorCode::RateLimited,
          ErrorCode::PromptTooLong, ErrorCode::ContextExceeded, ErrorCode::Cancelled, ErrorCode::Timeout,
          ErrorCode::SlowConsumer, ErrorCode::ShuttingDown, ErrorCode::ConstraintFailed}) {
        EXPECT_FALSE(helps(code)) << base::error_name(code);
    }
}

TEST(Fallback, AListThatCannotBeIsRefusedWithItsValue) {
    const auto error = [](const std::string& model, const std::vector<std::string>& models) {
        const auto checked = check_fallback(model, models);
        return checked ? "none" : std::string(base::error_name(checked.error().code)) + ": " + checked.error().message;
    };
    EXPECT_EQ(error("m@home", {}), "none");
    EXPECT_EQ(error("m@home", {"a@work", "b", "c", "d"}), "none");
    EXPECT_EQ(error("m@home", {"a", "b", "c", "d", "e"}), "InvalidArgument: fallback: 5 models are more than 4");
    EXPECT_EQ(error("m@home", {"a@b@c"}), "InvalidArgument: fallback[0]: \"a@b@c\" has more than one '@'");
    EXPECT_EQ(error("m@home", {"a", ""}), "InvalidArgument: fallback[1]: \"\" is not the name of a model");
    EXPECT_EQ(error("m@home", {"a", "a"}), "InvalidArgument: fallback[1]: \"a\" is asked for twice");
    EXPECT_EQ(error("m@home", {"m@home"}), "InvalidArgument: fallback[0]: \"m@home\" is asked for twice");
    EXPECT_EQ(error("m@home", {"a", "/etc/passwd"}),
              "InvalidArgument: fallback[1]: \"/etc/passwd\" is not the name of a model");
    EXPECT_EQ(error("m@home", {".a@home"}), "InvalidArgument: fallback[0]: \".a@home\" is not the name of a model");
    EXPECT_EQ(error("m@home", {"a@"}),
              "InvalidArgument: fallback[0]: \"a@\" lacks a name beside the '@'; a remote's model is MODEL@REMOTE");
}

}  // namespace
}  // namespace llmd::handover
