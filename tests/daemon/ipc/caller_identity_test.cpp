#include "ipc/dbus/caller_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace llmd::ipc {
namespace {

TEST(IsSandboxed, ThisProcessIsNot) {
    EXPECT_FALSE(is_sandboxed(::getpid()));
}

TEST(IsSandboxed, WhatCannotBeLookedAtIs) {
    EXPECT_TRUE(is_sandboxed(-1));
    EXPECT_TRUE(is_sandboxed(0));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(is_sandboxed(child)) << "it has ended";
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(is_sandboxed(child)) << "nobody has its number";
}

}  // namespace
}  // namespace llmd::ipc
