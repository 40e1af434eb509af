// Proves what a process in the sandbox can still do: a child enters the sandbox, tries, and answers by its exit status.
// If the kernel lacks Landlock or seccomp, the result must say so, and what that would have refused succeeds.
#include "engine/server/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <vector>

#include "support/system_calls.h"

namespace llmd::engine {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotSandbox = 99;

int errno_of(bool succeeded) {
    return succeeded ? 0 : errno;
}

class SandboxTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-sandbox-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        fs::create_directories(directory_ / "cache");
        fs::create_directories(directory_ / "home");
        std::ofstream(directory_ / "home/letter") << "dear";
        // A child finds out what this kernel offers.
        int pipe[2];
        ASSERT_EQ(::pipe(pipe), 0);
        run([&] {
            const auto held = enter_sandbox({});
            if (!held) return 1;
            return ::write(pipe[1], held->data(), held->size()) < 0 ? 1 : 0;
        });
        ::close(pipe[1]);
        std::array<char, 256> text{};
        ASSERT_GT(::read(pipe[0], text.data(), text.size() - 1), 0);
        ::close(pipe[0]);
        held_ = text.data();
    }
    void TearDown() override { fs::remove_all(directory_); }

    // Returns the wait status of a child that does `what`.
    static int run(const std::function<int()>& what) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(what());
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }
    // Returns the errno that a child in the sandbox gets, 0 if it succeeds.
    int sandboxed(const std::function<int()>& what) {
        const int status = run([&] {
            const auto held =
                enter_sandbox({{directory_ / "cache", directory_ / "absent"}, {"/dev/null", "/dev/absent"}});
            return held ? what() : kCannotSandbox;
        });
        EXPECT_TRUE(WIFEXITED(status)) << status;
        EXPECT_NE(WEXITSTATUS(status), kCannotSandbox);
        return WEXITSTATUS(status);
    }
    // Returns the names of those calls that a child may make once it has entered a sandbox.
    static std::string allowed(const std::vector<test::SystemCall>& calls, const std::function<bool()>& enter) {
        int pipe[2];
        EXPECT_EQ(::pipe(pipe), 0);
        const int status = run([&] {
            if (!enter() || !test::stop_all_calls()) return kCannotSandbox;
            test::write_allowed(pipe[1], calls);
            return 0;
        });
        EXPECT_EQ(status, 0);
        ::close(pipe[1]);
        std::string names;
        std::array<char, 4096> text{};
        for (ssize_t n; (n = ::read(pipe[0], text.data(), text.size())) > 0;) names.append(text.data(), n);
        ::close(pipe[0]);
        return names;
    }
    bool has(const char* part) const { return held_.find(part) != std::string::npos; }

    int open_file(const fs::path& name, int flags) { return errno_of(::open(name.c_str(), flags, 0600) >= 0); }

    fs::path directory_;
    std::string held_;
};

TEST_F(SandboxTest, FilesAreWrittenOnlyInTheCache) {
    const int refused = has("Landlock") ? EACCES : 0;
    EXPECT_EQ(sandboxed([&] { return open_file(directory_ / "cache/new", O_WRONLY | O_CREAT); }), 0);
    EXPECT_EQ(sandboxed([&] { return open_file(directory_ / "cache/new", O_WRONLY | O_TRUNC); }), 0);
    EXPECT_EQ(
        sandboxed([&] {
            return errno_of(::rename((directory_ / "cache/new").c_str(), (directory_ / "cache/newer").c_str()) == 0);
        }),
        0);
    EXPECT_EQ(sandboxed([&] { return errno_of(::unlink((directory_ / "cache/newer").c_str()) == 0); }), 0);

    EXPECT_EQ(sandboxed([&] { return open_file(directory_ / "home/letter", O_RDONLY); }), 0) << "models lie anywhere";
    EXPECT_EQ(sandboxed([&] { return open_file(directory_ / "home/letter", O_WRONLY); }), refused);
    EXPECT_EQ(sandboxed([&] { return open_file(directory_ / "home/new", O_WRONLY | O_CREAT); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::mkdir((directory_ / "home/sub").c_str(), 0700) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::symlink("/etc", (directory_ / "home/link").c_str()) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::unlink((directory_ / "home/letter").c_str()) == 0); }), refused);
}

TEST_F(SandboxTest, OfDevicesOnlyTheNamedOnesAreWritten) {
    EXPECT_EQ(sandboxed([&] { return open_file("/dev/null", O_RDWR); }), 0);
    EXPECT_EQ(sandboxed([&] { return open_file("/dev/full", O_RDWR); }), has("Landlock") ? EACCES : 0);
}

TEST_F(SandboxTest, NobodyElseIsReached) {
    const int refused = has("seccomp") ? EPERM : 0;
    EXPECT_EQ(sandboxed([] { return errno_of(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0); }), refused);
    EXPECT_EQ(sandboxed([] { return errno_of(::socket(AF_INET, SOCK_STREAM, 0) >= 0); }), refused);
    EXPECT_EQ(sandboxed([] { return errno_of(::kill(::getppid(), 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([] { return errno_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0); }), refused);
}

// The owner of a file may change these, and Landlock does not ask.
TEST_F(SandboxTest, WhatAFileHasBesideItsContentStays) {
    const int refused = has("seccomp") ? EPERM : 0;
    const std::string letter = directory_ / "home/letter";
    const char* path = letter.c_str();
    EXPECT_EQ(sandboxed([&] { return errno_of(::chmod(path, 0644) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::fchmodat(AT_FDCWD, path, 0644, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::fchmod(::open(path, O_RDONLY), 0644) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::chown(path, ::getuid(), ::getgid()) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::lchown(path, ::getuid(), ::getgid()) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::fchownat(AT_FDCWD, path, ::getuid(), ::getgid(), 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::utimensat(AT_FDCWD, path, nullptr, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::utimes(path, nullptr) == 0); }), refused);
    if (refused == 0) return;  // not every file system has attributes, and not every kernel the newer calls
    EXPECT_EQ(sandboxed([&] { return errno_of(::setxattr(path, "user.a", "b", 1, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::lsetxattr(path, "user.a", "b", 1, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::removexattr(path, "user.a") == 0); }), refused);
}

// Caches tell so what was used last.
TEST_F(SandboxTest, TimesAreSetThroughADescriptor) {
    EXPECT_EQ(sandboxed([&] {
                  const int fd = ::open((directory_ / "cache/used").c_str(), O_WRONLY | O_CREAT, 0600);
                  return errno_of(::futimens(fd, nullptr) == 0);
              }),
              0);
}

TEST_F(SandboxTest, OtherProcessesAreNeitherLimitedNorPinnedNorSignalled) {
    const int refused = has("seccomp") ? EPERM : 0;
    const pid_t other = ::getpid();  // of this test: the sandboxed child may signal and limit it as its user
    const auto set = [](pid_t pid) {
        cpu_set_t cpus;
        if (::sched_getaffinity(pid, sizeof cpus, &cpus) != 0) return errno;
        return errno_of(::sched_setaffinity(pid, sizeof cpus, &cpus) == 0);
    };
    EXPECT_EQ(sandboxed([&] { return set(other); }), refused);
    EXPECT_EQ(sandboxed([&] { return set(0); }), 0) << "a thread pins itself";
    EXPECT_EQ(sandboxed([&] { return errno_of(::prlimit(other, RLIMIT_CORE, nullptr, nullptr) == 0); }), refused);
    EXPECT_EQ(sandboxed([] {
                  rlimit limit{};
                  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return errno;
                  return errno_of(::setrlimit(RLIMIT_CORE, &limit) == 0);
              }),
              0);
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    EXPECT_EQ(sandboxed([&] { return errno_of(::setpriority(PRIO_PROCESS, 0, nice) == 0); }), 0);
    if (refused == 0) return;  // these would reach further than this test
    EXPECT_EQ(sandboxed([&] { return errno_of(::setpriority(PRIO_USER, 0, nice) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::syscall(SYS_tgkill, other, other, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([&] { return errno_of(::syscall(SYS_tkill, other, 0) == 0); }), refused);
    EXPECT_EQ(sandboxed([] { return errno_of(::shmget(IPC_PRIVATE, 1, 0600) >= 0); }), refused);
    EXPECT_EQ(sandboxed([] { return errno_of(::syscall(SYS_fanotify_init, 0, 0) >= 0); }), refused);
}

// Whoever enters any of them: the serving engine, an inspection, a conversion. Prints what the engine may do.
TEST_F(SandboxTest, EveryCallOnOthersIsRefusedInEachSandbox) {
    if (!has("seccomp")) GTEST_SKIP() << "this kernel has no seccomp";
    struct Sandbox {
        const char* name;
        std::function<bool()> enter;
    };
    const Sandbox sandboxes[] = {
        {"engine", [] { return static_cast<bool>(enter_sandbox({})); }},
        {"inspection", [] { return static_cast<bool>(enter_inspection_sandbox()); }},
        {"conversion", [] { return static_cast<bool>(enter_conversion_sandbox()); }},
    };
    const auto of_others = test::calls_on_others(::getppid());
    const auto all = test::all_calls();
    for (const auto& [name, enter] : sandboxes) {
        EXPECT_EQ(allowed(of_others, enter), "") << name;
        std::printf("%s, allowed: %s\n", name, allowed(all, enter).c_str());
    }
    // The same question outside of them.
    const auto no_privileges = [] { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; };
    EXPECT_NE(allowed(of_others, no_privileges).find("fchmodat2 "), std::string::npos);
    EXPECT_NE(allowed(all, sandboxes[0].enter).find("futex "), std::string::npos);
    EXPECT_EQ(allowed({{"socket", SYS_socket, {AF_UNIX, SOCK_STREAM}}}, sandboxes[0].enter), "");
}

// A file is inspected and converted in the same sandbox.
TEST_F(SandboxTest, AnInspectorWritesNoFileAndReachesNobody) {
    for (const auto enter : {enter_inspection_sandbox, enter_conversion_sandbox}) {
        const auto inside = [&](const std::function<int()>& what) {
            return WEXITSTATUS(run([&] { return enter() ? what() : kCannotSandbox; }));
        };
        EXPECT_EQ(inside([&] { return open_file(directory_ / "home/letter", O_RDONLY); }), 0);
        EXPECT_EQ(inside([&] { return open_file(directory_ / "home/letter", O_WRONLY); }),
                  has("Landlock") ? EACCES : 0);
        EXPECT_EQ(inside([] { return errno_of(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0); }), has("seccomp") ? EPERM : 0);
        EXPECT_EQ(inside([] { return errno_of(::kill(::getppid(), 0) == 0); }), has("seccomp") ? EPERM : 0);
    }
}

TEST_F(SandboxTest, WhatADriverStartsIsSandboxedToo) {
    const int status = sandboxed([&] {
        const int inner = run([&] {
            ::execl("/bin/sh", "sh", "-c", ("echo x >" + (directory_ / "home/new").string()).c_str(), nullptr);
            return 0;
        });
        return WIFEXITED(inner) && WEXITSTATUS(inner) != 0 ? EACCES : 0;
    });
    EXPECT_EQ(status, has("Landlock") ? EACCES : 0);
    EXPECT_EQ(fs::exists(directory_ / "home/new"), !has("Landlock"));
}

// llmd goes by the signal that ends an engine.
TEST_F(SandboxTest, AnAbortIsStillAnAbort) {
    const int status = run([] {
        if (!enter_sandbox({})) return kCannotSandbox;
        std::abort();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_F(SandboxTest, CachesAreMadeBelowTheUsersAndToldToDrivers) {
    const int status = run([&] {
        const std::string cache = directory_ / "home/.cache";
        ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        ::setenv("POCL_CACHE_DIR", (directory_ / "elsewhere").c_str(), 1);
        for (const char* name : {"MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH"}) ::unsetenv(name);
        ::setenv("TMPDIR", "/tmp", 1);
        fs::create_directories(cache + "/llmd/prefixes");
        fs::permissions(cache + "/llmd/prefixes", fs::perms(0755));
        const auto paths = prepare_writable_paths();
        if (fs::status(cache + "/llmd/prefixes").permissions() != fs::perms(0700)) return 2;  // prompts are in there
        const bool right = paths.directories.size() == 5 && ::getenv("MESA_SHADER_CACHE_DIR") == cache + "/llmd/mesa" &&
                           ::getenv("CUDA_CACHE_PATH") == cache + "/llmd/nvidia" &&
                           ::getenv("TMPDIR") == cache + "/llmd/tmp" && fs::is_directory(directory_ / "elsewhere") &&
                           fs::is_directory(cache + "/llmd/tmp");
        return right ? 0 : 1;
    });
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace llmd::engine
