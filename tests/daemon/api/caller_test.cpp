#include "api/caller.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace llmd::api {
namespace {

TEST(Identify, ThisProcessIsOfTheHost) {
    EXPECT_FALSE(identify(::getpid()).sandboxed);
    EXPECT_EQ(identify(::getpid()).application, kHostApplication);
}

TEST(Identify, WhatCannotBeLookedAtIsSandboxedAndOfNoApplication) {
    const auto is_unknown = [](pid_t pid) { return identify(pid).sandboxed && identify(pid).application.empty(); };
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

TEST(ApplicationName, IsThatOfTheApplicationsGroup) {
    EXPECT_EQ(application_name("[Application]\nname=org.example.App\nruntime=r\n\n[Instance]\nname=no\n"),
              "org.example.App");
    EXPECT_EQ(application_name("[Instance]\nname=no\n[Application]\nname=org.example.App-2_b"), "org.example.App-2_b");
}

TEST(ApplicationName, IsEmptyWhereThereIsNoneThatAnAppCanHave) {
    for (const std::string& info :
         {std::string(), std::string("\n\n"), std::string("name=org.example.App\n"),
          std::string("[Runtime]\nname=org.example.App\n"), std::string("[Application]\nname=\n"),
          std::string("[Application]\nname=a b\n"), std::string("[Application]\nname=a\0b\n", 22),
          "[Application]\nname=" + std::string(kMaxFlatpakNameBytes + 1, 'a')}) {
        EXPECT_EQ(application_name(info), "") << info;
    }
}

}  // namespace
}  // namespace llmd::api
