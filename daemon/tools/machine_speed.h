// What this machine's own cores can do at best, to compare a backend with. Both take about a second.
#pragma once

#include <cstdint>

namespace llmd::bench {

// More than the caches of most machines hold.
inline constexpr uint64_t kMemoryBytes = uint64_t{512} << 20;

// Gigabytes a second that n threads read together from `bytes`, each its own part, over and over; the best of several
// rounds. kMemoryBytes of them show the memory; as many as a model's weights show what the caches add for that model.
double measure_memory_read_gb_s(uint32_t n_threads, uint64_t bytes);

// 1e9 float operations a second of n threads doing multiply-adds in registers, two operations each, in the widest
// vectors that this program was compiled for and the processor has; the best of several rounds.
double measure_multiply_add_gflops(uint32_t n_threads);

}  // namespace llmd::bench
