// Which process a socket is of, and in what order and how far it is searched for.
#include "client/socket_finder.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/result.h"
#include "base/unique_fd.h"
#include "support/temporary_directory.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

class SocketFinderTest : public testing::Test {
protected:
    void open(pid_t process, size_t descriptor, const std::string& target) const {
        const std::string folder = base::concat(proc_.path(), '/', process, "/fd");
        fs::create_directories(folder);
        fs::create_symlink(target, base::concat(folder, '/', descriptor));
    }
    void close(pid_t process) const { fs::remove_all(base::concat(proc_.path(), '/', process)); }

    const test::TemporaryDirectory proc_;
    SocketFinder finder_{proc_.path()};
};

TEST_F(SocketFinderTest, FindsThisProcessInTheKernelsFiles) {
    std::array<int, 2> ends;
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const base::UniqueFd one(ends[0]);
    const base::UniqueFd other(ends[1]);
    struct stat info = {};
    ASSERT_EQ(::fstat(one.get(), &info), 0);
    SocketFinder finder;
    EXPECT_EQ(finder.process_of(static_cast<uint32_t>(info.st_ino)), ::getpid());
    EXPECT_EQ(finder.process_of(0), 0);
}

TEST_F(SocketFinderTest, GoesByTheWholeNameOfTheLink) {
    open(10, 0, "/dev/null");
    open(10, 1, "socket:[1234]");
    open(10, 2, "pipe:[123]");
    open(10, 3, std::string(300, 'x'));
    open(11, 7, "socket:[123]");
    fs::create_directories(proc_.path() + "/self/fd");
    fs::create_directories(proc_.path() + "/12");
    EXPECT_EQ(finder_.process_of(123), 11);
    EXPECT_EQ(finder_.process_of(1234), 10);
    EXPECT_EQ(finder_.process_of(12), 0);
    EXPECT_EQ(SocketFinder(proc_.path() + "/none").process_of(123), 0);
}

TEST_F(SocketFinderTest, LooksAtTheYoungestFirstAndThenWhereItHasFoundOne) {
    open(9, 0, "socket:[1]");
    open(10, 0, "socket:[1]");
    EXPECT_EQ(finder_.process_of(1), 10);
    open(11, 0, "socket:[1]");
    EXPECT_EQ(finder_.process_of(1), 10) << "found before";
    close(10);
    EXPECT_EQ(finder_.process_of(1), 11);
    close(11);
    EXPECT_EQ(finder_.process_of(1), 9);
}

TEST_F(SocketFinderTest, RemembersAsManyAsAreInUseTogether) {
    for (pid_t process = 1; process <= 10; ++process) {
        open(process, 0, base::concat("socket:[", process, ']'));
        EXPECT_EQ(finder_.process_of(static_cast<uint32_t>(process)), process);
    }
    // A socket that all have is found in the one that was found last of those that are remembered.
    for (pid_t process = 1; process <= 11; ++process) open(process, 1, "socket:[99]");
    EXPECT_EQ(finder_.process_of(99), 10);
    for (pid_t process = 4; process <= 10; ++process) close(process);
    EXPECT_EQ(finder_.process_of(99), 3);
    close(3);
    EXPECT_EQ(finder_.process_of(99), 11) << "the first two are forgotten";
}

TEST_F(SocketFinderTest, LooksAtFewerLinksWhereItFindsNothing) {
    open(10, 0, "socket:[1]");
    for (size_t i = 0; i < SocketFinder::kMinLinks; ++i) open(20, i, "/dev/null");
    EXPECT_EQ(finder_.process_of(1), 10);
    SocketFinder other(proc_.path());
    for (size_t most = SocketFinder::kMaxLinks; most > SocketFinder::kMinLinks; most /= 2) {
        EXPECT_EQ(other.process_of(2), 0);
    }
    EXPECT_EQ(other.process_of(1), 0) << "behind the most links that are looked at now";
    open(30, 0, "socket:[3]");
    EXPECT_EQ(other.process_of(3), 30);
    EXPECT_EQ(other.process_of(1), 10) << "it has found one";
}

}  // namespace
}  // namespace llmd::client
