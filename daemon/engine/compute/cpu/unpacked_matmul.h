// Matmuls of packed matrices (cpu_weights.h) with so many rows of the batch that it pays to unpack a group of weight
// rows once for all of them: to signed bytes, in the order in which the processor multiplies them, with their scales as
// floats. A result has the bits that packed_matmul.h gives it: the integers are the same, and floats are multiplied and
// added in the same order. For ARM processors that add up products of bytes; packed_matmul.h unpacks for those that do
// not. Kernel sources only (lanes.h).
//
// Nearly all registers are taken, and compilers then move them to and fro or load one at a time. So the innermost
// instructions are written out.
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/weight_formats.h"

namespace llmd::compute::LLMD_ISA {

// Rows of the batch from which on unpacking pays.
inline constexpr uint32_t kUnpackedBatch = 8;
// Sub-blocks of a group of rows that are unpacked at a time; they stay in the nearest cache. A multiple of those of any
// format's block.
inline constexpr uint32_t kUnpackedSubBlocks = 32;

#if defined(__ARM_FEATURE_DOTPROD)
// A tile: vectors of weight rows and rows of the batch that are multiplied at a time, as many as registers hold.
inline constexpr unsigned kTileVectors = 2;
inline constexpr unsigned kTileBatch = 4;
// A vector of rows times those of the batch gives so many vectors of results. With instructions for matrices of bytes
// one is two rows of weights times two of the batch, [row][row of the batch]; otherwise it is four times one.
inline constexpr unsigned kResults = 4;
#if defined(__ARM_FEATURE_MATMUL_INT8)
inline constexpr unsigned kResultBatch = 2;
#else
inline constexpr unsigned kResultBatch = 1;
#endif
// Vectors of results from one part of a vector of rows to the next: those of a part are next to each other.
inline constexpr unsigned kPartResults = kTileBatch / kResultBatch;
inline constexpr unsigned kRowParts = kResults / kPartResults;

// The columns of a sub-block that have one scale, of a tile's rows, in the order in which they are read.
template <class Format>
struct UnpackedPart {
    // Of 16 columns each: a vector is 4 columns of 4 rows, or 8 columns of rows 0 and 1, then of rows 2 and 3.
    Quants quants[2 / Format::kScales][kTileVectors][4];
    // Scales, and minimums if there are any, each as often as a vector of results needs it: floats.
    Quants factors[Format::kHasMinimum ? 2 : 1][kTileVectors][kRowParts];
};
template <class Format>
struct UnpackedSubBlock {
    UnpackedPart<Format> parts[Format::kScales];
};

// Two vectors of 4 columns each as they are multiplied, and the factors of the rows of a vector.
LLMD_INLINE void unpack_quants(Quants first, Quants second, Quants to[2]) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
    const auto a = reinterpret_cast<uint32x4_t>(first), b = reinterpret_cast<uint32x4_t>(second);
    to[0] = reinterpret_cast<Quants>(vzip1q_u32(a, b));
    to[1] = reinterpret_cast<Quants>(vzip2q_u32(a, b));
#else
    to[0] = first;
    to[1] = second;
#endif
}
LLMD_INLINE void unpack_factors(Vec of_rows, Quants to[kRowParts]) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
    const auto rows = reinterpret_cast<uint32x4_t>(of_rows);
    to[0] = reinterpret_cast<Quants>(vzip1q_u32(rows, rows));
    to[1] = reinterpret_cast<Quants>(vzip2q_u32(rows, rows));
#else
    to[0] = reinterpret_cast<Quants>(of_rows);
#endif
}

// A sub-block of a vector of rows, the v-th of its tile.
template <class Format>
LLMD_INLINE void unpack(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned v,
                        UnpackedSubBlock<Format>* to) {
    constexpr unsigned kGroups = 8 / Format::kScales;
    Quants quants[8];
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        quants[group] = Format::quants(block, row, sub_block, group);
        if constexpr (Format::kOffset != 0) quants[group] -= static_cast<uint8_t>(Format::kOffset);
    }
#pragma GCC unroll 4
    for (unsigned group = 0; group < 8; group += 2) {
        UnpackedPart<Format>& part = to->parts[group / kGroups];
        unpack_quants(quants[group], quants[group + 1], &part.quants[group % kGroups / 4][v][group % 4]);
    }
#pragma GCC unroll 2
    for (unsigned part = 0; part < Format::kScales; ++part) {
        auto& factors = to->parts[part].factors;
        unpack_factors(Format::scale(block, half, row, sub_block, part), factors[0][v]);
        if constexpr (Format::kHasMinimum) {
            unpack_factors(Format::minimum(block, row, sub_block, part), factors[1][v]);
        }
    }
}

// The next two vectors.
LLMD_INLINE void load_two(const Quants*& next, Vec to[2]) {
    asm("ldp %q0, %q1, [%2], #32"
        : "=w"(to[0]), "=w"(to[1]), "+r"(next)
        : "m"(*reinterpret_cast<const Quants(*)[2]>(next)));
}

// What a tile's rows of x have before their quants: scales, and sums if `Sums` wants them.
struct BlockScales {
    Vec scales;
    Ints sums[3];
};
// Those of the blocks at x, and on to the next block of each row.
template <bool Sums>
LLMD_INLINE BlockScales load_scales(const QuantizedBlock* x[kTileBatch]) {
    BlockScales block = {};
    if constexpr (Sums) {
        static_assert(offsetof(QuantizedBlock, scale) == 0 && offsetof(QuantizedBlock, sums) == 4);
        uint32x4_t of[kTileBatch];
#pragma GCC unroll 4
        for (unsigned c = 0; c < kTileBatch; ++c) {
            asm("ldr %q0, [%1], %2" : "=w"(of[c]), "+r"(x[c]) : "i"(sizeof(QuantizedBlock)), "m"(*x[c]));
        }
        const uint32x4_t even[2] = {vzip1q_u32(of[0], of[2]), vzip2q_u32(of[0], of[2])};
        const uint32x4_t odd[2] = {vzip1q_u32(of[1], of[3]), vzip2q_u32(of[1], of[3])};
        block.scales = reinterpret_cast<Vec>(vzip1q_u32(even[0], odd[0]));
        block.sums[0] = reinterpret_cast<Ints>(vzip2q_u32(even[0], odd[0]));
        block.sums[1] = reinterpret_cast<Ints>(vzip1q_u32(even[1], odd[1]));
        block.sums[2] = reinterpret_cast<Ints>(vzip2q_u32(even[1], odd[1]));
    } else {
        asm("ldr %s0, [%1], %5\n\t"
            "ld1 {%0.s}[1], [%2], %6\n\t"
            "ld1 {%0.s}[2], [%3], %6\n\t"
            "ld1 {%0.s}[3], [%4], %6"
            : "=&w"(block.scales), "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
            : "i"(sizeof(QuantizedBlock)), "r"(sizeof(QuantizedBlock)), "m"(*x[0]), "m"(*x[1]), "m"(*x[2]), "m"(*x[3]));
    }
    return block;
}

// A limb of the blocks before x, the first 16 columns and the others.
template <unsigned Limb>
LLMD_INLINE void load_columns(const QuantizedBlock* const x[kTileBatch], int8x16_t q[2][kTileBatch]) {
    constexpr int kAt = static_cast<int>(offsetof(QuantizedBlock, q) + 32 * Limb) - static_cast<int>(sizeof *x[0]);
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; ++c) {
        asm("ldp %q0, %q1, [%2, %3]" : "=w"(q[0][c]), "=w"(q[1][c]) : "r"(x[c]), "i"(kAt), "m"(x[c][-1]));
    }
}
// The first 16 columns, or the others.
template <unsigned Limb, unsigned Half>
LLMD_INLINE void load_half_columns(const QuantizedBlock* const x[kTileBatch], int8x16_t q[kTileBatch]) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; ++c) {
        q[c] = vld1q_s8(reinterpret_cast<const int8_t*>(x[c][-1].q + 32 * Limb + 16 * Half));
    }
}

// Each by an instruction of its own: compilers would keep one zero in a register, of which there are too few, and copy
// it.
LLMD_INLINE int32x4_t zero() {
    int32x4_t r;
    asm volatile("movi %0.4s, #0" : "=w"(r));
    return r;
}

// sums += the next 16 columns of a vector of rows times q: of each row of the batch 16 columns or, with instructions
// for matrices, of rows 0 and 1, then of rows 2 and 3, 8 columns and the other 8.
LLMD_INLINE void add_products(int32x4_t sums[kResults], const Quants*& next, const int8x16_t q[kTileBatch]) {
    Quants a, b, c, d;
    asm("ldp %q[a], %q[b], [%[next]], #32\n\t"
        "ldp %q[c], %q[d], [%[next]], #32\n\t"
#if defined(__ARM_FEATURE_MATMUL_INT8)
        "smmla %[s0].4s, %[a].16b, %[q0].16b\n\t"
        "smmla %[s1].4s, %[a].16b, %[q2].16b\n\t"
        "smmla %[s2].4s, %[b].16b, %[q0].16b\n\t"
        "smmla %[s3].4s, %[b].16b, %[q2].16b\n\t"
        "smmla %[s0].4s, %[c].16b, %[q1].16b\n\t"
        "smmla %[s1].4s, %[c].16b, %[q3].16b\n\t"
        "smmla %[s2].4s, %[d].16b, %[q1].16b\n\t"
        "smmla %[s3].4s, %[d].16b, %[q3].16b"
#else
        "sdot %[s0].4s, %[a].16b, %[q0].4b[0]\n\t"
        "sdot %[s1].4s, %[a].16b, %[q1].4b[0]\n\t"
        "sdot %[s2].4s, %[a].16b, %[q2].4b[0]\n\t"
        "sdot %[s3].4s, %[a].16b, %[q3].4b[0]\n\t"
        "sdot %[s0].4s, %[b].16b, %[q0].4b[1]\n\t"
        "sdot %[s1].4s, %[b].16b, %[q1].4b[1]\n\t"
        "sdot %[s2].4s, %[b].16b, %[q2].4b[1]\n\t"
        "sdot %[s3].4s, %[b].16b, %[q3].4b[1]\n\t"
        "sdot %[s0].4s, %[c].16b, %[q0].4b[2]\n\t"
        "sdot %[s1].4s, %[c].16b, %[q1].4b[2]\n\t"
        "sdot %[s2].4s, %[c].16b, %[q2].4b[2]\n\t"
        "sdot %[s3].4s, %[c].16b, %[q3].4b[2]\n\t"
        "sdot %[s0].4s, %[d].16b, %[q0].4b[3]\n\t"
        "sdot %[s1].4s, %[d].16b, %[q1].4b[3]\n\t"
        "sdot %[s2].4s, %[d].16b, %[q2].4b[3]\n\t"
        "sdot %[s3].4s, %[d].16b, %[q3].4b[3]"
#endif
        : [s0] "+&w"(sums[0]), [s1] "+&w"(sums[1]), [s2] "+&w"(sums[2]), [s3] "+&w"(sums[3]), [next] "+&r"(next),
          [a] "=&w"(a), [b] "=&w"(b), [c] "=&w"(c), [d] "=&w"(d)
        : [q0] "w"(q[0]), [q1] "w"(q[1]), [q2] "w"(q[2]), [q3] "w"(q[3]),
          "m"(*reinterpret_cast<const Quants(*)[4]>(next)));
}

// sums += the limb's 16 columns `q` of each row of the batch, with the rows of weights from `next` on.
LLMD_INLINE void add_columns(int32x4_t sums[kTileVectors][kResults], const Quants*& next, int8x16_t q[kTileBatch]) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
#pragma GCC unroll 2
    for (unsigned c = 0; c < kTileBatch; c += 2) {
        const auto a = vreinterpretq_s64_s8(q[c]), b = vreinterpretq_s64_s8(q[c + 1]);
        q[c] = vreinterpretq_s8_s64(vtrn1q_s64(a, b));
        q[c + 1] = vreinterpretq_s8_s64(vtrn2q_s64(a, b));
    }
#endif
#pragma GCC unroll 2
    for (unsigned v = 0; v < kTileVectors; ++v) add_products(sums[v], next, q);
}

// sums += a limb of a part of a sub-block, that of the blocks before x.
template <class Format, unsigned Limb, unsigned Part>
LLMD_INLINE void add_limb(int32x4_t sums[kTileVectors][kResults], const Quants*& next,
                          const QuantizedBlock* const x[kTileBatch]) {
    int8x16_t q[2][kTileBatch];
    if constexpr (Format::kScales == 2) {
        load_half_columns<Limb, Part>(x, q[0]);
        add_columns(sums, next, q[0]);
    } else {
        load_columns<Limb>(x, q);
        add_columns(sums, next, q[0]);
        add_columns(sums, next, q[1]);
    }
}

template <unsigned Value>
struct Constant {};

// do_result(v, r) for each vector of results.
template <class Function>
LLMD_INLINE void for_results(const Function& do_result) {
#pragma GCC unroll 2
    for (unsigned v = 0; v < kTileVectors; ++v) {
#pragma GCC unroll 4
        for (unsigned r = 0; r < kResults; ++r) do_result(v, r);
    }
}

// Of each row of the batch a number, and rows times those of the r-th vector of results.
struct BatchFactors {
#if defined(__ARM_FEATURE_MATMUL_INT8)
    Vec pairs[2];
    LLMD_INLINE BatchFactors of(Vec values) {
        const auto both = reinterpret_cast<int64x2_t>(values);
        return {{reinterpret_cast<Vec>(vdupq_laneq_s64(both, 0)), reinterpret_cast<Vec>(vdupq_laneq_s64(both, 1))}};
    }
    LLMD_INLINE Vec multiply(Vec rows, const BatchFactors& by, unsigned r) {
        return rows * by.pairs[r % 2];
    }
    LLMD_INLINE Vec add(Vec rows, const BatchFactors& by, unsigned r, Vec sum) {
        return multiply_add(rows, by.pairs[r % 2], sum);
    }
#else
    float32x4_t values;
    LLMD_INLINE BatchFactors of(Vec values) {
        return {reinterpret_cast<float32x4_t>(values)};
    }
    LLMD_INLINE Vec multiply(Vec rows, const BatchFactors& by, unsigned r) {
        const auto a = reinterpret_cast<float32x4_t>(rows);
        return reinterpret_cast<Vec>(r == 0   ? vmulq_laneq_f32(a, by.values, 0)
                                     : r == 1 ? vmulq_laneq_f32(a, by.values, 1)
                                     : r == 2 ? vmulq_laneq_f32(a, by.values, 2)
                                              : vmulq_laneq_f32(a, by.values, 3));
    }
    LLMD_INLINE Vec add(Vec rows, const BatchFactors& by, unsigned r, Vec sum) {
        const auto a = reinterpret_cast<float32x4_t>(rows), to = reinterpret_cast<float32x4_t>(sum);
        return reinterpret_cast<Vec>(r == 0   ? vfmaq_laneq_f32(to, a, by.values, 0)
                                     : r == 1 ? vfmaq_laneq_f32(to, a, by.values, 1)
                                     : r == 2 ? vfmaq_laneq_f32(to, a, by.values, 2)
                                              : vfmaq_laneq_f32(to, a, by.values, 3));
    }
#endif
};

// The results of a vector of rows, from and to where they lie in `out` of each row of the batch.
LLMD_INLINE void load_results(float* const out[kTileBatch], size_t at, Vec results[kResults]) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; c += kResultBatch) {
        const float32x4_t a = vld1q_f32(out[c] + at);
#if defined(__ARM_FEATURE_MATMUL_INT8)
        const float32x4_t b = vld1q_f32(out[c + 1] + at);
        results[c / 2] = reinterpret_cast<Vec>(vzip1q_f32(a, b));
        results[c / 2 + kPartResults] = reinterpret_cast<Vec>(vzip2q_f32(a, b));
#else
        results[c] = reinterpret_cast<Vec>(a);
#endif
    }
}
LLMD_INLINE void store_results(const Vec results[kResults], float* const out[kTileBatch], size_t at) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; c += kResultBatch) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
        const auto low = reinterpret_cast<float32x4_t>(results[c / 2]);
        const auto high = reinterpret_cast<float32x4_t>(results[c / 2 + kPartResults]);
        vst1q_f32(out[c] + at, vuzp1q_f32(low, high));
        vst1q_f32(out[c + 1] + at, vuzp2q_f32(low, high));
#else
        vst1q_f32(out[c] + at, reinterpret_cast<float32x4_t>(results[c]));
#endif
    }
}

// Adds the products of a part of a sub-block, scaled, to the results of a tile.
template <class Format, unsigned Part>
LLMD_INLINE void add_scaled(const int32x4_t products[kTileVectors][kResults], const Quants*& next,
                            const BlockScales& block, Vec sums[kTileVectors][kResults]) {
    const auto scales = BatchFactors::of(block.scales);
    Vec factors[kTileVectors * kRowParts];
    for (unsigned i = 0; i < kTileVectors * kRowParts; i += 2) load_two(next, factors + i);
    for_results([&](unsigned v, unsigned r) __attribute__((always_inline)) {
        const Vec scale = BatchFactors::multiply(factors[v * kRowParts + r / kPartResults], scales, r);
        sums[v][r] = multiply_add(to_float(reinterpret_cast<Ints>(products[v][r])), scale, sums[v][r]);
    });
    if constexpr (Format::kHasMinimum) {
        const auto scaled_sums = BatchFactors::of(block.scales * to_float(block.sums[Format::kScales == 2 ? Part : 2]));
        for (unsigned i = 0; i < kTileVectors * kRowParts; i += 2) load_two(next, factors + i);
        for_results([&](unsigned v, unsigned r) __attribute__((always_inline)) {
            sums[v][r] = BatchFactors::add(factors[v * kRowParts + r / kPartResults], scaled_sums, r, sums[v][r]);
        });
    }
}

// Adds a sub-block, the activations of which are before x, to the results of a tile.
template <class Format, unsigned Limbs>
LLMD_INLINE void multiply_tile_sub_block(const Quants*& next, const QuantizedBlock* const x[kTileBatch],
                                         const BlockScales& block, Vec sums[kTileVectors][kResults]) {
    int8x16_t q[2][kTileBatch];
    if constexpr (Limbs == 1) load_columns<0>(x, q);
    const auto multiply_part = [&]<unsigned Part>(Constant<Part>) __attribute__((always_inline)) {
        int32x4_t products[kTileVectors][kResults];
        for_results([&](unsigned v, unsigned r) __attribute__((always_inline)) { products[v][r] = zero(); });
        if constexpr (Limbs == 2) {
            const Quants* from = next;
            add_limb<Format, 1, Part>(products, from, x);
            for_results([&](unsigned v, unsigned r)
                            __attribute__((always_inline)) { products[v][r] = vshlq_n_s32(products[v][r], 8); });
            add_limb<Format, 0, Part>(products, next, x);
        } else {
            add_columns(products, next, q[Part]);
            if constexpr (Format::kScales == 1) add_columns(products, next, q[1]);
        }
        add_scaled<Format, Part>(products, next, block, sums);
    };
    multiply_part(Constant<0>());
    if constexpr (Format::kScales == 2) multiply_part(Constant<1>());
}

// Where a tile's rows of the batch are; the last as often as some are missing.
struct TileBatch {
    const QuantizedBlock* x[kTileBatch];
    float* out[kTileBatch];
};

// Adds `n` sub-blocks of a tile's rows, the first of which is `row`, times those of the batch to out, or begins with
// them.
template <class Format, unsigned Limbs>
LLMD_INLINE void multiply_tile(const UnpackedSubBlock<Format>* w, unsigned n, const TileBatch& batch, unsigned row,
                               bool begins) {
    const QuantizedBlock* x[kTileBatch];
    for (unsigned c = 0; c < kTileBatch; ++c) x[c] = batch.x[c];
    Vec sums[kTileVectors][kResults] = {};
    if (!begins) {
        for (unsigned v = 0; v < kTileVectors; ++v) load_results(batch.out, row + v * kVecFloats, sums[v]);
    }
    const auto* next = reinterpret_cast<const Quants*>(w);
    const auto* const end = reinterpret_cast<const Quants*>(w + n);
    while (next != end) {
        const BlockScales block = load_scales<Format::kHasMinimum>(x);
        multiply_tile_sub_block<Format, Limbs>(next, x, block, sums);
    }
    for (unsigned v = 0; v < kTileVectors; ++v) store_results(sums[v], batch.out, row + v * kVecFloats);
}

// A whole group of rows with n_batch rows of x.
template <class Format, unsigned Limbs>
void unpack_and_multiply(const uint8_t* group, uint32_t cols, const QuantizedBlock* x, size_t x_stride,
                         uint32_t n_batch, float* out, size_t out_stride) {
    constexpr unsigned kTileRows = kTileVectors * kVecFloats;
    const uint32_t n_sub_blocks = cols / 32;
    const uint8_t* half = group;
    const uint8_t* block = group + (kHalfApart<Format> ? packed_halves_bytes(n_sub_blocks / Format::kSubBlocks) : 0);
    UnpackedSubBlock<Format> unpacked[kPackedRows / kTileRows][kUnpackedSubBlocks];
    for (uint32_t first = 0; first < n_sub_blocks; first += kUnpackedSubBlocks) {
        const uint32_t n = n_sub_blocks - first < kUnpackedSubBlocks ? n_sub_blocks - first : kUnpackedSubBlocks;
        for (uint32_t b = 0; b < n; b += Format::kSubBlocks) {
            for (unsigned row = 0; row < kPackedRows; row += kVecFloats) {
                const unsigned v = row % kTileRows / kVecFloats;
#pragma GCC unroll 8
                for (unsigned i = 0; i < Format::kSubBlocks; ++i) {
                    unpack<Format>(block, half, row, i, v, &unpacked[row / kTileRows][b + i]);
                }
            }
            block += kPackedRows * kBlockBytes<Format>;
            half += size_t{2} * kPackedRows;
        }
        for (uint32_t c = 0; c < n_batch; c += kTileBatch) {
            TileBatch batch;
            for (uint32_t i = 0; i < kTileBatch; ++i) {
                const uint32_t of = c + i < n_batch ? c + i : n_batch - 1;
                batch.x[i] = x + of * x_stride + first;
                batch.out[i] = out + of * out_stride;
            }
            for (unsigned row = 0; row < kPackedRows; row += kTileRows) {
                multiply_tile<Format, Limbs>(unpacked[row / kTileRows], n, batch, row, first == 0);
            }
        }
    }
}

#endif

}  // namespace llmd::compute::LLMD_ISA
