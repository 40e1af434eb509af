// The speed of this machine's own cores when they do nothing else, to compare a backend with.
#pragma once

#include <cstdint>

#include "engine/compute/cpu/cpu_memory.h"

namespace llmd::bench {

// More than the caches of most machines hold.
inline constexpr uint64_t kMemoryBytes = uint64_t{512} << 20;

// Reads memory with n threads, each its own part of `bytes`, which lie as a model's weights do. kMemoryBytes of them
// show the memory; as many as a model's weights, again and again, show what the caches add for that model.
class MemoryReader {
public:
    MemoryReader(uint32_t n_threads, uint64_t bytes);

    // Gigabytes a second of reading kMemoryBytes, in as many passes as that takes.
    double measure_gb_s() const;

private:
    uint32_t n_threads_;
    size_t words_a_thread_;
    compute::HostArena arena_;
    const uint64_t* words_ = nullptr;  // null: they do not fit
};

// 1e9 float operations a second of n threads doing multiply-adds in registers, two operations each, in the widest
// vectors that this program was compiled for and the processor has, for some tens of milliseconds.
double measure_multiply_add_gflops(uint32_t n_threads);

}  // namespace llmd::bench
