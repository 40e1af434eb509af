#include "bench/machine_loops.h"

namespace llmd::bench::LLMD_ISA {
namespace {

typedef float Floats __attribute__((vector_size(LLMD_VECTOR_BYTES)));
typedef uint64_t Words __attribute__((vector_size(LLMD_VECTOR_BYTES)));
constexpr size_t kFloats = sizeof(Floats) / sizeof(float);
constexpr size_t kVectorWords = sizeof(Words) / sizeof(uint64_t);
// Enough to hide the latency of a multiply-add on two pipes, few enough for sixteen registers.
constexpr size_t kChains = 12;

uint64_t read(const uint64_t* words, size_t n) {
    Words sums[kReadWords / kVectorWords] = {};
    const auto* vectors = reinterpret_cast<const Words*>(words);
    for (size_t i = 0; i < n / kVectorWords; i += kReadWords / kVectorWords) {
        for (size_t j = 0; j < kReadWords / kVectorWords; ++j) sums[j] += vectors[i + j];
    }
    uint64_t total = 0;
    for (const Words& sum : sums) {
        for (size_t lane = 0; lane < kVectorWords; ++lane) total += sum[lane];
    }
    return total;
}

float multiply_add(size_t n, float factor, float addend) {
    // All different: equal chains would be computed once.
    Floats chains[kChains] = {};
    for (size_t i = 0; i < kChains; ++i) chains[i] += static_cast<float>(i);
    for (size_t repetition = 0; repetition < n; ++repetition) {
        for (Floats& chain : chains) chain = chain * factor + addend;
    }
    float total = 0;
    for (const Floats& chain : chains) {
        for (size_t lane = 0; lane < kFloats; ++lane) total += chain[lane];
    }
    return total;
}

}  // namespace

MachineLoops machine_loops() {
    return {read, multiply_add, kChains * kFloats};
}

}  // namespace llmd::bench::LLMD_ISA
