// Where the kernel's count of its kills is read, and when a rise explains a death.
#include "platform/oom_kills.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_directory.h"

namespace llmd::platform {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class CountOomKillsTest : public testing::Test {
protected:
    CountOomKillsTest() {
        std::filesystem::create_directories(folder_.path() + "/proc/self");
        std::filesystem::create_directories(folder_.path() + "/cgroups/user/llmd");
        folder_.write("proc/self/cgroup", "4:memory:/old\n0::/user/llmd\n");
    }
    std::optional<uint64_t> count() { return count_oom_kills({folder_.path() + "/proc", folder_.path() + "/cgroups"}); }

    test::TemporaryDirectory folder_;
};

TEST_F(CountOomKillsTest, OfTheNearestGroupThatCountsThenOfTheDevice) {
    EXPECT_EQ(count(), std::nullopt);
    folder_.write("proc/vmstat", "nr_free_pages 1\noom_kill 1\noom_kill_x 9\n");
    EXPECT_EQ(count(), 1u);
    folder_.write("cgroups/memory.events", "low 0\noom 9\noom_kill 2\noom_group_kill 9\n");
    EXPECT_EQ(count(), 2u);
    folder_.write("cgroups/user/memory.events", "oom_kill 3\n");
    EXPECT_EQ(count(), 3u);
    folder_.write("cgroups/user/llmd/memory.events", "oom_kill 4\n");
    EXPECT_EQ(count(), 4u);
    for (const char* root : {"0::/\n", "0::/elsewhere/deep\n"}) {
        folder_.write("proc/self/cgroup", root);
        EXPECT_EQ(count(), 2u) << root;
    }
    folder_.write("proc/self/cgroup", "4:memory:/user/llmd\n");
    EXPECT_EQ(count(), 1u) << "the first version has no such file";
}

TEST_F(CountOomKillsTest, NothingIsReadIntoAnotherForm) {
    for (const char* text : {"", "oom_kill\n", "oom_kill \n", "oom_kill -1\n", "oom_kill 1x\n", "oom_group_kill 1\n",
                             "oom_kill 99999999999999999999\n"}) {
        folder_.write("proc/vmstat", text);
        EXPECT_EQ(count(), std::nullopt) << text;
    }
}

TEST(OomKills, ARiseExplainsTheDeathsAroundIt) {
    OomKills kills;
    base::TimePoint now{hours(1)};
    EXPECT_TRUE(kills.look(7, now)) << "nothing is known of before";
    EXPECT_FALSE(kills.look(7, now += hours(1))) << "somebody else's";
    EXPECT_TRUE(kills.look(9, now += hours(1)));
    EXPECT_TRUE(kills.look(9, now += OomKills::kOneShortage)) << "the second of them";
    EXPECT_FALSE(kills.look(9, now += milliseconds(1)));
    EXPECT_TRUE(kills.look(std::nullopt, now)) << "it cannot be read";
    EXPECT_TRUE(kills.look(9, now)) << "nor could it be before";
    EXPECT_FALSE(kills.look(9, now));
    EXPECT_TRUE(kills.look(1, now)) << "of another group";
    EXPECT_FALSE(kills.look(1, now));
}

}  // namespace
}  // namespace llmd::platform
