#include "supervisor/engine_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "supervisor/engine_link.h"

extern char** environ;

namespace llmd::supervisor {
namespace {

using base::ErrorCode;
using base::fail_errno;

bool belongs_to_llmd(std::string_view variable) {
    constexpr std::array<std::string_view, 4> kPrefixes = {"NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_",
                                                           "MEMORY_PRESSURE_"};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](std::string_view prefix) { return variable.substr(0, prefix.size()) == prefix; });
}

// Everything the child needs, made before fork(): after it only async-signal-safe calls are allowed.
struct ChildPlan {
    const char* path;
    char** argv;
    char** envp;
    PassedFd passed;
    pid_t parent;
};

[[noreturn]] void run_child(const ChildPlan& plan) {
    constexpr int kCannotExecute = 127;  // as a shell reports it
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(kCannotExecute);  // llmd ended before the line above

    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    // Copied above all the numbers that are set below, so that none of the dup2() can hit it; dup2() clears O_CLOEXEC.
    const int passed = ::fcntl(plan.passed.fd, F_DUPFD_CLOEXEC, kSocketFd + 1);
    const int null = ::open("/dev/null", O_RDWR);
    if (passed < 0 || null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(null, STDOUT_FILENO) < 0 ||
        ::dup2(passed, plan.passed.number) < 0) {
        ::_exit(kCannotExecute);
    }
    // Descriptors that llmd itself opened are O_CLOEXEC; this is for those that llmd inherited.
    const int first_closed = std::max(plan.passed.number, STDERR_FILENO) + 1;
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, first_closed, ~0u, 0) != 0)
#endif
    {
        constexpr int kHighestInherited = 1024;  // kernels before 5.9
        for (int fd = first_closed; fd < kHighestInherited; ++fd) ::close(fd);
    }
    ::execve(plan.path, plan.argv, plan.envp);
    ::_exit(kCannotExecute);
}

class ProcessLauncher final : public EngineLauncher {
public:
    explicit ProcessLauncher(std::string engine_path) : engine_path_(std::move(engine_path)) {}

    base::Result<EngineProcess> launch() override {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
            return fail_errno(ErrorCode::Failed, "socketpair for llmd-engine", errno);
        }
        base::UniqueFd own(ends[0]);
        const base::UniqueFd theirs(ends[1]);
        if (::fcntl(own.get(), F_SETFL, O_NONBLOCK) != 0) {
            return fail_errno(ErrorCode::Failed, "O_NONBLOCK for llmd-engine's socket", errno);
        }
        auto child = spawn(engine_path_, {"--socket-fd", std::to_string(kSocketFd)}, PassedFd{theirs.get(), kSocketFd});
        if (!child) return std::move(child).error();
        return EngineProcess{child->pid, std::move(child->pidfd), std::move(own)};
    }
    void kill(const EngineProcess& process) override { kill_child(process.pid); }
    int reap(const EngineProcess& process) override { return reap_child(process.pid); }

private:
    std::string engine_path_;
};

}  // namespace

base::Result<ChildProcess> spawn(const std::string& path, const std::vector<std::string>& arguments, PassedFd passed) {
    if (::access(path.c_str(), X_OK) != 0) return fail_errno(ErrorCode::Failed, "cannot run " + path, errno);

    std::vector<std::string> words = {path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (!belongs_to_llmd(*variable)) envp.push_back(*variable);
    }
    envp.push_back(nullptr);
    const ChildPlan plan{path.c_str(), argv.data(), envp.data(), passed, ::getpid()};

    const pid_t pid = ::fork();
    if (pid < 0) return fail_errno(ErrorCode::Failed, "fork for " + path, errno);
    if (pid == 0) run_child(plan);

    ::setpgid(pid, pid);  // here too: a kill right after this must find the group
    ChildProcess child{pid, base::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
    if (!child.pidfd) {
        const int error = errno;
        kill_child(pid);
        reap_child(pid);
        return fail_errno(ErrorCode::Failed, "pidfd_open for " + path, error);
    }
    return child;
}

void kill_child(pid_t pid) {
    ::kill(-pid, SIGKILL);
}

int reap_child(pid_t pid) {
    // A driver's compiler may have been started in its group. The number is ours until waitpid() below.
    kill_child(pid);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::unique_ptr<EngineLauncher> make_process_launcher(std::string engine_path) {
    return std::make_unique<ProcessLauncher>(std::move(engine_path));
}

}  // namespace llmd::supervisor
