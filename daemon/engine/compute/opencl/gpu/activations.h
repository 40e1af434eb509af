// The host's side of kernels/activations.cl: how long a row of records is. Pure functions.
#pragma once

#include <cstdint>

namespace llmd::compute::gpu {

inline constexpr uint32_t kRecordBlock = 32;  // columns that share a scale
inline constexpr uint32_t kMostDigits = 2;

// Columns of a record for a vector of n values.
inline uint32_t padded_columns(uint32_t n) {
    return (n + kRecordBlock - 1) / kRecordBlock * kRecordBlock;
}

// Bytes from one row to the next: digits, sums, stats and scales; `columns` padded, 1 to kMostDigits digits.
inline uint32_t record_bytes(uint32_t columns, uint32_t digits) {
    constexpr uint32_t kAlignment = 16;
    const uint32_t bytes = digits * columns + columns / 4 + columns / 8 + columns / 2;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace llmd::compute::gpu
