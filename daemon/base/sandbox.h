// The parts of the sandboxes of llmd's programs: Landlock rules, refused system calls and resource limits. Each holds
// for good, for this process and for what it starts. Call them while the process has one thread.
// A kernel that lacks Landlock or seccomp is no error: the functions return what it has. Failed names the call that the
// kernel offers and that failed.
#pragma once

#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace llmd::base {

// Needed before the others: programs that this process starts get no rights that it has not.
Result<void> drop_privileges();

// Landlock's versions, in which it got what newer kernels have.
inline constexpr int kLandlockTcp = 4;      // Linux 6.7
inline constexpr int kLandlockSockets = 9;  // Linux 7.1

// These rules say what a process may do with files and addresses. Paths that do not exist are skipped. An inode is what
// is allowed: if a file may be replaced, its directory has to be named. From Linux 6.12 on the process moreover sends
// no signals to others and reaches no abstract sockets.
struct LandlockRules {
    std::vector<std::filesystem::path> written;  // directories in which everything may change; nothing else does
    std::vector<std::filesystem::path> devices;  // directories and nodes in /dev, for writing and ioctls
    // Each of these does not restrict if it is absent.
    std::optional<std::vector<std::filesystem::path>> read;     // files and directories; no file may be executed
    std::optional<std::vector<std::filesystem::path>> sockets;  // Unix sockets and their directories, to connect to
    std::optional<std::vector<uint16_t>> tcp_ports;             // to connect to; no port may be bound
};
// Returns Landlock's version, or 0 if this kernel has none or it is switched off.
Result<int> enter_landlock(const LandlockRules& rules);

// A system call that fails instead of being made, always or if one of its arguments is so.
struct RefusedCall {
    enum class When : uint8_t { Always, Equals, Differs, Below, Above, LacksBits };
    const char* name;
    int error = EPERM;
    When when = When::Always;
    unsigned argument = 0;  // its number, from 0
    uint64_t value = 0;
    int number = -1;  // of a call that libraries in use do not know yet, while kernels have it
};
// The calls with which a process looks into others, signals, limits or pins them, shares memory by SysV's ids,
// changes owners, modes, attributes and times of files by their paths, changes namespaces and mounts or uses the
// kernel's own facilities. No program of llmd needs them once it is in its sandbox. What this process starts may signal
// this one's threads and not its own.
std::vector<RefusedCall> calls_on_others();
// Refuses all calls of the lists. They fail with an errno instead of killing the process, so that a library that only
// tries one goes on without it. Returns false if this kernel has no seccomp filters.
Result<bool> refuse_calls(std::initializer_list<std::span<const RefusedCall>> lists);

struct ResourceLimit {
    const char* name;
    decltype(RLIMIT_CPU) resource;
    rlim_t value;
};
Result<void> limit_resource(const ResourceLimit& limit);

}  // namespace llmd::base
