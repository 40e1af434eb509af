// Quantizes activations by blocks of 32: to 16 bits, or in fast precision to 8, with one scale. A block's bits follow
// from its own values alone; where they lie depends on the instruction set and on how many rows the batch has. Kernel
// sources only (lanes.h).
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/integer_lanes.h"
#include "engine/compute/cpu/unpacked_matmul.h"

namespace llmd::compute::LLMD_ISA {

static_assert(sizeof(QuantizedBlock) == kQuantizedBlockBytes);

// The largest magnitude of 32 values; a NaN is larger than any.
LLMD_INLINE float largest_magnitude(const float* x) {
    uint32_t largest = 0;  // as an integer NaN is larger than any float
#if defined(__aarch64__)
    uint32x4_t four = {};
    for (unsigned i = 0; i < 32; i += 4) {
        four = vmaxq_u32(four, vreinterpretq_u32_f32(vabsq_f32(vld1q_f32(x + i))));
    }
    largest = vmaxvq_u32(four);
#else
    for (unsigned i = 0; i < 32; ++i) {
        uint32_t bits;
        __builtin_memcpy(&bits, x + i, sizeof bits);
        bits &= 0x7fffffffu;
        largest = bits > largest ? bits : largest;
    }
#endif
    return bits_to_float(largest);
}

// A block's q and sums: x * inverse, rounded to the nearest integer.
#if defined(__aarch64__)
template <unsigned ValueBytes>
LLMD_INLINE void round_block(const float* x, float inverse, QuantizedBlock* to) {
#pragma GCC unroll 2
    for (unsigned half = 0; half < 2; ++half) {
        int32x4_t sums = {};
#pragma GCC unroll 2
        for (unsigned i = 16 * half; i < 16 * half + 16; i += 8) {
            const int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + i), inverse));
            const int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + i + 4), inverse));
            const int16x8_t q = vmovn_high_s32(vmovn_s32(low), high);
            sums = vpadalq_s16(sums, q);
            auto* const bytes = reinterpret_cast<int8_t*>(to->q);
            vst1_s8(bytes + byte_at<ValueBytes>(i, 0), vmovn_s16(q));
            if constexpr (ValueBytes == 2) vst1_s8(bytes + byte_at<ValueBytes>(i, 1), vrshrn_n_s16(q, 8));
        }
        to->sums[half] = vaddvq_s32(sums);
    }
    to->sums[2] = to->sums[0] + to->sums[1];
}
#else
template <unsigned ValueBytes>
LLMD_INLINE void round_block(const float* x, float inverse, QuantizedBlock* to) {
    int32_t q[32];
    for (unsigned i = 0; i < 32; ++i) {
        const float shifted = x[i] * inverse + 0x1.8p23f;  // the nearest integer, in the low bits
        uint32_t bits;
        __builtin_memcpy(&bits, &shifted, sizeof bits);
        q[i] = static_cast<int16_t>(bits);
    }
    for (unsigned half = 0; half < 2; ++half) {
        int32_t sum = 0;
        for (unsigned i = 0; i < 16; ++i) sum += q[16 * half + i];
        to->sums[half] = sum;
    }
    to->sums[2] = to->sums[0] + to->sums[1];
    if constexpr (kSplitsActivations || (kKeepsBytes && ValueBytes == 1)) {
        uint8_t value_bytes[ValueBytes][32];
        for (unsigned i = 0; i < 32; ++i) value_bytes[0][i] = static_cast<uint8_t>(q[i]);
        if constexpr (ValueBytes == 2) {
            for (unsigned i = 0; i < 32; ++i) value_bytes[1][i] = static_cast<uint8_t>((q[i] + 128) >> 8);
        }
        for (unsigned byte = 0; byte < ValueBytes; ++byte) {
            __builtin_memcpy(to->q + byte_at<ValueBytes>(0, byte), value_bytes[byte], sizeof value_bytes[byte]);
        }
    } else {
        int16_t narrow[32];
        for (unsigned i = 0; i < 32; ++i) narrow[i] = static_cast<int16_t>(q[i]);
        __builtin_memcpy(to->q, narrow, sizeof narrow);
    }
}
#endif

// A block's scale and the inverse of it. A block that is not finite gets a scale that is not finite; one that is all
// but zero becomes zero, because a float cannot hold the inverse of its scale.
struct BlockScale {
    float scale, inverse;
};
template <unsigned ValueBytes>
LLMD_INLINE BlockScale scale_of(const float* x) {
    constexpr float kNearlyZero = 1e-30f;
    constexpr auto kLargest = static_cast<float>(kLargestQuant<ValueBytes>);
    float largest = largest_magnitude(x);
    if (largest < kNearlyZero) largest = 0;
    return {largest / kLargest, largest == 0 ? 0 : kLargest / largest};
}

#if defined(__ARM_FEATURE_DOTPROD)
template <unsigned ValueBytes>
LLMD_INLINE void quantize_in_tile(const float* x, unsigned row, QuantizedTile<ValueBytes>* to) {
    const BlockScale of = scale_of<ValueBytes>(x);
    int32x4_t sums[2];
#pragma GCC unroll 2
    for (unsigned half = 0; half < 2; ++half, x += 16) {
        int16x8_t q[2];
#pragma GCC unroll 2
        for (unsigned i = 0; i < 2; ++i) {
            const int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + 8 * i), of.inverse));
            const int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + 8 * i + 4), of.inverse));
            q[i] = vuzp1q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high));
        }
        sums[half] = vpadalq_s16(vpaddlq_s16(q[0]), q[1]);
        const auto put = [&](unsigned byte, int8x16_t columns) __attribute__((always_inline)) {
            int8_t* const value_bytes = to->value_bytes[byte][half];
            vst1_s8(value_bytes + place_in_tile(row, 0), vget_low_s8(columns));
            vst1_s8(value_bytes + place_in_tile(row, 1), vget_high_s8(columns));
        };
        put(ValueBytes - 1, vuzp1q_s8(vreinterpretq_s8_s16(q[0]), vreinterpretq_s8_s16(q[1])));
        if constexpr (ValueBytes == 2) put(0, vrshrn_high_n_s16(vrshrn_n_s16(q[0], 8), q[1], 8));
    }
    // Both halves' sums, twice, and their sum.
    const int32x4_t pairs = vpaddq_s32(sums[0], sums[1]), halves = vpaddq_s32(pairs, pairs);
    const float32x4_t of_halves = vmulq_n_f32(vcvtq_f32_s32(halves), of.scale);
    const float32x4_t of_both = vmulq_n_f32(vcvtq_f32_s32(vpaddq_s32(halves, halves)), of.scale);
    to->scales[row] = of.scale;
    vst1q_lane_f32(&to->scaled_sums[0][row], of_halves, 0);
    vst1q_lane_f32(&to->scaled_sums[1][row], of_halves, 1);
    vst1q_lane_f32(&to->scaled_sums[2][row], of_both, 0);
}
#endif

template <unsigned ValueBytes>
void quantize_activations(const float* x, uint32_t n, uint32_t row, [[maybe_unused]] uint32_t n_batch, uint8_t* to,
                          size_t stride) {
    const uint32_t n_blocks = (n + 31) / 32;
#if defined(__ARM_FEATURE_DOTPROD)
    if (row < unpacked_rows(n_batch)) {
        auto* tiles = reinterpret_cast<QuantizedTile<ValueBytes>*>(to + row / kTileBatch * kTileBatch * stride);
        for (uint32_t b = 0; b < n_blocks; ++b) {
            quantize_in_tile<ValueBytes>(x + size_t{32} * b, row % kTileBatch, tiles + b);
        }
        return;
    }
#endif
    auto* blocks = reinterpret_cast<QuantizedBlock*>(to + row * stride);
    for (uint32_t b = 0; b < n_blocks; ++b) {
        const BlockScale of = scale_of<ValueBytes>(x + size_t{32} * b);
        blocks[b].scale = of.scale;
        round_block<ValueBytes>(x + size_t{32} * b, of.inverse, &blocks[b]);
    }
}

}  // namespace llmd::compute::LLMD_ISA
