#include "api/caller.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace llmd::api {
namespace {

TEST(Identify, ThisProcessIsOfTheHost) {
    EXPECT_FALSE(identify(::getpid()).sandboxed);
    EXPECT_EQ(identify(::getpid()).application, base::kHostApplication);
}

TEST(Identify, WhatCannotBeLookedAtIsSandboxedAndOfNoApplication) {
    const auto is_unknown = [](pid_t pid) {
        const Caller caller = identify(pid);
        return caller.sandboxed && caller.application.empty() && caller.share == base::kUnidentifiedShare;
    };
    EXPECT_TRUE(is_unknown(-1));
    EXPECT_TRUE(is_unknown(0));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(is_unknown(child)) << "it has ended";
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(is_unknown(child)) << "nobody has its number";
}

// This process as a /proc of the test's own describes it.
class IdentifyByFiles : public testing::Test {
protected:
    IdentifyByFiles() { std::filesystem::create_directories(process_ + "/root"); }
    void write(const std::string& name, const std::string& content) {
        std::filesystem::create_directories(std::filesystem::path(process_ + "/" + name).parent_path());
        std::ofstream(process_ + "/" + name, std::ios::binary) << content;
    }
    Caller caller() const { return identify(::getpid(), proc_.path()); }
    void expect(bool sandboxed, const std::string& application, const std::string& share) const {
        EXPECT_EQ(caller().sandboxed, sandboxed);
        EXPECT_EQ(caller().application, application);
        EXPECT_EQ(caller().share, share);
    }

    const test::TemporaryDirectory proc_;
    const std::string process_ = proc_.path() + "/" + std::to_string(::getpid());
};

TEST_F(IdentifyByFiles, AHostProgramHasTheHostsShareOrThatOfItsUnit) {
    expect(false, "host", "host");
    write("attr/current", "unconfined\n");
    write("cgroup", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.example.App-12.scope\n");
    expect(false, "host", "app:org.example.App");
}

TEST_F(IdentifyByFiles, AFlatpakIsSandboxedWhateverItsControlGroupSays) {
    write("root/.flatpak-info", "[Application]\nname=org.example.App\n");
    write("cgroup", "0::/app.slice/app-org.example.Other.service\n");
    expect(true, "flatpak:org.example.App", "flatpak:org.example.App");
    write("root/.flatpak-info", "[Application]\nname=a b\n");
    expect(true, "", base::kUnidentifiedShare);
}

TEST_F(IdentifyByFiles, ASnapIsSandboxedWhateverItsControlGroupSays) {
    write("attr/current", "snap.example.app (enforce)\n");
    write("cgroup", "0::/app.slice/app-org.example.Other.service\n");
    expect(true, "snap:example", "snap:example");
    write("attr/apparmor/current", "unconfined\n");
    expect(false, "host",
           "app:org.example.Other");  // AppArmor's own file says more of it than the one that LSMs share
    write("attr/apparmor/current", "snap.b@d.app (enforce)\n");
    expect(true, "", base::kUnidentifiedShare);
}

TEST_F(IdentifyByFiles, ALabelThatCannotBeReadIsNoHosts) {
    std::filesystem::create_directories(process_ + "/attr/current");  // opens, but EISDIR
    expect(true, "", base::kUnidentifiedShare);
}

TEST(FlatpakName, IsThatOfTheApplicationsGroup) {
    EXPECT_EQ(flatpak_name("[Application]\nname=org.example.App\nruntime=r\n\n[Instance]\nname=no\n"),
              "org.example.App");
    EXPECT_EQ(flatpak_name("[Instance]\nname=no\n[Application]\nname=org.example.App-2_b"), "org.example.App-2_b");
}

TEST(FlatpakName, IsEmptyWhereThereIsNoneThatAnAppCanHave) {
    for (const std::string& info :
         {std::string(), std::string("\n\n"), std::string("name=org.example.App\n"),
          std::string("[Runtime]\nname=org.example.App\n"), std::string("[Application]\nname=\n"),
          std::string("[Application]\nname=a b\n"), std::string("[Application]\nname=a\0b\n", 22),
          "[Application]\nname=" + std::string(kMaxApplicationNameBytes + 1, 'a')}) {
        EXPECT_EQ(flatpak_name(info), "") << info;
    }
}

TEST(SnapLabel, TellsTheSnapsInstance) {
    for (const auto& [label, name] : std::initializer_list<std::pair<std::string, std::string>>{
             {"snap.example.app (enforce)\n", "example"},
             {"snap.example-2_key.hook.configure (complain)", "example-2_key"},
             {"snap.example.app//child (enforce)", "example"},
             {"/usr/lib/snapd/snap-confine//&snap.example.app (enforce)", "example"},
             {":root//lxd:snap.example.app (enforce)", "example"},
             {"snap.Example.app (enforce)", ""},
             {"snap..app (enforce)", ""},
             {"snap.example", ""},
             {"snap." + std::string(kMaxApplicationNameBytes + 1, 'a') + ".app", ""}}) {
        EXPECT_TRUE(read_snap_label(label).is_snap) << label;
        EXPECT_EQ(read_snap_label(label).name, name) << label;
    }
    for (const char* label : {"", "unconfined\n", "firefox (enforce)", "unconfined_u:unconfined_r:unconfined_t:s0\n",
                              "/usr/bin/snap.example.app (enforce)", "snapd", "//&", ":", ":a:", "_"}) {
        EXPECT_FALSE(read_snap_label(label).is_snap) << label;
    }
}

TEST(UnitApplication, IsThatOfTheInnermostUnit) {
    for (const auto& [path, name] : std::initializer_list<std::pair<const char*, const char*>>{
             {"/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.example.App-1234.scope",
              "org.example.App"},
             {"/user@1000.service/app.slice/app-gnome-org.example.App-1234.scope", "org.example.App"},
             {"/user@1000.service/app.slice/app-flatpak-org.example.App-1234.scope", "org.example.App"},
             {"/app.slice/app-org.example.App@autostart.service", "org.example.App"},
             {"/app.slice/app-KDE-org.example.App@3f4.service", "org.example.App"},
             {"/app.slice/app-org.example.App.service", "org.example.App"},
             {"/app.slice/app-gnome-org.example.App.service/tab1", "org.example.App"},
             {"/app.slice/app-a\\x2db-org.example\\x2dApp-1.scope", "org.example\\x2dApp"},
             // A terminal's children have units of their own, which are no app's.
             {"/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope", ""},
             {"/app.slice/app-org.example.App-1.scope/init.scope", ""},
             {"/app.slice/app-org.example.App.slice", ""},
             {"/session.slice/llmd.service", ""},
             {"/app-.service", ""},
             {"/app-@a.service", ""},
             {"/app-1.scope", ""},
             {"/app--1.scope", ""},
             {"/app.service", ""},
             {"/.scope", ""},
             {"/", ""}}) {
        EXPECT_EQ(unit_application(std::string("0::") + path + "\n"), name) << path;
    }
}

TEST(UnitApplication, IsInTheHierarchyThatSystemdHas) {
    EXPECT_EQ(unit_application("2:cpu:/app-no.service\n1:name=systemd:/app-org.example.App.service\n0::/\n"),
              "org.example.App");
    for (const char* nothing : {"", "\n", "0", "0:", "0::", "::", "2:cpu:/app-no.service\n"}) {
        EXPECT_EQ(unit_application(nothing), "") << nothing;
    }
}

}  // namespace
}  // namespace llmd::api
