// The CPU backend's view of the machine: its cores and their instruction set, its name and its memory,
// read from /proc and /sys. Callable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/compute/cpu/cpu_kernels.h"

namespace llmd::compute {

// Cores that this process may run on and that are at least half as fast as the fastest (cpu_capacity, where the kernel
// tells it: big.LITTLE phones), counting hyperthreads of one core once. At least 1, at most kMaxThreads.
uint32_t count_performance_cores();

// "AMD EPYC 7B13" from /proc/cpuinfo, the device tree's model on ARM ("OnePlus 6T"), or the machine's architecture.
std::string cpu_name();

// Bytes that can be allocated without swapping (MemAvailable); UINT64_MAX when the kernel does not say.
uint64_t available_memory_bytes();

// Bytes of memory that only this process has and that it has written: Private_Dirty of /proc/self/smaps_rollup, or
// where the kernel lacks that file, resident less shared memory of /proc/self/statm. It takes a millisecond for each
// few hundred MiB.
uint64_t private_dirty_bytes();

// Every set of kernels that was compiled and that this machine can run, the best last.
std::vector<CpuKernels> usable_cpu_kernels();

// The best of them; with LLMD_CPU_KERNELS=baseline in the environment the first, which every machine of this
// architecture has, for tests that compare digits.
CpuKernels chosen_cpu_kernels();

}  // namespace llmd::compute
