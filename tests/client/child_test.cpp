// How a child's end is reported, and that none outlives its limit.
#include "client/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace llmd::client {
namespace {

using namespace std::chrono_literals;

// Only a hang takes so long.
constexpr auto kTimeout = 300s;

TEST(Child, IsReadToItsEnd) {
    const ChildEnd end = run_child({"sh", "-c", "cat; printf 'a%s' b; echo lost >&2"}, kTimeout);
    EXPECT_EQ(end.output, "ab");
    EXPECT_EQ(end.status, 0);
    EXPECT_EQ(end.fault, "");
}

TEST(Child, InheritsNoOtherFile) {
    const int inherited = ::dup(STDERR_FILENO);  // without O_CLOEXEC
    const ChildEnd end =
        run_child({"sh", "-c", "[ -e /proc/self/fd/" + std::to_string(inherited) + " ] && echo open"}, kTimeout);
    ::close(inherited);
    EXPECT_EQ(end.output, "");
}

TEST(Child, TellsHowItEnded) {
    const ChildEnd failed = run_child({"sh", "-c", "echo x; exit 3"}, kTimeout);
    EXPECT_EQ(failed.output, "x\n");
    EXPECT_EQ(failed.status, 3);
    EXPECT_EQ(failed.fault, "ended with status 3");
    const ChildEnd killed = run_child({"sh", "-c", "kill -ABRT $$"}, kTimeout);
    EXPECT_EQ(killed.status, std::nullopt);
    EXPECT_EQ(killed.fault, "was killed by signal 6 (Aborted)");
    EXPECT_TRUE(run_child({"/nonexistent/program"}, kTimeout).fault.starts_with("did not start: "));
}

TEST(Child, IsKilledWithAllThatItStarted) {
    // The grandchild holds the output open.
    const ChildEnd end = run_child({"sh", "-c", "echo begun; sleep 1000 & sleep 1000"}, 1ms);
    EXPECT_EQ(end.status, std::nullopt);
    EXPECT_EQ(end.fault, "did not end within 1 s");
}

TEST(Child, KeepsNoMoreThanItMay) {
    const ChildEnd end = run_child({"head", "-c", std::to_string(kMaxChildOutput + 1), "/dev/zero"}, kTimeout);
    EXPECT_EQ(end.output.size(), kMaxChildOutput);
    EXPECT_EQ(end.status, 0);
}

}  // namespace
}  // namespace llmd::client
