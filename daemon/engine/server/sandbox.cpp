#include "engine/server/sandbox.h"

#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/part_name.h"
#include "base/sandbox.h"
#include "engine/compute/opencl/runtime/program_cache.h"

namespace llmd::engine {

namespace {

using base::Result;
namespace fs = std::filesystem;

// Without socket() there is nothing to connect, bind or accept with.
constexpr std::array<base::RefusedCall, 1> kSockets = {{{"socket"}}};

struct Limit {
    const char* name;
    decltype(RLIMIT_CPU) resource;
    rlim_t of_inspection;
    rlim_t of_conversion;  // RLIM_INFINITY: the limit is not changed
};

constexpr rlim_t kOtherFiles = 10;

constexpr Limit kLimits[] = {
    {"RLIMIT_CPU", RLIMIT_CPU, 5, RLIM_INFINITY},  // seconds: what llmd waits for
#ifndef LLMD_SANITIZED                             // whose shadow memory is terabytes
    // In bytes. The metadata of real models takes a few MiB. The parser of a tokenizer.json of 40 MiB reserves thirteen
    // times as much and uses little of it.
    {"RLIMIT_DATA", RLIMIT_DATA, 256 << 20, 1 << 30},
#endif
    // Standard streams, the model's parts, or what is converted and its tokenizer; each of these was found once before.
    {"RLIMIT_NOFILE", RLIMIT_NOFILE, kOtherFiles + rlim_t{2} * base::kMaxModelParts, kOtherFiles},
    {"RLIMIT_FSIZE", RLIMIT_FSIZE, 16 << 20, RLIM_INFINITY},  // standard output may be a file: one frame
    {"RLIMIT_NPROC", RLIMIT_NPROC, 0, 0},                     // no children, no threads
    {"RLIMIT_CORE", RLIMIT_CORE, 0, 0},
};

Result<void> set_limits(rlim_t Limit::*task) {
    // They write standard output alone, which is open.
    if (auto entered = enter_sandbox({}); !entered) return entered.error();
    for (const Limit& limit : kLimits) {
        if (limit.*task == RLIM_INFINITY) continue;
        if (auto done = base::limit_resource({limit.name, limit.resource, limit.*task}); !done) return done;
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
    // Others must not read the on-disk prefix cache; in the sandbox no mode can be changed.
    if (const fs::path prefixes = compute::user_cache_directory("prefixes"); !prefixes.empty()) {
        fs::permissions(prefixes, fs::perms::owner_all, failure);
    }
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
    if (auto done = base::drop_privileges(); !done) return done.error();
    base::LandlockRules rules;
    rules.written = paths.directories;
    rules.devices = paths.devices;
    const auto landlock = base::enter_landlock(rules);
    if (!landlock) return landlock.error();
    const auto seccomp = base::refuse_calls({base::calls_on_others(), kSockets});
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
