#include "client/child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/unique_fd.h"

namespace llmd::client {
namespace {

using Clock = std::chrono::steady_clock;

// A process that has been killed ends at once, unless the kernel itself is stuck on its behalf.
constexpr std::chrono::seconds kKillTime{1};

// posix_spawn's settings, which must be given back.
struct Plan {
    Plan() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~Plan() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
};

constexpr std::chrono::milliseconds kChildTick{200};

// 0, or errno. `read` is what is read of it; with `writes_to` that is its standard error.
int start(const std::vector<std::string>& command, int read, std::optional<int> writes_to, pid_t& pid) {
    Plan plan;
    posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.actions, writes_to.value_or(read), STDOUT_FILENO);
    if (writes_to) {
        posix_spawn_file_actions_adddup2(&plan.actions, read, STDERR_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&plan.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    // Descriptors that a library has opened without O_CLOEXEC, as libcurl does its connections, are none of the child's
    // business. A kernel before 5.11 does not know the call.
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGPIPE}) sigaddset(&defaults, signal);  // as llmctl has set them
    posix_spawnattr_setsigdefault(&plan.attributes, &defaults);
    posix_spawnattr_setpgroup(&plan.attributes, 0);
    posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return posix_spawnp(&pid, argv.front(), &plan.actions, &plan.attributes, argv.data(), environ);
}

// False when the deadline has passed.
bool wait_for(int fd, Clock::time_point deadline, const std::function<void()>& tick = nullptr) {
    while (true) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        const bool ticks = tick && left > kChildTick;
        if (ticks) left = kChildTick;
        pollfd waited{fd, POLLIN, 0};
        const int ready = ::poll(&waited, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
        if (ready > 0) return true;
        if (ticks) tick();
        if (ready == 0 ? !ticks : errno != EINTR) return false;
    }
}

// Up to the output's end. False when the deadline has passed.
bool read_output(int fd, Clock::time_point deadline, const std::function<void()>& tick, std::string& output) {
    std::array<char, 16384> bytes;
    while (wait_for(fd, deadline, tick)) {
        const ssize_t n = ::read(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        output.append(bytes.data(), std::min(static_cast<size_t>(n), kMaxChildOutput - output.size()));
    }
    return false;
}

ChildEnd run(const std::vector<std::string>& command, std::chrono::milliseconds limit, std::optional<int> writes_to,
             const std::function<void()>& tick) {
    ChildEnd end;
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        end.fault = std::string("did not start: pipe: ") + std::strerror(errno);
        return end;
    }
    const base::UniqueFd ours(ends[0]);
    base::UniqueFd theirs(ends[1]);
    pid_t pid = -1;
    if (const int error = start(command, theirs.get(), writes_to, pid); error != 0) {
        end.fault = std::string("did not start: ") + std::strerror(error);
        return end;
    }
    theirs.reset();
    const Clock::time_point deadline = Clock::now() + limit;
    const base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) {
        end.fault = std::string("was ended, for its limit cannot be kept: pidfd_open: ") + std::strerror(errno);
        ::kill(-pid, SIGKILL);
        return end;
    }
    const bool in_time = read_output(ours.get(), deadline, tick, end.output) && wait_for(pidfd.get(), deadline);
    ::kill(-pid, SIGKILL);
    int status = 0;
    const bool ended = wait_for(pidfd.get(), Clock::now() + kKillTime);
    while (ended && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time || !ended) {
        end.fault =
            "did not end within " + std::to_string(std::chrono::ceil<std::chrono::seconds>(limit).count()) + " s";
    } else if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        end.fault = "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ')';
    } else {
        end.status = WEXITSTATUS(status);
        if (*end.status != 0) end.fault = "ended with status " + std::to_string(*end.status);
    }
    return end;
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command, std::chrono::milliseconds limit) {
    return run(command, limit, std::nullopt, nullptr);
}

ChildEnd run_child_into(int writes_to, const std::vector<std::string>& command, std::chrono::milliseconds limit,
                        const std::function<void()>& tick) {
    return run(command, limit, writes_to, tick);
}

}  // namespace llmd::client
