#include "base/sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <iterator>
#include <memory>

#include "base/unique_fd.h"

namespace llmd::base {

namespace {

namespace fs = std::filesystem;

// Rights and scopes by Landlock's version (Documentation/userspace-api/landlock.rst). The headers that llmd is built
// with may be older.
constexpr uint64_t kRefer = uint64_t{1} << 13;        // version 2
constexpr uint64_t kTruncate = uint64_t{1} << 14;     // 3
constexpr uint64_t kBindTcp = 1;                      // 4
constexpr uint64_t kConnectTcp = 2;                   // 4
constexpr uint64_t kIoctlDev = uint64_t{1} << 15;     // 5
constexpr uint64_t kScopeAbstractSocket = 1;          // 6
constexpr uint64_t kScopeSignal = 2;                  // 6
constexpr uint64_t kResolveUnix = uint64_t{1} << 16;  // 9
constexpr int kRuleNetPort = 2;                       // 4

// The whole of `struct landlock_ruleset_attr` as version 6 has it, and `struct landlock_net_port_attr`.
struct RulesetAttributes {
    uint64_t handled_access_fs = 0;
    uint64_t handled_access_net = 0;
    uint64_t scoped = 0;
};
struct NetPortAttributes {
    uint64_t allowed_access = 0;
    uint64_t port = 0;
};

constexpr uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kChangeDirectory =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

uint64_t file_rights(int version, const LandlockRules& rules) {
    uint64_t rights = kWriteFile | kChangeDirectory;
    if (version >= 2) rights |= kRefer;
    if (version >= 3) rights |= kTruncate;
    if (version >= 5) rights |= kIoctlDev;
    if (rules.read) rights |= kRead | kExecute;
    if (rules.sockets && version >= kLandlockSockets) rights |= kResolveUnix;
    return rights;
}

Result<void> allow_below(int ruleset, const std::vector<fs::path>& paths, uint64_t wanted) {
    for (const fs::path& path : paths) {
        const UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!fd) continue;
        struct stat info = {};
        if (::fstat(fd.get(), &info) != 0) return fail_errno(ErrorCode::Failed, "fstat " + path.string(), errno);
        uint64_t rights = wanted;
        // The kernel refuses the rights of a directory for anything else, and a rule without rights.
        if (!S_ISDIR(info.st_mode)) {
            rights &= kWriteFile | kTruncate | kIoctlDev | LANDLOCK_ACCESS_FS_READ_FILE | kResolveUnix;
        }
        if (rights == 0) continue;
        landlock_path_beneath_attr beneath{};
        beneath.allowed_access = rights;
        beneath.parent_fd = fd.get();
        if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) {
            return fail_errno(ErrorCode::Failed, "landlock_add_rule for " + path.string(), errno);
        }
    }
    return {};
}

Result<void> allow_ports(int ruleset, const std::vector<uint16_t>& ports) {
    for (const uint16_t port : ports) {
        const NetPortAttributes attributes{kConnectTcp, port};
        if (::syscall(SYS_landlock_add_rule, ruleset, kRuleNetPort, &attributes, 0) != 0) {
            return fail_errno(ErrorCode::Failed, concat("landlock_add_rule for port ", port), errno);
        }
    }
    return {};
}

// Calls have the same number on all architectures but a few from here on.
constexpr bool kHasCommonNumbers = SYS_pidfd_open == 434;

constexpr RefusedCall kAlwaysRefused[] = {
    // Ways around the rules of sockets and files.
    {"io_uring_setup"},
    {"pidfd_getfd"},
    {"fanotify_init"},
    // Other processes: their memory, descriptors and signals.
    {"ptrace"},
    {"process_vm_readv"},
    {"process_vm_writev"},
    {"process_madvise"},
    {"kcmp"},
    {"pidfd_send_signal"},
    {"kill"},
    {"rt_sigqueueinfo"},
    {"rt_tgsigqueueinfo"},
    {"shmget"},
    {"shmat"},
    {"shmctl"},
    {"msgget"},
    {"msgsnd"},
    {"msgrcv"},
    {"msgctl"},
    {"semget"},
    {"semop"},
    {"semtimedop"},
    {"semtimedop_time64"},
    {"semctl"},
    {"ipc"},  // all of these where a machine has one call for them
    // Modes, owners, attributes and times of files, which Landlock leaves to their owner. Times can still be set
    // through a descriptor: that is how caches know what was used last.
    {"chmod"},
    {"fchmod"},
    {"fchmodat"},
    {.name = "fchmodat2", .number = 452},
    {"chown"},
    {"fchown"},
    {"lchown"},
    {"fchownat"},
    {"chown32"},
    {"fchown32"},
    {"lchown32"},
    {"setxattr"},
    {"fsetxattr"},
    {"lsetxattr"},
    {.name = "setxattrat", .number = 463},
    {"removexattr"},
    {"fremovexattr"},
    {"lremovexattr"},
    {.name = "removexattrat", .number = 466},
    {.name = "file_setattr", .number = 469},
    {"utime"},
    {"utimes"},
    {"futimesat"},
    // Namespaces and mounts.
    {"unshare"},
    {"setns"},
    {"mount"},
    {"umount2"},
    {"pivot_root"},
    {"chroot"},
    {"move_mount"},
    {"fsopen"},
    {"open_tree"},
    // The kernel's own facilities.
    {"bpf"},
    {"perf_event_open"},
    {"userfaultfd"},
    {"add_key"},
    {"request_key"},
    {"keyctl"},
    {"init_module"},
    {"finit_module"},
    {"kexec_load"},
    {"personality"},
    {"modify_ldt"},
};

// The filter sees all 64 bits of an argument and the kernel 32 of a process id: whatever is not exactly the one that is
// allowed is refused.
constexpr RefusedCall kRefusedByArgument[] = {
    {"prlimit64", EPERM, RefusedCall::When::Differs, 0, 0},
    {"sched_setaffinity", EPERM, RefusedCall::When::Differs, 0, 0},
    // Not one by one: Mesa gives its own threads a low priority by their ids.
    {"setpriority", EPERM, RefusedCall::When::Differs, 0, PRIO_PROCESS},
    // With a path, and not with a descriptor alone.
    {"utimensat", EPERM, RefusedCall::When::Differs, 1, 0},
    {"utimensat_time64", EPERM, RefusedCall::When::Differs, 1, 0},
#ifdef __GLIBC__
    {"tkill"},  // glibc signals threads by tgkill()
#endif
};

Result<void> refuse(scmp_filter_ctx filter, const RefusedCall& call) {
    int number = seccomp_syscall_resolve_name(call.name);
    if (number == __NR_SCMP_ERROR && kHasCommonNumbers) number = call.number;
    if (number == __NR_SCMP_ERROR) return {};  // newer than the library
    scmp_arg_cmp condition{};
    condition.arg = call.argument;
    condition.datum_a = call.value;
    // By RefusedCall::When; of the last one the masked bits are datum_b, 0.
    constexpr scmp_compare kOperators[] = {{}, SCMP_CMP_EQ, SCMP_CMP_NE, SCMP_CMP_LT, SCMP_CMP_GT, SCMP_CMP_MASKED_EQ};
    condition.op = kOperators[static_cast<size_t>(call.when)];
    const unsigned n_conditions = call.when == RefusedCall::When::Always ? 0 : 1;
    const int status = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(call.error)), number,
                                              n_conditions, &condition);
    // -EDOM: this architecture has no such call.
    if (status < 0 && status != -EDOM) {
        return fail_errno(ErrorCode::Failed, concat("seccomp_rule_add for ", call.name), -status);
    }
    return {};
}

}  // namespace

Result<void> drop_privileges() {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return fail_errno(ErrorCode::Failed, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    return {};
}

Result<int> enter_landlock(const LandlockRules& rules) {
    const auto version =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
    if (version < 1) return 0;

    RulesetAttributes attributes;
    attributes.handled_access_fs = file_rights(version, rules);
    if (rules.tcp_ports && version >= kLandlockTcp) attributes.handled_access_net = kBindTcp | kConnectTcp;
    if (version >= 6) attributes.scoped = kScopeAbstractSocket | kScopeSignal;
    // A kernel accepts a longer structure than it knows if the rest is zero.
    const UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
    if (!ruleset) return fail_errno(ErrorCode::Failed, "landlock_create_ruleset", errno);

    const uint64_t handled = attributes.handled_access_fs;
    const auto allow = [&](const std::vector<fs::path>& paths, uint64_t rights) {
        return allow_below(ruleset.get(), paths, handled & rights);
    };
    if (auto ok = allow(rules.written, ~(kIoctlDev | kExecute | kResolveUnix)); !ok) return ok.error();
    if (auto ok = allow(rules.devices, kWriteFile | kTruncate | kIoctlDev); !ok) return ok.error();
    if (rules.read) {
        if (auto ok = allow(*rules.read, kRead); !ok) return ok.error();
    }
    if (rules.sockets) {
        if (auto ok = allow(*rules.sockets, kResolveUnix); !ok) return ok.error();
    }
    if (attributes.handled_access_net != 0) {
        if (auto ok = allow_ports(ruleset.get(), *rules.tcp_ports); !ok) return ok.error();
    }
    if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
        return fail_errno(ErrorCode::Failed, "landlock_restrict_self", errno);
    }
    return version;
}

std::vector<RefusedCall> calls_on_others() {
    std::vector<RefusedCall> calls(std::begin(kAlwaysRefused), std::end(kAlwaysRefused));
    calls.insert(calls.end(), std::begin(kRefusedByArgument), std::end(kRefusedByArgument));
    const auto own = static_cast<uint64_t>(::getpid());
    calls.push_back({"tgkill", EPERM, RefusedCall::When::Differs, 0, own});
#ifndef __GLIBC__
    // musl aborts and cancels its threads by tkill(). Their ids are above the process's, and so is what was started
    // later.
    calls.push_back({"tkill", EPERM, RefusedCall::When::Below, 0, own});
#endif
    return calls;
}

Result<bool> refuse_calls(std::initializer_list<std::span<const RefusedCall>> lists) {
    if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) return false;
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter) return fail(ErrorCode::Failed, "seccomp_init: out of memory");
    for (const auto& calls : lists) {
        for (const RefusedCall& call : calls) {
            if (auto ok = refuse(filter.get(), call); !ok) return ok.error();
        }
    }
    if (const int status = seccomp_load(filter.get()); status < 0) {
        if (status == -EINVAL || status == -ENOSYS) return false;  // CONFIG_SECCOMP_FILTER is off
        return fail_errno(ErrorCode::Failed, "seccomp_load", -status);
    }
    return true;
}

Result<void> limit_resource(const ResourceLimit& limit) {
    const rlimit value{limit.value, limit.value};
    if (::setrlimit(limit.resource, &value) != 0) {
        return fail_errno(ErrorCode::Failed, concat("setrlimit ", limit.name), errno);
    }
    return {};
}

}  // namespace llmd::base
