#include "base/process_limits.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/unique_fd.h"

namespace llmd::base {

namespace {

constexpr int kNice = 5;
constexpr int kOomScoreAdj = 500;  // of 1000: llmd and its engine can be started again, apps lose what the user typed

// glibc's own at a process's beginning. Saying it keeps it from growing.
constexpr int kMmapThresholdBytes = 128 << 10;

// From linux/ioprio.h, which is newer than the kernels' other headers.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioClassIdle = 3;
constexpr int kIoprioClassShift = 13;

// systemd sets it in the process that it executes itself; children that inherit the variable have another id.
bool started_by_systemd() {
    const char* pid = std::getenv("SYSTEMD_EXEC_PID");
    return pid && std::to_string(::getpid()) == pid;
}

void raise_oom_score() {
    const UniqueFd file(::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC));
    std::array<char, 16> text{};
    if (!file || ::read(file.get(), text.data(), text.size() - 1) <= 0) return;
    if (std::atoi(text.data()) >= kOomScoreAdj) return;
    const std::string wanted = std::to_string(kOomScoreAdj);
    if (::pwrite(file.get(), wanted.data(), wanted.size(), 0) < 0) return;
}

}  // namespace

void apply_background_limits() {
    if (started_by_systemd()) return;
    errno = 0;
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    if (errno == 0 && nice < kNice) ::setpriority(PRIO_PROCESS, 0, kNice);
    ::syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, kIoprioClassIdle << kIoprioClassShift);
    raise_oom_score();
    ::umask(077);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void give_memory_back() {
#ifdef M_MMAP_THRESHOLD
    ::mallopt(M_MMAP_THRESHOLD, kMmapThresholdBytes);
#endif
}

void forbid_core_dumps() {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace llmd::base
