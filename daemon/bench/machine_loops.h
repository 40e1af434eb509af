// The loops of machine_speed.cpp, compiled once an instruction set (meson.build) into a namespace of its name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llmd::bench {

struct MachineLoops {
    // The sum of n words; n is a multiple of kReadWords.
    uint64_t (*read)(const uint64_t* words, size_t n);
    // Repeats n multiply-adds in each lane of several vectors: x = x * factor + addend. Returns a number that depends
    // on all of them.
    float (*multiply_add)(size_t n, float factor, float addend);
    size_t multiply_adds;  // in one repetition
};
inline constexpr size_t kReadWords = 64;

}  // namespace llmd::bench

namespace llmd::bench::baseline {
MachineLoops machine_loops();  // whatever the compiler's own target has
}
namespace llmd::bench::avx2 {
MachineLoops machine_loops();  // AVX2 and FMA
}
namespace llmd::bench::avx512 {
MachineLoops machine_loops();  // AVX-512 F
}
