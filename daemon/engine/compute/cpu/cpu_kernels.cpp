#include "engine/compute/cpu/cpu_kernels.h"

#include "engine/compute/cpu/kernel_sets.h"

#if defined(LLMD_X86_KERNELS)
#include <cpuid.h>
#elif defined(LLMD_ARM64_KERNELS)
#include <sys/auxv.h>
#endif

namespace llmd::compute {

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
    constexpr unsigned long kDotProduct = 1UL << 20;  // HWCAP_ASIMDDP, which older system headers lack
    if ((getauxval(AT_HWCAP) & kDotProduct) != 0) usable.push_back(dotprod::kernels());
#endif
    return usable;
}

}  // namespace llmd::compute
