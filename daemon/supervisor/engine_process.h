// Starting llmd-engine processes: to serve (make_process_launcher in engine_link.h) and to inspect a file.
// Needs Linux 5.3 for pidfd_open(), which every kernel that phones still get has; there is no second way.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::supervisor {

struct ChildProcess {
    pid_t pid = -1;
    base::UniqueFd pidfd;  // readable when the process has ended
};

// A descriptor of llmd's that a child gets, and the number it has there: STDOUT_FILENO or kSocketFd.
struct PassedFd {
    int fd = -1;
    int number = -1;
};
inline constexpr int kSocketFd = 3;

// Starts `path` with `arguments` (without argv[0]). The child
// - has /dev/null as its input and output, llmd's stderr, the passed descriptor, and no other;
// - leads a process group of its own, so that it and what it started can be killed together;
// - is killed when llmd ends; it raises its oom_score_adj itself, because llmd's /proc files belong to root;
// - has default signal dispositions, an empty signal mask, and llmd's environment without what belongs to llmd alone:
//   NOTIFY_SOCKET, WATCHDOG_*, LISTEN_* and MEMORY_PRESSURE_*.
// Failed when `path` cannot be executed. A later failure to execute it shows as exit status 127.
base::Result<ChildProcess> spawn(const std::string& path, const std::vector<std::string>& arguments, PassedFd passed);

// SIGKILL to its process group. Only before reap_child().
void kill_child(pid_t pid);
// Kills what is left of its process group and returns the wait status. After its pidfd became readable: does not block.
int reap_child(pid_t pid);

}  // namespace llmd::supervisor
