#include "bench/machine_speed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/machine_loops.h"

namespace llmd::bench {
namespace {

constexpr size_t kMultiplyAddRepetitions = 4'000'000;  // some tens of milliseconds

MachineLoops best_loops() {
#if defined(LLMD_X86_KERNELS)
    if (__builtin_cpu_supports("avx512f")) return avx512::machine_loops();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::machine_loops();
#endif
    return baseline::machine_loops();
}

// Seconds in which `work(thread)` runs on n threads at once.
template <typename Work>
double seconds_of(uint32_t n_threads, const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (uint32_t t = 1; t < n_threads; ++t) threads.emplace_back(work, t);
    work(0);
    for (auto& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

MemoryReader::MemoryReader(uint32_t n_threads, uint64_t bytes)
    : n_threads_(n_threads),
      words_a_thread_(std::max<uint64_t>(bytes / (n_threads * sizeof(uint64_t)) / kReadWords, 1) * kReadWords) {
    const size_t n_words = n_threads_ * words_a_thread_;
    const auto data = arena_.allocate(n_words * sizeof(uint64_t), "memory to read");
    if (!data) return;
    auto* words = reinterpret_cast<uint64_t*>(*data);
    std::fill_n(words, n_words, 1);
    words_ = words;
}

double MemoryReader::measure_gb_s() const {
    if (words_ == nullptr) return 0;
    const MachineLoops loops = best_loops();
    std::atomic<uint64_t> sink{0};
    const uint64_t bytes = n_threads_ * words_a_thread_ * sizeof(uint64_t);
    const uint64_t passes = (kMemoryBytes + bytes - 1) / bytes;
    const auto read = [&](uint32_t thread) {
        const uint64_t* part = words_ + thread * words_a_thread_;
        for (uint64_t i = 0; i < passes; ++i) sink += loops.read(part, words_a_thread_);
    };
    return static_cast<double>(passes * bytes) / seconds_of(n_threads_, read) / 1e9;
}

double measure_multiply_add_gflops(uint32_t n_threads) {
    const MachineLoops loops = best_loops();
    std::atomic<float> sink{0};
    // Not constants: the compiler must not know the result.
    const volatile float factor = 0.999f, addend = 0.001f;
    const auto compute = [&](uint32_t) { sink = loops.multiply_add(kMultiplyAddRepetitions, factor, addend); };
    const double operations = 2.0 * static_cast<double>(loops.multiply_adds * kMultiplyAddRepetitions) * n_threads;
    return operations / seconds_of(n_threads, compute) / 1e9;
}

}  // namespace llmd::bench
