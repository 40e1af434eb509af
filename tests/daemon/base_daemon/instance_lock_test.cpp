#include "base/instance_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace llmd::base {
namespace {

using std::chrono::milliseconds;

class InstanceLockTest : public testing::Test {
protected:
    InstanceLockTest() {
        std::string pattern = testing::TempDir() + "lock-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~InstanceLockTest() override { std::filesystem::remove_all(folder_); }
    std::string folder_;
};

TEST_F(InstanceLockTest, TheSecondIsToldWhoHoldsIt) {
    const auto first = lock_instance(folder_ + "/llmd", milliseconds(0));
    ASSERT_TRUE(first) << first.error().message;
    const auto second = lock_instance(folder_ + "/llmd", milliseconds(0));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::NotAllowed);
    EXPECT_NE(second.error().message.find("(process " + std::to_string(::getpid()) + ")"), std::string::npos)
        << second.error().message;
}

TEST_F(InstanceLockTest, IsFreeAgainWhenTheHolderHasGone) {
    ASSERT_TRUE(lock_instance(folder_ + "/llmd", milliseconds(0)));  // held until the end of this line
    EXPECT_TRUE(lock_instance(folder_ + "/llmd", milliseconds(0)));
    struct stat info = {};
    ASSERT_EQ(::stat((folder_ + "/llmd").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(InstanceLockTest, WithoutARuntimeDirectoryItSaysSo) {
    const auto lock = lock_instance(folder_ + "/none/llmd", milliseconds(0));
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().code, ErrorCode::NotReady);
}

}  // namespace
}  // namespace llmd::base
