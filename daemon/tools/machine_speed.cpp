#include "tools/machine_speed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "tools/machine_loops.h"

namespace llmd::bench {
namespace {

constexpr int kRounds = 10;
constexpr size_t kMultiplyAddRepetitions = 4'000'000;  // some tens of milliseconds
constexpr size_t kCacheLine = 64;

MachineLoops best_loops() {
#if defined(LLMD_X86_KERNELS)
    if (__builtin_cpu_supports("avx512f")) return avx512::machine_loops();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::machine_loops();
#endif
    return baseline::machine_loops();
}

// Seconds of the fastest round in which `work(thread)` ran on n threads at once.
template <typename Work>
double fastest_round(uint32_t n_threads, const Work& work) {
    using Clock = std::chrono::steady_clock;
    double fastest = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = Clock::now();
        std::vector<std::thread> threads;
        for (uint32_t t = 1; t < n_threads; ++t) threads.emplace_back(work, t);
        work(0);
        for (auto& thread : threads) thread.join();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        fastest = round == 0 ? seconds : std::min(fastest, seconds);
    }
    return fastest;
}

}  // namespace

double measure_memory_read_gb_s(uint32_t n_threads, uint64_t bytes) {
    const MachineLoops loops = best_loops();
    const size_t part = std::max<uint64_t>(bytes / (n_threads * sizeof(uint64_t)) / kReadWords, 1) * kReadWords;
    const size_t all_bytes = part * n_threads * sizeof(uint64_t);
    const std::unique_ptr<uint64_t, decltype(&std::free)> words(
        static_cast<uint64_t*>(std::aligned_alloc(kCacheLine, all_bytes)), std::free);
    if (!words) return 0;
    std::fill_n(words.get(), all_bytes / sizeof(uint64_t), 1);
    std::atomic<uint64_t> sink{0};
    const auto read = [&](uint32_t thread) { sink += loops.read(words.get() + thread * part, part); };
    return static_cast<double>(all_bytes) / fastest_round(n_threads, read) / 1e9;
}

double measure_multiply_add_gflops(uint32_t n_threads) {
    const MachineLoops loops = best_loops();
    std::atomic<float> sink{0};
    // Not constants: the compiler must not know the result.
    const volatile float factor = 0.999f, addend = 0.001f;
    const auto compute = [&](uint32_t) { sink = loops.multiply_add(kMultiplyAddRepetitions, factor, addend); };
    const double operations = 2.0 * static_cast<double>(loops.multiply_adds * kMultiplyAddRepetitions) * n_threads;
    return operations / fastest_round(n_threads, compute) / 1e9;
}

}  // namespace llmd::bench
