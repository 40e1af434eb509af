// Quants of quantised weights and integers side by side, as many rows as a register has floats: a lane is a row
// (cpu_weights.h). Sums of integers are exact, so each instruction set may add them in its own order. Kernel sources
// only (lanes.h).
#pragma once

#include "engine/compute/cpu/lanes.h"

namespace llmd::compute::LLMD_ISA {

inline constexpr unsigned kVecBytes = kVecFloats * 4;

using Quants = uint8_t __attribute__((vector_size(kVecBytes)));  // [row][4 columns]
using Words = uint16_t __attribute__((vector_size(kVecBytes)));
using Uints = uint32_t __attribute__((vector_size(kVecBytes)));
using Ints = int32_t __attribute__((vector_size(kVecBytes)));

// 32 values of one row of activations, each scale * q with |q| <= kLargestQuant. q is kept as 16 bits, or where bytes
// are multiplied as 32 low bytes and 32 high ones: q = 256 * high + low, both signed.
struct QuantizedBlock {
    float scale;
    int32_t sums[2];  // of the first and the last 16 q
    int32_t unused;
    uint8_t q[64];
};
inline constexpr int32_t kLargestQuant = 127 * 256 + 127;

#if defined(__AVX512VNNI__) || defined(__ARM_FEATURE_DOTPROD)
inline constexpr bool kSplitsActivations = true;
#else
inline constexpr bool kSplitsActivations = false;
#endif
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
inline constexpr unsigned kParts = 4;
#else
inline constexpr unsigned kParts = 2;
#endif
// Quants up to 255 are multiplied as they are, and signed ones with 128 more; otherwise signed ones as they are.
#if defined(__aarch64__)
inline constexpr bool kMultipliesSigned = true;
#else
inline constexpr bool kMultipliesSigned = false;
#endif

// Partial sums of kVecFloats rows.
struct PartialSums {
    Ints part[kParts];
};

LLMD_INLINE Quants load_quants(const uint8_t* from) {
    Quants r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

// The bits of each byte from `shift` on that `mask` (shift + its width <= 8) lets through.
LLMD_INLINE Quants bits_of(Quants quants, unsigned shift, uint8_t mask) {
    return reinterpret_cast<Quants>(reinterpret_cast<Words>(quants) >> static_cast<int>(shift)) & (Quants{} + mask);
}

// Every byte of `small`, whose bits all stay in it, shifted up.
LLMD_INLINE Quants shifted_up(Quants small, unsigned shift) {
    return reinterpret_cast<Quants>(reinterpret_cast<Words>(small) << static_cast<int>(shift));
}

// The bits of each byte from `from` on, moved to where `to` begins; `mask` is what lies there. Both are constants to
// the compiler.
LLMD_INLINE Quants bits_moved(Quants quants, unsigned from, unsigned to, uint8_t mask) {
    const auto words = reinterpret_cast<Words>(quants);
    return reinterpret_cast<Quants>(from > to ? words >> static_cast<int>(from - to)
                                              : words << static_cast<int>(to - from)) &
           (Quants{} + mask);
}

LLMD_INLINE Vec to_float(Ints values) {
    return __builtin_convertvector(values, Vec);
}

// One byte a row, zero-extended.
LLMD_INLINE Ints load_byte_rows(const uint8_t* from) {
#if defined(__AVX512F__)
    return reinterpret_cast<Ints>(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from))));
#elif defined(__AVX2__)
    return reinterpret_cast<Ints>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(from))));
#else
    Ints r;
    for (unsigned i = 0; i < kVecFloats; ++i) r[i] = from[i];
    return r;
#endif
}

// The same, signed.
LLMD_INLINE Ints load_signed_byte_rows(const uint8_t* from) {
#if defined(__AVX512F__)
    return reinterpret_cast<Ints>(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from))));
#elif defined(__AVX2__)
    return reinterpret_cast<Ints>(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(from))));
#else
    return (load_byte_rows(from) ^ 128) - 128;
#endif
}

// One half a row.
LLMD_INLINE Vec load_half_rows(const uint8_t* from) {
#if defined(__AVX512F__)
    return reinterpret_cast<Vec>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from))));
#elif defined(__F16C__)
    return reinterpret_cast<Vec>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from))));
#elif defined(__aarch64__)
    float16x4_t half;
    __builtin_memcpy(&half, from, sizeof half);
    return reinterpret_cast<Vec>(vcvt_f32_f16(half));
#else
    Vec r;
    for (unsigned i = 0; i < kVecFloats; ++i) r[i] = load_half(from + size_t{2} * i);
    return r;
#endif
}

// table[index] for indexes below 16.
LLMD_INLINE Quants look_up(const int8_t table[16], Quants index) {
#if defined(__AVX512BW__)
    const __m512i t = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(table)));
    return reinterpret_cast<Quants>(_mm512_shuffle_epi8(t, reinterpret_cast<__m512i>(index)));
#elif defined(__AVX2__)
    const __m256i t = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(table)));
    return reinterpret_cast<Quants>(_mm256_shuffle_epi8(t, reinterpret_cast<__m256i>(index)));
#elif defined(__aarch64__)
    return reinterpret_cast<Quants>(vqtbl1q_s8(vld1q_s8(table), reinterpret_cast<uint8x16_t>(index)));
#else
    Quants r;
    for (unsigned i = 0; i < kVecBytes; ++i) r[i] = static_cast<uint8_t>(table[index[i]]);
    return r;
#endif
}

// sums += quants of 4 columns with q[4 * group] ... of a block. Quants are signed where kMultipliesSigned.
LLMD_INLINE void add_dot_products(PartialSums* sums, Quants quants, const QuantizedBlock& x, unsigned group) {
#if defined(__AVX512VNNI__)
    int32_t low, high;
    __builtin_memcpy(&low, x.q + size_t{4} * group, 4);
    __builtin_memcpy(&high, x.q + 32 + size_t{4} * group, 4);
    const auto w = reinterpret_cast<__m512i>(quants);
    sums->part[0] = reinterpret_cast<Ints>(
        _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums->part[0]), w, _mm512_set1_epi32(low)));
    sums->part[1] = reinterpret_cast<Ints>(
        _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums->part[1]), w, _mm512_set1_epi32(high)));
#elif defined(__AVX2__)
    int64_t q;
    __builtin_memcpy(&q, x.q + size_t{8} * group, 8);
    const __m256i four = _mm256_set1_epi64x(q), zero = _mm256_setzero_si256();
    const auto w = reinterpret_cast<__m256i>(quants);
    sums->part[0] += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpacklo_epi8(w, zero), four));
    sums->part[1] += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpackhi_epi8(w, zero), four));
#elif defined(__SSE2__)
    int64_t q;
    __builtin_memcpy(&q, x.q + size_t{8} * group, 8);
    const __m128i four = _mm_set1_epi64x(q), zero = _mm_setzero_si128();
    const auto w = reinterpret_cast<__m128i>(quants);
    sums->part[0] += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpacklo_epi8(w, zero), four));
    sums->part[1] += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpackhi_epi8(w, zero), four));
#elif defined(__ARM_FEATURE_DOTPROD)
    int32_t low, high;
    __builtin_memcpy(&low, x.q + size_t{4} * group, 4);
    __builtin_memcpy(&high, x.q + 32 + size_t{4} * group, 4);
    const auto w = reinterpret_cast<int8x16_t>(quants);
    sums->part[0] = reinterpret_cast<Ints>(
        vdotq_s32(reinterpret_cast<int32x4_t>(sums->part[0]), w, vreinterpretq_s8_s32(vdupq_n_s32(low))));
    sums->part[1] = reinterpret_cast<Ints>(
        vdotq_s32(reinterpret_cast<int32x4_t>(sums->part[1]), w, vreinterpretq_s8_s32(vdupq_n_s32(high))));
#elif defined(__aarch64__)
    int16x4_t four;
    __builtin_memcpy(&four, x.q + size_t{8} * group, 8);
    const auto w = reinterpret_cast<int8x16_t>(quants);
    const int16x8_t halves[2] = {vmovl_s8(vget_low_s8(w)), vmovl_s8(vget_high_s8(w))};
    for (unsigned i = 0; i < 2; ++i) {
        auto& first = sums->part[2 * i];
        auto& second = sums->part[2 * i + 1];
        first = reinterpret_cast<Ints>(vmlal_s16(reinterpret_cast<int32x4_t>(first), vget_low_s16(halves[i]), four));
        second = reinterpret_cast<Ints>(vmlal_s16(reinterpret_cast<int32x4_t>(second), vget_high_s16(halves[i]), four));
    }
#else
    int16_t q[4];
    __builtin_memcpy(q, x.q + size_t{8} * group, 8);
    for (unsigned i = 0; i < kVecBytes; ++i) sums->part[0][i / 4] += quants[i] * q[i % 4];
#endif
}

// What each row's parts come to.
LLMD_INLINE Ints total(const PartialSums& sums) {
#if defined(__AVX512VNNI__) || defined(__ARM_FEATURE_DOTPROD)
    return sums.part[0] + sums.part[1] * 256;
#elif defined(__AVX2__)
    return reinterpret_cast<Ints>(
        _mm256_hadd_epi32(reinterpret_cast<__m256i>(sums.part[0]), reinterpret_cast<__m256i>(sums.part[1])));
#elif defined(__SSE2__)
    const auto a = reinterpret_cast<__m128>(sums.part[0]), b = reinterpret_cast<__m128>(sums.part[1]);
    return reinterpret_cast<Ints>(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))) +
           reinterpret_cast<Ints>(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
#elif defined(__aarch64__)
    const auto pair = [&sums](unsigned i) {
        return vpaddq_s32(reinterpret_cast<int32x4_t>(sums.part[i]), reinterpret_cast<int32x4_t>(sums.part[i + 1]));
    };
    return reinterpret_cast<Ints>(vpaddq_s32(pair(0), pair(2)));
#else
    return sums.part[0];
#endif
}

}  // namespace llmd::compute::LLMD_ISA
