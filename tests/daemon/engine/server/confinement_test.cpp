// What a confined process can still do, tried by one: a child confines itself, tries, and answers by its exit status.
// A kernel that lacks Landlock or seccomp must be said to, and then nothing is refused in its name.
#include "engine/server/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

namespace llmd::engine {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotConfine = 99;

int errno_of(bool succeeded) {
    return succeeded ? 0 : errno;
}

class ConfinementTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-confinement-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        fs::create_directories(folder_ / "cache");
        fs::create_directories(folder_ / "home");
        std::ofstream(folder_ / "home/letter") << "dear";
        // What this kernel offers, as a child finds it.
        int pipe[2];
        ASSERT_EQ(::pipe(pipe), 0);
        run([&] {
            const auto held = confine({});
            if (!held) return 1;
            return ::write(pipe[1], held->data(), held->size()) < 0 ? 1 : 0;
        });
        ::close(pipe[1]);
        std::array<char, 256> text{};
        ASSERT_GT(::read(pipe[0], text.data(), text.size() - 1), 0);
        ::close(pipe[0]);
        held_ = text.data();
    }
    void TearDown() override { fs::remove_all(folder_); }

    // The wait status of a child that does `what`.
    static int run(const std::function<int()>& what) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(what());
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }
    // The errno that a confined child meets, 0 when it succeeds.
    int confined(const std::function<int()>& what) {
        const int status = run([&] {
            const auto held = confine({{folder_ / "cache", folder_ / "absent"}, {"/dev/null", "/dev/absent"}});
            return held ? what() : kCannotConfine;
        });
        EXPECT_TRUE(WIFEXITED(status)) << status;
        EXPECT_NE(WEXITSTATUS(status), kCannotConfine);
        return WEXITSTATUS(status);
    }
    bool has(const char* part) const { return held_.find(part) != std::string::npos; }

    int open_file(const fs::path& name, int flags) { return errno_of(::open(name.c_str(), flags, 0600) >= 0); }

    fs::path folder_;
    std::string held_;
};

TEST_F(ConfinementTest, FilesAreWrittenOnlyInTheCache) {
    const int refused = has("Landlock") ? EACCES : 0;
    EXPECT_EQ(confined([&] { return open_file(folder_ / "cache/new", O_WRONLY | O_CREAT); }), 0);
    EXPECT_EQ(confined([&] { return open_file(folder_ / "cache/new", O_WRONLY | O_TRUNC); }), 0);
    EXPECT_EQ(confined([&] {
                  return errno_of(::rename((folder_ / "cache/new").c_str(), (folder_ / "cache/newer").c_str()) == 0);
              }),
              0);
    EXPECT_EQ(confined([&] { return errno_of(::unlink((folder_ / "cache/newer").c_str()) == 0); }), 0);

    EXPECT_EQ(confined([&] { return open_file(folder_ / "home/letter", O_RDONLY); }), 0) << "models lie anywhere";
    EXPECT_EQ(confined([&] { return open_file(folder_ / "home/letter", O_WRONLY); }), refused);
    EXPECT_EQ(confined([&] { return open_file(folder_ / "home/new", O_WRONLY | O_CREAT); }), refused);
    EXPECT_EQ(confined([&] { return errno_of(::mkdir((folder_ / "home/sub").c_str(), 0700) == 0); }), refused);
    EXPECT_EQ(confined([&] { return errno_of(::symlink("/etc", (folder_ / "home/link").c_str()) == 0); }), refused);
    EXPECT_EQ(confined([&] { return errno_of(::unlink((folder_ / "home/letter").c_str()) == 0); }), refused);
}

TEST_F(ConfinementTest, OfDevicesOnlyTheNamedOnesAreWritten) {
    EXPECT_EQ(confined([&] { return open_file("/dev/null", O_RDWR); }), 0);
    EXPECT_EQ(confined([&] { return open_file("/dev/full", O_RDWR); }), has("Landlock") ? EACCES : 0);
}

TEST_F(ConfinementTest, NobodyElseIsReached) {
    const int refused = has("seccomp") ? EPERM : 0;
    EXPECT_EQ(confined([] { return errno_of(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0); }), refused);
    EXPECT_EQ(confined([] { return errno_of(::socket(AF_INET, SOCK_STREAM, 0) >= 0); }), refused);
    EXPECT_EQ(confined([] { return errno_of(::kill(::getppid(), 0) == 0); }), refused);
    EXPECT_EQ(confined([] { return errno_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0); }), refused);
}

TEST_F(ConfinementTest, WhatADriverStartsIsConfinedToo) {
    const int status = confined([&] {
        const int inner = run([&] {
            ::execl("/bin/sh", "sh", "-c", ("echo x >" + (folder_ / "home/new").string()).c_str(), nullptr);
            return 0;
        });
        return WIFEXITED(inner) && WEXITSTATUS(inner) != 0 ? EACCES : 0;
    });
    EXPECT_EQ(status, has("Landlock") ? EACCES : 0);
    EXPECT_EQ(fs::exists(folder_ / "home/new"), !has("Landlock"));
}

// llmd goes by the signal that ends an engine.
TEST_F(ConfinementTest, AnAbortIsStillAnAbort) {
    const int status = run([] {
        if (!confine({})) return kCannotConfine;
        std::abort();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_F(ConfinementTest, CachesAreMadeBelowTheUsersAndToldToDrivers) {
    const int status = run([&] {
        const std::string cache = folder_ / "home/.cache";
        ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        ::setenv("POCL_CACHE_DIR", (folder_ / "elsewhere").c_str(), 1);
        for (const char* name : {"MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH"}) ::unsetenv(name);
        ::setenv("TMPDIR", "/tmp", 1);
        const auto places = prepare_writable_places();
        const bool right = places.folders.size() == 5 && ::getenv("MESA_SHADER_CACHE_DIR") == cache + "/llmd/mesa" &&
                           ::getenv("CUDA_CACHE_PATH") == cache + "/llmd/nvidia" &&
                           ::getenv("TMPDIR") == cache + "/llmd/tmp" && fs::is_directory(folder_ / "elsewhere") &&
                           fs::is_directory(cache + "/llmd/tmp");
        return right ? 0 : 1;
    });
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace llmd::engine
