#include "engine/server/sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/unique_fd.h"
#include "engine/compute/opencl/runtime/program_cache.h"

namespace llmd::engine {

namespace {

using base::ErrorCode;
using base::fail;
using base::fail_errno;
using base::Result;
namespace fs = std::filesystem;

// Rights and scopes by Landlock's version (Documentation/userspace-api/landlock.rst). The headers that llmd is built
// with may be older.
constexpr uint64_t kRefer = uint64_t{1} << 13;     // version 2
constexpr uint64_t kTruncate = uint64_t{1} << 14;  // 3
constexpr uint64_t kIoctlDev = uint64_t{1} << 15;  // 5
constexpr uint64_t kScopeAbstractSocket = 1;       // 6
constexpr uint64_t kScopeSignal = 2;               // 6

// The whole of `struct landlock_ruleset_attr` as version 6 has it.
struct RulesetAttributes {
    uint64_t handled_access_fs = 0;
    uint64_t handled_access_net = 0;
    uint64_t scoped = 0;
};

constexpr uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr uint64_t kChangeDirectory =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

uint64_t write_rights(int version) {
    uint64_t rights = kWriteFile | kChangeDirectory;
    if (version >= 2) rights |= kRefer;
    if (version >= 3) rights |= kTruncate;
    if (version >= 5) rights |= kIoctlDev;
    return rights;
}

// A path that does not exist is skipped.
Result<void> allow(int ruleset, const fs::path& path, uint64_t rights) {
    const base::UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd) return {};
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0) return fail_errno(ErrorCode::Failed, "fstat " + path.string(), errno);
    // The kernel refuses the rights of a directory for anything else.
    if (!S_ISDIR(info.st_mode)) rights &= kWriteFile | kTruncate | kIoctlDev;
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = rights;
    beneath.parent_fd = fd.get();
    if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) {
        return fail_errno(ErrorCode::Failed, "landlock_add_rule for " + path.string(), errno);
    }
    return {};
}

// Returns Landlock's version, or 0 if this kernel has none or it is switched off.
Result<int> restrict_files(const WritablePaths& paths) {
    const auto version =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
    if (version < 1) return 0;

    RulesetAttributes attributes;
    attributes.handled_access_fs = write_rights(version);
    if (version >= 6) attributes.scoped = kScopeAbstractSocket | kScopeSignal;
    // A kernel accepts a longer structure than it knows if the rest is zero.
    const base::UniqueFd ruleset(
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
    if (!ruleset) return fail_errno(ErrorCode::Failed, "landlock_create_ruleset", errno);
    for (const fs::path& directory : paths.directories) {
        if (auto ok = allow(ruleset.get(), directory, attributes.handled_access_fs & ~kIoctlDev); !ok)
            return ok.error();
    }
    for (const fs::path& device : paths.devices) {
        const uint64_t rights = attributes.handled_access_fs & (kWriteFile | kTruncate | kIoctlDev);
        if (auto ok = allow(ruleset.get(), device, rights); !ok) return ok.error();
    }
    if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
        return fail_errno(ErrorCode::Failed, "landlock_restrict_self", errno);
    }
    return version;
}

// Neither an inference engine nor a driver's compiler needs these calls. They fail with EPERM instead of killing the
// process, so that a library that only tries one goes on without it.
constexpr std::array<const char*, 32> kRefusedCalls = {
    // Other machines and programs. Without socket() there is nothing to connect, bind or accept with.
    "socket", "io_uring_setup", "pidfd_getfd",
    // Other processes: their memory, descriptors and signals.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_send_signal", "kill",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    // Namespaces and mounts.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "open_tree",
    // The kernel's own facilities.
    "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl", "init_module", "finit_module",
    "kexec_load", "personality", "modify_ldt"};

// Returns false if this kernel has no seccomp filters.
Result<bool> filter_calls() {
    if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) return false;
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter) return fail(ErrorCode::Failed, "seccomp_init: out of memory");
    const auto refuse = [&](const char* name) -> Result<void> {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) return {};  // newer than the library
        const int status = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0);
        // -EDOM: this architecture has no such call.
        if (status < 0 && status != -EDOM) {
            return fail_errno(ErrorCode::Failed, base::concat("seccomp_rule_add for ", name), -status);
        }
        return {};
    };
    for (const char* name : kRefusedCalls) {
        if (auto ok = refuse(name); !ok) return ok.error();
    }
    if (const int status = seccomp_load(filter.get()); status < 0) {
        if (status == -EINVAL || status == -ENOSYS) return false;  // CONFIG_SECCOMP_FILTER is off
        return fail_errno(ErrorCode::Failed, "seccomp_load", -status);
    }
    return true;
}

// Programs that this process starts get no rights that it has not.
Result<void> drop_privileges() {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return fail_errno(ErrorCode::Failed, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    return {};
}

struct Limit {
    const char* name;
    decltype(RLIMIT_CPU) resource;
    rlim_t of_inspection;
    rlim_t of_conversion;  // RLIM_INFINITY: the limit is not changed
};

constexpr Limit kLimits[] = {
    {"RLIMIT_CPU", RLIMIT_CPU, 5, RLIM_INFINITY},  // seconds: what llmd waits for
#ifndef LLMD_SANITIZED                             // whose shadow memory is terabytes
    // In bytes. The metadata of real models takes a few MiB. The parser of a tokenizer.json of 40 MiB reserves thirteen
    // times as much and uses little of it.
    {"RLIMIT_DATA", RLIMIT_DATA, 256 << 20, 1 << 30},
#endif
    {"RLIMIT_NOFILE", RLIMIT_NOFILE, 8, 8},                   // standard streams, the model, its tokenizer
    {"RLIMIT_FSIZE", RLIMIT_FSIZE, 16 << 20, RLIM_INFINITY},  // standard output may be a file: one frame
    {"RLIMIT_NPROC", RLIMIT_NPROC, 0, 0},                     // no children, no threads
    {"RLIMIT_CORE", RLIMIT_CORE, 0, 0},
};

Result<void> set_limits(rlim_t Limit::*task) {
    if (auto done = drop_privileges(); !done) return done;
    for (const Limit& limit : kLimits) {
        if (limit.*task == RLIM_INFINITY) continue;
        const rlimit value{limit.*task, limit.*task};
        if (::setrlimit(limit.resource, &value) != 0) {
            return fail_errno(ErrorCode::Failed, base::concat("setrlimit ", limit.name), errno);
        }
    }
    return {};
}

}  // namespace

WritablePaths prepare_writable_paths() {
    WritablePaths paths;
    const auto add = [&](fs::path directory) {
        if (!directory.empty()) paths.directories.push_back(std::move(directory));
    };
    const fs::path own = compute::user_cache_directory("");
    std::error_code failure;  // with a read-only home llmd works without its cache
    if (!own.empty() && (fs::create_directories(own, failure), !failure)) add(own);
    add(compute::prepare_cache_directory("MESA_SHADER_CACHE_DIR", "mesa"));
    add(compute::prepare_cache_directory("POCL_CACHE_DIR", "pocl"));
    add(compute::prepare_cache_directory("CUDA_CACHE_PATH", "nvidia"));
    // Compilers that drivers start write to TMPDIR; the shared /tmp stays closed to them.
    ::unsetenv("TMPDIR");
    add(compute::prepare_cache_directory("TMPDIR", "tmp"));

    for (const char* device : {"/dev/dri", "/dev/kfd", "/dev/kgsl-3d0", "/dev/mali0", "/dev/dma_heap", "/dev/nvidiactl",
                               "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/null"}) {
        paths.devices.emplace_back(device);
    }
    constexpr int kMaxGpus = 16;
    for (int gpu = 0; gpu < kMaxGpus; ++gpu) paths.devices.emplace_back("/dev/nvidia" + std::to_string(gpu));
    return paths;
}

Result<std::string> enter_sandbox(const WritablePaths& paths) {
    if (auto done = drop_privileges(); !done) return done.error();
    const auto landlock = restrict_files(paths);
    if (!landlock) return landlock.error();
    const auto seccomp = filter_calls();
    if (!seccomp) return seccomp.error();
    if (*landlock == 0 && !*seccomp) return std::string("none: this kernel offers neither Landlock nor seccomp");
    std::string held;
    if (*landlock != 0) held = base::concat("files (Landlock ", *landlock, ")");
    if (*seccomp) held += base::concat(held.empty() ? "" : " and ", "system calls (seccomp)");
    return held;
}

Result<void> enter_inspection_sandbox() {
    return set_limits(&Limit::of_inspection);
}
Result<void> enter_conversion_sandbox() {
    return set_limits(&Limit::of_conversion);
}

}  // namespace llmd::engine
