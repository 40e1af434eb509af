// Plain numbers as floats in registers, 32 at a time, bit for bit what model::dequantize() gives. Each has
// kElementBytes,
//     decode(from, w): w[0], w[1] = 32 of them
//     decode_one(from): one, for the rest of a row that is not a multiple of 32
// Kernel sources only (lanes.h).
#pragma once

#include "engine/compute/cpu/lanes.h"

namespace llmd::compute::LLMD_ISA {

struct F32 {
    static constexpr unsigned kElementBytes = 4;
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        __builtin_memcpy(&w[0], from, 64);
        __builtin_memcpy(&w[1], from + 64, 64);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) {
        float value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }
};

struct F16 {
    static constexpr unsigned kElementBytes = 2;
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        w[0] = load_halves(from);
        w[1] = load_halves(from + 32);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) { return load_half(from); }
};

struct BF16 {
    static constexpr unsigned kElementBytes = 2;
    LLMD_INLINE float decode_one(const uint8_t* from) {
        uint16_t bits;
        __builtin_memcpy(&bits, from, sizeof bits);
        return bits_to_float(static_cast<uint32_t>(bits) << 16);
    }
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        float lane[32];
        for (size_t i = 0; i < 32; ++i) lane[i] = decode_one(from + 2 * i);
        w[0] = load(lane);
        w[1] = load(lane + 16);
    }
};

}  // namespace llmd::compute::LLMD_ISA
