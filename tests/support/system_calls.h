// Asks the filters of a process about system calls without making one of them. A second filter has the kernel answer
// ENOSYS to whatever the others allow, because nobody traces this process; an errno of the others goes first.
// Needs seccomp. For a child, which can write and exit afterwards and nothing else.
#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace llmd::test {

struct SystemCall {
    std::string_view name;
    long number;
    std::array<long, 3> arguments = {};
};

// Every way to others and to what files have beside their contents, none of which a program of llmd has in its sandbox.
// `other` is any process but the caller.
inline std::vector<SystemCall> calls_on_others(pid_t other) {
    static const char* const kPath = "/";
    const auto path = reinterpret_cast<long>(kPath);
    std::vector<SystemCall> calls = {
        // Modes, owners, attributes and times of files.
        {"fchmod", SYS_fchmod, {0, 0600}},
        {"fchmodat", SYS_fchmodat, {AT_FDCWD, path, 0600}},
        {"fchmodat2", 452, {AT_FDCWD, path, 0600}},
        {"fchown", SYS_fchown},
        {"fchownat", SYS_fchownat, {AT_FDCWD, path}},
        {"setxattr", SYS_setxattr, {path}},
        {"lsetxattr", SYS_lsetxattr, {path}},
        {"fsetxattr", SYS_fsetxattr},
        {"setxattrat", 463, {AT_FDCWD, path}},
        {"removexattr", SYS_removexattr, {path}},
        {"lremovexattr", SYS_lremovexattr, {path}},
        {"fremovexattr", SYS_fremovexattr},
        {"removexattrat", 466, {AT_FDCWD, path}},
        {"file_setattr", 469, {AT_FDCWD, path}},
        {"utimensat", SYS_utimensat, {AT_FDCWD, path}},
#ifdef SYS_chmod  // all of these where there is this one
        {"chmod", SYS_chmod, {path, 0600}},
        {"chown", SYS_chown, {path}},
        {"lchown", SYS_lchown, {path}},
        {"utime", SYS_utime, {path}},
        {"utimes", SYS_utimes, {path}},
        {"futimesat", SYS_futimesat, {AT_FDCWD, path}},
#endif
        // Limits, processors, priorities and signals of other processes.
        {"prlimit64", SYS_prlimit64, {other, RLIMIT_CORE}},
        {"sched_setaffinity", SYS_sched_setaffinity, {other}},
        {"setpriority of a user", SYS_setpriority, {PRIO_USER}},
        {"setpriority of a group", SYS_setpriority, {PRIO_PGRP}},
        {"kill", SYS_kill, {other}},
        {"kill of all", SYS_kill, {-1}},
        {"tkill", SYS_tkill, {other}},
        {"tgkill", SYS_tgkill, {other, other}},
        {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, {other}},
        {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, {other, other}},
        {"pidfd_send_signal", SYS_pidfd_send_signal},
        // Their memory and descriptors.
        {"ptrace", SYS_ptrace, {PTRACE_ATTACH, other}},
        {"process_vm_readv", SYS_process_vm_readv, {other}},
        {"process_vm_writev", SYS_process_vm_writev, {other}},
        {"process_madvise", SYS_process_madvise},
        {"kcmp", SYS_kcmp, {other, other, KCMP_FILE}},
        {"pidfd_getfd", SYS_pidfd_getfd},
        {"shmget", SYS_shmget},
        {"shmat", SYS_shmat},
        {"shmctl", SYS_shmctl},
        {"semget", SYS_semget},
        {"semop", SYS_semop},
        {"semctl", SYS_semctl},
        {"msgget", SYS_msgget},
        {"msgsnd", SYS_msgsnd},
        {"msgrcv", SYS_msgrcv},
        {"msgctl", SYS_msgctl},
        // Ways around the rules, and the kernel's own facilities.
        {"io_uring_setup", SYS_io_uring_setup},
        {"fanotify_init", SYS_fanotify_init},
        {"unshare", SYS_unshare},
        {"setns", SYS_setns},
        {"mount", SYS_mount},
        {"umount2", SYS_umount2},
        {"pivot_root", SYS_pivot_root},
        {"chroot", SYS_chroot},
        {"bpf", SYS_bpf},
        {"perf_event_open", SYS_perf_event_open},
        {"userfaultfd", SYS_userfaultfd},
        {"add_key", SYS_add_key},
        {"request_key", SYS_request_key},
        {"keyctl", SYS_keyctl},
    };
    return calls;
}

// From now on this process makes no call but write() and exit_group(). False: it could not be arranged.
inline bool stop_all_calls() {
    static sock_filter code[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_write},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_exit_group},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRACE},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{std::size(code), code};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// After stop_all_calls(): the filters of before would let it through.
inline bool is_allowed(const SystemCall& call) {
    const auto [first, second, third] = call.arguments;
    return ::syscall(call.number, first, second, third, 0, 0, 0) == -1 && errno == ENOSYS;
}

// After stop_all_calls(): writes the names of those that are allowed to `fd`. What calls_on_others() gave before it.
inline void write_allowed(int fd, const std::vector<SystemCall>& calls) {
    for (const SystemCall& call : calls) {
        if (!is_allowed(call)) continue;
        (void)!::write(fd, call.name.data(), call.name.size());
        (void)!::write(fd, " ", 1);
    }
}

// The calls that the library of filters knows by name, all arguments 0. Not those by which the kernel's own probes
// return (uprobe, uretprobe): no filter sees them, and it kills who makes them without a probe.
inline std::vector<SystemCall> all_calls() {
    constexpr int kMost = 600;
    static std::vector<std::string> names;
    names.clear();
    names.reserve(kMost);
    std::vector<SystemCall> calls;
    for (int number = 0; number < kMost; ++number) {
        if (number == SYS_write || number == SYS_exit_group) continue;
        char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
        if (name == nullptr) continue;
        names.emplace_back(name);
        std::free(name);
        if (names.back().find("probe") == std::string::npos) calls.push_back({names.back(), number});
    }
    return calls;
}

}  // namespace llmd::test
