#include "http/listening_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "daemon/service/service_fixture.h"

namespace llmd::http {
namespace {

using base::ErrorCode;

class ListeningSocketTest : public testing::Test {
protected:
    mode_t mode(const std::string& path) {
        struct stat info = {};
        EXPECT_EQ(::stat(path.c_str(), &info), 0);
        return info.st_mode & 07777;
    }
    test::TemporaryDirectory folder_;
    const std::string path_ = folder_.path() + "/llmd.sock";
};

TEST_F(ListeningSocketTest, IsClosedToOthersWhateverTheFolderWas) {
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    const mode_t umask = ::umask(0);
    EXPECT_TRUE(listen_at(path_));
    ::umask(umask);
    EXPECT_EQ(mode(path_), 0600u);
    EXPECT_EQ(mode(folder_.path()), 0700u);
}

TEST_F(ListeningSocketTest, ReplacesOnlyWhatNobodyListensOn) {
    auto first = listen_at(path_);
    ASSERT_TRUE(first);
    const auto second = listen_at(path_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::NotAllowed);
    first = base::UniqueFd();  // as an llmd that was killed leaves it
    EXPECT_TRUE(listen_at(path_));
}

TEST_F(ListeningSocketTest, LeavesEverythingElseAlone) {
    folder_.write("llmd.sock", "precious");
    EXPECT_EQ(listen_at(path_).error().code, ErrorCode::NotReady);
    EXPECT_EQ(mode(path_) & 0200, 0200u);
    EXPECT_FALSE(listen_at(folder_.path() + "/none/deeper/llmd.sock"));
    EXPECT_FALSE(listen_at(folder_.path() + "/" + std::string(200, 'x')));
}

TEST_F(ListeningSocketTest, MakesItsFolderForTheOwnerAlone) {
    const mode_t umask = ::umask(0);
    EXPECT_TRUE(listen_at(folder_.path() + "/new/llmd.sock"));
    ::umask(umask);
    EXPECT_EQ(mode(folder_.path() + "/new"), 0700u);
}

TEST_F(ListeningSocketTest, NothingIsInheritedUnlessSaid) {
    const auto none = inherited_sockets();
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->main);
    EXPECT_FALSE(none->bridge);
}

}  // namespace
}  // namespace llmd::http
