#include "engine/compute/cpu/processor.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/compute/cpu/worker_pool.h"

#if defined(LLMD_X86_KERNELS)
#include <cpuid.h>
#elif defined(LLMD_ARM64_KERNELS)
#include <sys/auxv.h>
#endif

namespace llmd::compute {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (!line.empty() && (line.back() == '\0' || line.back() == ' '))
        line.pop_back();  // device tree strings end in NUL
    return line;
}

// The value of "key : value" in a file like /proc/cpuinfo; empty when there is none.
std::string field(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const size_t start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? std::string() : line.substr(start);
    }
    return {};
}

uint64_t number_or(const std::string& text, uint64_t other) {
    uint64_t value = 0;
    bool any = false;
    for (const char c : text) {
        if (c < '0' || c > '9' || value > std::numeric_limits<uint64_t>::max() / 10 - 1) break;
        value = value * 10 + static_cast<uint64_t>(c - '0');
        any = true;
    }
    return any ? value : other;
}

}  // namespace

uint32_t count_performance_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    struct Core {
        uint64_t capacity;
        std::string siblings;  // the same text for every hyperthread of one core
    };
    std::vector<Core> cores;
    uint64_t fastest = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        const std::string directory = base::concat("/sys/devices/system/cpu/cpu", cpu, "/");
        std::string siblings = first_line(directory + "topology/thread_siblings_list");
        if (siblings.empty()) siblings = std::to_string(cpu);
        const uint64_t capacity = number_or(first_line(directory + "cpu_capacity"), 1024);
        fastest = std::max(fastest, capacity);
        cores.push_back({capacity, std::move(siblings)});
    }
    std::set<std::string> counted;
    for (const Core& core : cores) {
        if (core.capacity * 2 >= fastest) counted.insert(core.siblings);
    }
    return std::clamp<uint32_t>(static_cast<uint32_t>(counted.size()), 1, kMaxThreads);
}

std::string cpu_name() {
    for (const char* key : {"model name", "Hardware"}) {
        if (std::string name = field("/proc/cpuinfo", key); !name.empty()) return name;
    }
    if (std::string name = first_line("/proc/device-tree/model"); !name.empty()) return name;
    utsname machine{};
    return ::uname(&machine) == 0 ? machine.machine : "CPU";
}

uint64_t available_memory_bytes() {
    const uint64_t kib = number_or(field("/proc/meminfo", "MemAvailable"), std::numeric_limits<uint64_t>::max() / 1024);
    return kib * 1024;
}

uint64_t private_dirty_bytes() {
    const std::string kib = field("/proc/self/smaps_rollup", "Private_Dirty");
    if (!kib.empty()) return number_or(kib, 0) * 1024;
    std::ifstream statm("/proc/self/statm");  // in pages
    uint64_t size = 0, resident = 0, shared = 0;
    statm >> size >> resident >> shared;
    return (resident - std::min(resident, shared)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(LLMD_X86_KERNELS)
namespace {

// clang 14's __builtin_cpu_supports does not know this one. Whether the system keeps the registers is AVX2's answer.
bool has_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

std::vector<CpuKernels> usable_cpu_kernels() {
    std::vector<CpuKernels> usable = {baseline::kernels()};
#if defined(LLMD_X86_KERNELS)
    if (__builtin_cpu_supports("avx2") && has_f16c()) {
        usable.push_back(avx2::kernels());
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")) {
            usable.push_back(avx512::kernels());
        }
    }
#elif defined(LLMD_ARM64_KERNELS)
    // HWCAP_ASIMDDP and HWCAP2_I8MM, which older system headers lack
    constexpr unsigned long kDotProduct = 1UL << 20, kMatricesOfBytes = 1UL << 13;
    if ((getauxval(AT_HWCAP) & kDotProduct) != 0) {
        usable.push_back(dotprod::kernels());
        if ((getauxval(AT_HWCAP2) & kMatricesOfBytes) != 0) usable.push_back(i8mm::kernels());
    }
#endif
    return usable;
}

CpuKernels chosen_cpu_kernels() {
    const char* wanted = std::getenv("LLMD_CPU_KERNELS");
    const bool is_baseline = wanted != nullptr && std::string_view(wanted) == "baseline";
    return is_baseline ? usable_cpu_kernels().front() : usable_cpu_kernels().back();
}

}  // namespace llmd::compute
