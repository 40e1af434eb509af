// Sixteen floats side by side, in registers of whatever width the instruction set of this compilation has. Every
// operation is one IEEE operation a lane; what is fused, and where, follows from the instruction set alone.
//
// Included only by kernel sources, which meson compiles once an instruction set with LLMD_ISA naming it. They use no
// standard templates: an inline function of the library compiled for AVX-512 here could otherwise be the copy that the
// linker keeps for everybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/model/quantization.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LLMD_INLINE static inline __attribute__((always_inline))

namespace llmd::compute::LLMD_ISA {

#if defined(__AVX512F__)
inline constexpr unsigned kVecFloats = 16;
#elif defined(__AVX2__)
inline constexpr unsigned kVecFloats = 8;
#else
inline constexpr unsigned kVecFloats = 4;
#endif
inline constexpr unsigned kVecs = 16 / kVecFloats;

using Vec = float __attribute__((vector_size(kVecFloats * sizeof(float))));

using Bits = uint32_t __attribute__((vector_size(kVecFloats * sizeof(float))));

struct Lanes {
    Vec v[kVecs];
};

LLMD_INLINE Lanes splat(float value) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = Vec{} + value;
    return r;
}

LLMD_INLINE Lanes load(const float* from) {
    Lanes r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

LLMD_INLINE void store(float* to, const Lanes& a) {
    __builtin_memcpy(to, &a, sizeof a);
}

LLMD_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = a.v[i] + b.v[i];
    return r;
}

LLMD_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = a.v[i] - b.v[i];
    return r;
}

LLMD_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = a.v[i] * b.v[i];
    return r;
}

LLMD_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = a.v[i] / b.v[i];
    return r;
}

// sum + a * b, rounded once where that takes fewer instructions.
LLMD_INLINE Lanes multiply_add(const Lanes& a, float b, const Lanes& sum) {
#if defined(__aarch64__)
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) {
        r.v[i] = reinterpret_cast<Vec>(
            vfmaq_n_f32(reinterpret_cast<float32x4_t>(sum.v[i]), reinterpret_cast<float32x4_t>(a.v[i]), b));
    }
    return r;
#else
    return sum + splat(b) * a;
#endif
}

#if defined(__aarch64__)
// sum + a * four[lane], where the lane is a constant to the compiler.
LLMD_INLINE Lanes multiply_add(const Lanes& a, float32x4_t four, unsigned lane, const Lanes& sum) {
    Lanes r;
#pragma GCC unroll 4
    for (unsigned i = 0; i < kVecs; ++i) {
        const auto x = reinterpret_cast<float32x4_t>(a.v[i]), to = reinterpret_cast<float32x4_t>(sum.v[i]);
        r.v[i] = reinterpret_cast<Vec>(lane == 0   ? vfmaq_laneq_f32(to, x, four, 0)
                                       : lane == 1 ? vfmaq_laneq_f32(to, x, four, 1)
                                       : lane == 2 ? vfmaq_laneq_f32(to, x, four, 2)
                                                   : vfmaq_laneq_f32(to, x, four, 3));
    }
    return r;
}
#endif

// Lane i with lane i + 8, then + 4, + 2, + 1.
LLMD_INLINE float sum(const Lanes& a) {
    float lane[16];
    store(lane, a);
    for (unsigned step = 8; step > 0; step /= 2) {
        for (unsigned i = 0; i < step; ++i) lane[i] += lane[i + step];
    }
    return lane[0];
}

LLMD_INLINE float bits_to_float(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// IEEE binary16 to binary32, exact: the exponent is rebiased by a multiplication, which also mends subnormals.
LLMD_INLINE float half_to_float(uint16_t half) {
#if defined(__F16C__)
    return _cvtsh_ss(half);
#elif defined(__aarch64__)
    __fp16 value;
    __builtin_memcpy(&value, &half, sizeof value);
    return value;
#else
    const uint32_t magnitude = (half & 0x7fffu) << 13;
    const uint32_t infinite = magnitude >= 0x0f800000u ? 0x7f800000u : 0;  // infinity or NaN keeps its top exponent
    const float value = bits_to_float(magnitude) * 0x1p112f;
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits_to_float(bits | infinite | (half & 0x8000u) << 16);
#endif
}

LLMD_INLINE float load_half(const uint8_t* from) {
    uint16_t half;
    __builtin_memcpy(&half, from, sizeof half);
    return half_to_float(half);
}

// Sixteen halves, at any alignment.
LLMD_INLINE Lanes load_halves(const void* from) {
    Lanes r;
    const auto* p = static_cast<const uint8_t*>(from);
#if defined(__AVX512F__)
    r.v[0] = reinterpret_cast<Vec>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p))));
#elif defined(__F16C__)
    for (unsigned i = 0; i < 2; ++i) {
        r.v[i] = reinterpret_cast<Vec>(
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p + 16 * static_cast<size_t>(i)))));
    }
#elif defined(__aarch64__)
    float16x8_t low, high;
    __builtin_memcpy(&low, p, sizeof low);
    __builtin_memcpy(&high, p + sizeof low, sizeof high);
    r.v[0] = reinterpret_cast<Vec>(vcvt_f32_f16(vget_low_f16(low)));
    r.v[1] = reinterpret_cast<Vec>(vcvt_high_f32_f16(low));
    r.v[2] = reinterpret_cast<Vec>(vcvt_f32_f16(vget_low_f16(high)));
    r.v[3] = reinterpret_cast<Vec>(vcvt_high_f32_f16(high));
#else
    float lane[16];
    for (unsigned i = 0; i < 16; ++i) lane[i] = load_half(p + 2 * static_cast<size_t>(i));
    r = load(lane);
#endif
    return r;
}

// Sixteen floats as halves, rounded to nearest, ties to even.
#if defined(__F16C__)
LLMD_INLINE void store_halves(uint16_t* to, const float* from) {
    for (unsigned i = 0; i < 16; i += 8) {
        const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        __builtin_memcpy(to + i, &halves, sizeof halves);
    }
}
#elif defined(__aarch64__)
LLMD_INLINE void store_halves(uint16_t* to, const float* from) {
    for (unsigned i = 0; i < 16; i += 4) {
        const float16x4_t halves = vcvt_f16_f32(vld1q_f32(from + i));
        __builtin_memcpy(to + i, &halves, sizeof halves);
    }
}
#else
LLMD_INLINE void store_halves(uint16_t* to, const float* from) {
    for (unsigned i = 0; i < 16; ++i) to[i] = model::float_to_half(from[i]);
}
#endif

// e^x to within 2 units in the last place on [-87, 88], clamped outside, NaN for NaN. Range reduction by Cody and Waite
// (1980); the polynomial is the Taylor series to the seventh power, whose remainder on |r| <= ln(2)/2 is below 2^-27.
LLMD_INLINE Vec exponential(Vec x) {
    const Vec least = Vec{} - 87.0f, most = Vec{} + 88.0f;
#if defined(__aarch64__)  // these keep a NaN
    x = reinterpret_cast<Vec>(vmaxq_f32(reinterpret_cast<float32x4_t>(x), reinterpret_cast<float32x4_t>(least)));
    x = reinterpret_cast<Vec>(vminq_f32(reinterpret_cast<float32x4_t>(x), reinterpret_cast<float32x4_t>(most)));
#else
    x = x < least ? least : x;
    x = x > most ? most : x;
#endif
    const Vec rounded = x * 1.44269504f + 0x1.8p23f;  // the integer nearest to x / ln 2, in the low bits
    const Vec n = rounded - 0x1.8p23f;
    const Vec r = (x - n * 0x1.62e4p-1f) - n * 1.42860682e-6f;  // ln 2 in two parts, the first product is exact
    Vec p = Vec{} + 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * reinterpret_cast<Vec>((reinterpret_cast<Bits>(rounded) - (0x4b400000u - 127u)) << 23);
}

LLMD_INLINE Lanes exponential(const Lanes& x) {
    Lanes r;
    for (unsigned i = 0; i < kVecs; ++i) r.v[i] = exponential(x.v[i]);
    return r;
}

LLMD_INLINE float exponential(float x) {
    return exponential(Vec{} + x)[0];
}

}  // namespace llmd::compute::LLMD_ISA
