// How keys and values are cut along a sequence's positions: part of the numeric contract (backend.h), the same for
// every backend. Without other headers, since it is compiled for each instruction set of a processor too.
#pragma once

#include <cstdint>

namespace llmd::compute {

inline constexpr uint32_t kPageTokens = 32;  // positions in one KV page
inline constexpr uint32_t kKvSplit = 256;    // positions in one partial softmax

// The elements of a position's value of one head on the CPU: whole vectors of its kernels.
inline constexpr uint32_t padded_value_dim(uint32_t head_dim) {
    return (head_dim + 15) / 16 * 16;
}

static_assert(kKvSplit % kPageTokens == 0);

}  // namespace llmd::compute
