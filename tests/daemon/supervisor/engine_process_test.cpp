// The things that a child gets from llmd, and above all those that it does not get.
#include "supervisor/engine_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/temporary_directory.h"

namespace llmd::supervisor {
namespace {

using test::TemporaryDirectory;

struct Answer {
    int status = -1;
    std::string output;
};

// Runs a shell command as llmd runs an inspection: its output comes through the passed descriptor.
Answer run_shell(const std::string& command) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const base::UniqueFd output(ends[0]);
    base::UniqueFd input(ends[1]);
    auto child = spawn("/bin/sh", {"-c", command}, PassedFd{input.get(), STDOUT_FILENO});
    EXPECT_TRUE(child) << child.error().message;
    input.reset();
    Answer answer;
    char bytes[4096];
    for (ssize_t n; (n = ::read(output.get(), bytes, sizeof(bytes))) > 0;)
        answer.output.append(bytes, static_cast<size_t>(n));
    pollfd ended{child->pidfd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, -1), 1);
    answer.status = reap_child(child->pid);
    return answer;
}

TEST(Spawn, KeepsNoDescriptorButTheStandardOnesAndThePassedOne) {
    const base::UniqueFd leak(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC, as if inherited
    ASSERT_GT(leak.get(), 2);
    const Answer answer = run_shell(
        "for fd in 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do [ -e /proc/$$/fd/$fd ] && echo leaked $fd; done;"
        "readlink /proc/$$/fd/0");
    EXPECT_EQ(answer.output, "/dev/null\n");
}

TEST(Spawn, TheSocketIsNumberThree) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const base::UniqueFd output(ends[0]);
    base::UniqueFd input(ends[1]);
    auto child = spawn("/bin/sh", {"-c", "echo hello >&3"}, PassedFd{input.get(), kSocketFd});
    ASSERT_TRUE(child);
    input.reset();
    char bytes[16];
    ASSERT_EQ(::read(output.get(), bytes, sizeof(bytes)), 6);
    EXPECT_EQ(std::string(bytes, 6), "hello\n");
    pollfd ended{child->pidfd.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&ended, 1, -1), 1);
    EXPECT_EQ(reap_child(child->pid), 0);
}

TEST(Spawn, CleansTheEnvironment) {
    constexpr const char* kNames[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",         "LISTEN_FDS",
                                      "LISTEN_PID",    "LLMD_KEPT",     "MEMORY_PRESSURE_WATCH"};
    for (const char* name : kNames) ::setenv(name, "x", 1);
    const Answer answer = run_shell("env");
    EXPECT_NE(answer.output.find("LLMD_KEPT=x"), std::string::npos);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_", "LISTEN_", "MEMORY_PRESSURE_"}) {
        EXPECT_EQ(answer.output.find(name), std::string::npos) << name;
    }
    for (const char* name : kNames) ::unsetenv(name);
}

std::string field(const std::string& status, const std::string& name) {
    const size_t begin = status.find(name);
    return begin == std::string::npos ? "" : status.substr(begin, status.find('\n', begin) - begin);
}

TEST(Spawn, ResetsSignalsAndLeadsAProcessGroup) {
    struct sigaction ignore = {};
    struct sigaction before = {};
    ignore.sa_handler = SIG_IGN;
    ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    ASSERT_EQ(::sigprocmask(SIG_BLOCK, &blocked, &mask), 0);
    const Answer answer = run_shell("echo $$; cat /proc/self/stat; cat /proc/self/status");
    ASSERT_EQ(::sigprocmask(SIG_SETMASK, &mask, nullptr), 0);
    ASSERT_EQ(::sigaction(SIGPIPE, &before, nullptr), 0);

    EXPECT_EQ(field(answer.output, "SigBlk:"), "SigBlk:\t0000000000000000");
    EXPECT_EQ(field(answer.output, "SigIgn:"), "SigIgn:\t0000000000000000");
    std::istringstream words(answer.output.substr(0, answer.output.find("Name:")));
    std::string shell, pid, name, state, parent, group;
    words >> shell >> pid >> name >> state >> parent >> group;
    EXPECT_EQ(group, shell);
}

int oom_score_adj(const std::string& process) {
    int score = -1;
    std::ifstream("/proc/" + process + "/oom_score_adj") >> score;
    return score;
}

// The child of the next test does this in llmd's place: an ordinary user's process whose memory nobody may read.
// Returns 0 when the engine's score is as far above its own as it should be.
int start_engine_as_llmd_does(const std::string& engine_path) {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0))
        return 2;
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return 3;
    const auto launcher = make_process_launcher(engine_path);
    const auto engine = launcher->launch();
    if (!engine) return 4;
    pollfd first_frame{engine->socket.get(), POLLIN, 0};
    if (::poll(&first_frame, 1, -1) != 1 || (first_frame.revents & POLLHUP) != 0) return 5;
    const int score = oom_score_adj(std::to_string(engine->pid));
    launcher->kill(*engine);
    launcher->reap(*engine);
    return score == std::min(oom_score_adj("self") + 300, 1000) ? 0 : 6;
}

TEST(ProcessLauncher, TheEngineIsKilledBeforeLlmdWhenMemoryRunsOut) {
    // A copy that every user can reach.
    const TemporaryDirectory folder;
    const std::string engine_path = folder.path() + "/llmd-engine";
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::copy_file(LLMD_ENGINE, engine_path);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(start_engine_as_llmd_does(engine_path));
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "step " << WEXITSTATUS(status);
}

TEST(Spawn, KillEndsTheWholeGroup) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const base::UniqueFd output(ends[0]);
    base::UniqueFd input(ends[1]);
    // A child of the child holds the pipe open, too.
    auto child =
        spawn("/bin/sh", {"-c", "cat /dev/zero >/dev/null & echo; wait"}, PassedFd{input.get(), STDOUT_FILENO});
    ASSERT_TRUE(child);
    input.reset();
    char byte;
    ASSERT_EQ(::read(output.get(), &byte, 1), 1);
    kill_child(child->pid);
    EXPECT_EQ(::read(output.get(), &byte, 1), 0);  // end of file: nobody holds it any more
    pollfd ended{child->pidfd.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&ended, 1, -1), 1);
    const int status = reap_child(child->pid);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Spawn, SaysWhatCannotBeRun) {
    const auto missing = spawn("/nonexistent", {}, PassedFd{0, kSocketFd});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "cannot run /nonexistent: No such file or directory");
    EXPECT_FALSE(spawn("/etc/passwd", {}, PassedFd{0, kSocketFd}));
}

}  // namespace
}  // namespace llmd::supervisor
