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

// 32 values of one row of activations, each scale * q. With two bytes |q| <= 127 * 256 + 127 and q = 256 * high + low,
// both signed, where byte_at() says. With one |q| <= 127. Where words are multiplied instead of bytes (neither
// kSplitsActivations nor kKeepsBytes), q is kept as 16 bits.
struct QuantizedBlock {
    float scale;
    int32_t sums[3];  // of the first and of the last 16 q, and of both
    uint8_t q[64];
};
template <unsigned ValueBytes>
inline constexpr int32_t kLargestQuant = ValueBytes == 2 ? 127 * 256 + 127 : 127;

#if defined(__AVX512VNNI__) || defined(__aarch64__)
inline constexpr bool kSplitsActivations = true;
#else
inline constexpr bool kSplitsActivations = false;
#endif
// Whether quants are multiplied as signed bytes; otherwise as unsigned ones, to which signed ones have had 128 added.
#if defined(__aarch64__)
inline constexpr bool kMultipliesSigned = true;
#else
inline constexpr bool kMultipliesSigned = false;
#endif
// So many low bytes lie together, then as many high ones: with NEON alone 8, so that one register has both bytes of the
// columns that are multiplied next.
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
template <unsigned ValueBytes>
inline constexpr unsigned kByteRun = ValueBytes == 2 ? 8 : 32;
#else
template <unsigned ValueBytes>
inline constexpr unsigned kByteRun = 32;
#endif
// Where the low (0) or high (1) byte of the i-th q is.
template <unsigned ValueBytes>
constexpr unsigned byte_at(unsigned i, unsigned byte) {
    return (i / kByteRun<ValueBytes> * ValueBytes + byte) * kByteRun<ValueBytes> + i % kByteRun<ValueBytes>;
}
// Whether two products of bytes are added to 16 bits in one instruction, which does not overflow.
#if defined(__AVX2__) && !defined(__AVX512VNNI__)
inline constexpr bool kKeepsBytes = true;  // of activations of one byte
template <unsigned ValueBytes, unsigned Largest>
inline constexpr bool kMultipliesPairs = ValueBytes == 1 && Largest <= 127;
#else
inline constexpr bool kKeepsBytes = kSplitsActivations;
template <unsigned ValueBytes, unsigned Largest>
inline constexpr bool kMultipliesPairs = false;
#endif
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
inline constexpr bool kSumsHalves = true;  // products are added up in 16 bits as long as they fit
#else
inline constexpr bool kSumsHalves = false;
#endif

#if defined(__aarch64__)
inline constexpr bool kBeginsWithOffset = true;  // quants' offset is taken off before they are multiplied, not after
#else
inline constexpr bool kBeginsWithOffset = false;
#endif

// Partial sums of kVecFloats rows, whose quants are up to Largest, and one row of activations.
template <unsigned ValueBytes, unsigned Largest>
struct PartialSums {
    static constexpr unsigned kParts = kSplitsActivations || kMultipliesPairs<ValueBytes, Largest> ? ValueBytes : 2;
    Ints part[kParts];
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
    int16x8_t halves[ValueBytes][2];
#endif
};

LLMD_INLINE Quants load_quants(const uint8_t* from) {
    Quants r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

// The bits of each byte from `shift` on that `mask` (shift + its width <= 8) lets through.
LLMD_INLINE Quants bits_of(Quants quants, unsigned shift, uint8_t mask) {
#if defined(__aarch64__)  // bytes can be shifted
    if (shift != 0) quants = quants >> static_cast<uint8_t>(shift);
    return mask == 255 >> shift ? quants : quants & (Quants{} + mask);
#endif
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
#elif defined(__aarch64__)
    uint32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return reinterpret_cast<Ints>(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
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

// product + sum, rounded once where the instruction set can.
LLMD_INLINE Vec multiply_add(Vec a, Vec b, Vec sum) {
#if defined(__aarch64__)
    return reinterpret_cast<Vec>(vfmaq_f32(reinterpret_cast<float32x4_t>(sum), reinterpret_cast<float32x4_t>(a),
                                           reinterpret_cast<float32x4_t>(b)));
#else
    return sum + a * b;
#endif
}

LLMD_INLINE Vec multiply_add(Vec a, float b, Vec sum) {
#if defined(__aarch64__)
    return reinterpret_cast<Vec>(vfmaq_n_f32(reinterpret_cast<float32x4_t>(sum), reinterpret_cast<float32x4_t>(a), b));
#else
    return sum + a * b;
#endif
}

#if defined(__aarch64__)
// The 4 columns of a group, four times.
LLMD_INLINE int8x16_t repeated_group(int8x16_t of_four, unsigned group) {
    const int32x4_t words = vreinterpretq_s32_s8(of_four);
    switch (group % 4) {
        case 0:
            return vreinterpretq_s8_s32(vdupq_laneq_s32(words, 0));
        case 1:
            return vreinterpretq_s8_s32(vdupq_laneq_s32(words, 1));
        case 2:
            return vreinterpretq_s8_s32(vdupq_laneq_s32(words, 2));
        default:
            return vreinterpretq_s8_s32(vdupq_laneq_s32(words, 3));
    }
}
#endif
#if defined(__ARM_FEATURE_DOTPROD)
LLMD_INLINE int32x4_t add_dot_product(int32x4_t sums, int8x16_t w, int8x16_t of_four, unsigned group) {
    switch (group % 4) {
        case 0:
            return vdotq_laneq_s32(sums, w, of_four, 0);
        case 1:
            return vdotq_laneq_s32(sums, w, of_four, 1);
        case 2:
            return vdotq_laneq_s32(sums, w, of_four, 2);
        default:
            return vdotq_laneq_s32(sums, w, of_four, 3);
    }
}
#endif

// sums += quants of 4 columns with q of the same columns of a block. Quants are signed where kMultipliesSigned. Where
// kSumsHalves, fold() follows before sums overflow.
template <unsigned ValueBytes, unsigned Largest>
LLMD_INLINE void add_dot_products(PartialSums<ValueBytes, Largest>* sums, Quants quants, const QuantizedBlock& x,
                                  unsigned group) {
#if defined(__AVX512VNNI__)
    const auto w = reinterpret_cast<__m512i>(quants);
    for (unsigned byte = 0; byte < ValueBytes; ++byte) {
        int32_t q;
        __builtin_memcpy(&q, x.q + size_t{32} * byte + size_t{4} * group, 4);
        sums->part[byte] = reinterpret_cast<Ints>(
            _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums->part[byte]), w, _mm512_set1_epi32(q)));
    }
#elif defined(__AVX2__)
    const auto w = reinterpret_cast<__m256i>(quants);
    if constexpr (kMultipliesPairs<ValueBytes, Largest>) {
        int32_t q;
        __builtin_memcpy(&q, x.q + size_t{4} * group, 4);
        const __m256i pairs = _mm256_maddubs_epi16(w, _mm256_set1_epi32(q));
        sums->part[0] += reinterpret_cast<Ints>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    } else {
        __m256i four;
        if constexpr (ValueBytes == 1) {
            int32_t q;
            __builtin_memcpy(&q, x.q + size_t{4} * group, 4);
            four = _mm256_broadcastq_epi64(_mm_cvtepi8_epi16(_mm_cvtsi32_si128(q)));
        } else {
            int64_t q;
            __builtin_memcpy(&q, x.q + size_t{8} * group, 8);
            four = _mm256_set1_epi64x(q);
        }
        const __m256i zero = _mm256_setzero_si256();
        sums->part[0] += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpacklo_epi8(w, zero), four));
        sums->part[1] += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpackhi_epi8(w, zero), four));
    }
#elif defined(__SSE2__)
    int64_t q;
    __builtin_memcpy(&q, x.q + size_t{8} * group, 8);
    const __m128i four = _mm_set1_epi64x(q), zero = _mm_setzero_si128();
    const auto w = reinterpret_cast<__m128i>(quants);
    sums->part[0] += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpacklo_epi8(w, zero), four));
    sums->part[1] += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpackhi_epi8(w, zero), four));
#elif defined(__aarch64__)
    const auto w = reinterpret_cast<int8x16_t>(quants);
    for (unsigned byte = 0; byte < ValueBytes; ++byte) {
        const unsigned at = byte_at<ValueBytes>(4 * group, byte) / 4;  // groups of 4 before it
        const int8x16_t q = vld1q_s8(reinterpret_cast<const int8_t*>(x.q) + 16 * (at / 4));
#if defined(__ARM_FEATURE_DOTPROD)
        sums->part[byte] =
            reinterpret_cast<Ints>(add_dot_product(reinterpret_cast<int32x4_t>(sums->part[byte]), w, q, at));
#else
        const int8x16_t four = repeated_group(q, at);
        int16x8_t* const halves = sums->halves[byte];
        halves[0] = vmlal_s8(halves[0], vget_low_s8(w), vget_low_s8(four));
        halves[1] = vmlal_high_s8(halves[1], w, four);
#endif
    }
#else
    int16_t q[4];
    __builtin_memcpy(q, x.q + size_t{8} * group, 8);
    for (unsigned i = 0; i < kVecBytes; ++i) sums->part[0][i / 4] += quants[i] * q[i % 4];
#endif
}

// Groups of quants up to `largest` whose products with a byte add up to 16 bits at most, where kSumsHalves; otherwise
// any.
constexpr unsigned groups_before_fold(unsigned largest) {
    const unsigned most = kSumsHalves ? 255 / largest : 8;
    return most >= 8 ? 8 : most >= 4 ? 4 : most >= 2 ? 2 : 1;
}

// Moves what has been added to the sums of 16 bits, if there are any, to those of 32.
template <unsigned ValueBytes, unsigned Largest>
LLMD_INLINE void fold([[maybe_unused]] PartialSums<ValueBytes, Largest>* sums) {
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
    for (unsigned byte = 0; byte < ValueBytes; ++byte) {
        int16x8_t* const halves = sums->halves[byte];
        auto part = reinterpret_cast<int32x4_t>(sums->part[byte]);
        if constexpr (2 * groups_before_fold(Largest) * Largest <= 255) {
            part = vpadalq_s16(part, vpaddq_s16(halves[0], halves[1]));
        } else {
            part = vaddq_s32(part, vpaddq_s32(vpaddlq_s16(halves[0]), vpaddlq_s16(halves[1])));
        }
        sums->part[byte] = reinterpret_cast<Ints>(part);
        halves[0] = halves[1] = vdupq_n_s16(0);
    }
#endif
}

// The total of each row's parts.
template <unsigned ValueBytes, unsigned Largest>
LLMD_INLINE Ints total(const PartialSums<ValueBytes, Largest>& sums) {
#if defined(__aarch64__)
    if constexpr (ValueBytes == 2) {
        return reinterpret_cast<Ints>(
            vmlaq_n_s32(reinterpret_cast<int32x4_t>(sums.part[0]), reinterpret_cast<int32x4_t>(sums.part[1]), 256));
    }
    return sums.part[0];
#elif defined(__AVX512VNNI__)
    if constexpr (ValueBytes == 2) return sums.part[0] + sums.part[1] * 256;
    return sums.part[0];
#elif defined(__AVX2__)
    if constexpr (kMultipliesPairs<ValueBytes, Largest>) {
        return sums.part[0];
    } else {
        return reinterpret_cast<Ints>(
            _mm256_hadd_epi32(reinterpret_cast<__m256i>(sums.part[0]), reinterpret_cast<__m256i>(sums.part[1])));
    }
#elif defined(__SSE2__)
    const auto a = reinterpret_cast<__m128>(sums.part[0]), b = reinterpret_cast<__m128>(sums.part[1]);
    return reinterpret_cast<Ints>(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))) +
           reinterpret_cast<Ints>(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
#else
    return sums.part[0];
#endif
}

}  // namespace llmd::compute::LLMD_ISA
