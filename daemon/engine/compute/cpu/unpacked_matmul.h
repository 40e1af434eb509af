// Matmuls of packed matrices (cpu_weights.h) with so many rows of the batch that it pays to unpack a group of weight
// rows once for all of them: to signed bytes, in the order in which the processor multiplies them, with their scales as
// floats. Rows of the batch are quantized four next to each other, so that one instruction loads what several use. A
// result has the bits that packed_matmul.h gives it: the integers are the same, and floats are multiplied and added in
// the same order. For ARM processors that add up products of bytes; packed_matmul.h has what is done on those that do
// not. Kernel sources only (lanes.h).
//
// Nearly all registers are taken, and compilers then move them to and fro or load one at a time. So the innermost
// instructions are written out.
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/weight_formats.h"

namespace llmd::compute::LLMD_ISA {

// Rows of the batch from which on unpacking pays.
#if defined(__ARM_FEATURE_DOTPROD)
inline constexpr uint32_t kUnpackedBatch = 4;
#else
inline constexpr uint32_t kUnpackedBatch = 8;
#endif
// Sub-blocks of a group of rows that are unpacked at a time; they stay in the nearest cache. A multiple of those of any
// format's block.
inline constexpr uint32_t kUnpackedSubBlocks = 32;
// Rows of the batch that are multiplied at a time.
inline constexpr unsigned kTileBatch = 4;
// Returns how many rows of a batch, from the first on, are multiplied with unpacked weights.
constexpr uint32_t unpacked_rows([[maybe_unused]] uint32_t n_batch) {
#if defined(__aarch64__)
    return n_batch < kUnpackedBatch ? 0 : n_batch / kTileBatch * kTileBatch;
#else
    return 0;
#endif
}

#if defined(__ARM_FEATURE_DOTPROD)
// A tile has this many vectors of weight rows and kTileBatch rows of the batch, as many as registers hold.
inline constexpr unsigned kTileVectors = 2;
inline constexpr unsigned kTileRows = kTileVectors * kVecFloats;
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
    // Each has 16 columns: a vector is 4 columns of 4 rows, or 8 columns of rows 0 and 1, then of rows 2 and 3.
    Quants quants[2 / Format::kScales][kTileVectors][4];
    // Scales, and minimums if there are any, each as often as a vector of results needs it: floats.
    Quants factors[Format::kHasMinimum ? 2 : 1][kTileVectors][kRowParts];
};
template <class Format>
struct UnpackedSubBlock {
    UnpackedPart<Format> parts[Format::kScales];
};
template <class Format>
struct UnpackedGroup {
    UnpackedSubBlock<Format> tiles[kPackedRows / kTileRows][kUnpackedSubBlocks];
};

// A sub-block of kTileBatch rows of the batch, in the order in which it is read: high bytes before low ones.
template <unsigned ValueBytes>
struct QuantizedTile {
    int8_t value_bytes[ValueBytes][2]
                      [16 * kTileBatch];  // of the first and of the last 16 columns; place_in_tile() says where
    float scales[kTileBatch];
    float scaled_sums[3][kTileBatch];  // scale * sums of QuantizedBlock
};
static_assert(sizeof(QuantizedTile<1>) == 3 * 64 && sizeof(QuantizedTile<2>) == 5 * 64);
static_assert(sizeof(QuantizedTile<2>) <= kTileBatch * kQuantizedBlockBytes);

// Where 8 of 16 columns of a row are, the first (0) or the last (1).
constexpr unsigned place_in_tile(unsigned row, unsigned half) {
    return kResultBatch == 1 ? 16 * row + 8 * half : 32 * (row / 2) + 16 * half + 8 * (row % 2);
}

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

// A sub-block of the vector of rows from `row` on, the `at`-th of the group.
template <class Format>
LLMD_INLINE void unpack(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned at,
                        UnpackedGroup<Format>* group) {
    constexpr unsigned kGroups = 8 / Format::kScales;
    UnpackedSubBlock<Format>& to = group->tiles[row / kTileRows][at];
    const unsigned v = row % kTileRows / kVecFloats;
    Quants quants[8];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
        quants[i] = Format::quants(block, row, sub_block, i);
        if constexpr (Format::kOffset != 0) quants[i] -= static_cast<uint8_t>(Format::kOffset);
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 8; i += 2) {
        UnpackedPart<Format>& part = to.parts[i / kGroups];
        unpack_quants(quants[i], quants[i + 1], &part.quants[i % kGroups / 4][v][i % 4]);
    }
#pragma GCC unroll 2
    for (unsigned part = 0; part < Format::kScales; ++part) {
        auto& factors = to.parts[part].factors;
        unpack_factors(Format::scale(block, half, row, sub_block, part), factors[0][v]);
        if constexpr (Format::kHasMinimum) {
            unpack_factors(Format::minimum(block, row, sub_block, part), factors[1][v]);
        }
    }
}

// --- Products of bytes -----------------------------------------------------------------------------------------------

// Registers are named, because one instruction loads four that follow each other: v16 to v23 are sums, v0 to v3 and v12
// to v15 in turn 16 columns of each row of the batch, v4 to v7 those of the first vector of weight rows and v8 to v11
// of the second. What comes next is loaded while these are multiplied.
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define LLMD_SMMLA(s, w, x) "smmla " s ".4s, " w ".16b, " x ".16b\n\t"
#define LLMD_SMMLAS(s0, s1, s2, s3, w0, w1, x0, x1) \
    LLMD_SMMLA(s0, w0, x0) LLMD_SMMLA(s1, w0, x1) LLMD_SMMLA(s2, w1, x0) LLMD_SMMLA(s3, w1, x1)
#define LLMD_ADD_PRODUCTS(s0, s1, s2, s3, w0, w1, w2, w3, x0, x1, x2, x3) \
    LLMD_SMMLAS(s0, s1, s2, s3, w0, w1, x0, x2)                           \
    LLMD_SMMLAS(s0, s1, s2, s3, w2, w3, x1, x3)
#else
#define LLMD_SDOT(s, w, x, i) "sdot " s ".4s, " w ".16b, " x ".4b[" i "]\n\t"
#define LLMD_SDOTS(s0, s1, s2, s3, w, x0, x1, x2, x3, i) \
    LLMD_SDOT(s0, w, x0, i) LLMD_SDOT(s1, w, x1, i) LLMD_SDOT(s2, w, x2, i) LLMD_SDOT(s3, w, x3, i)
#define LLMD_ADD_PRODUCTS(s0, s1, s2, s3, w0, w1, w2, w3, x0, x1, x2, x3) \
    LLMD_SDOTS(s0, s1, s2, s3, w0, x0, x1, x2, x3, "0")                   \
    LLMD_SDOTS(s0, s1, s2, s3, w1, x0, x1, x2, x3, "1")                   \
    LLMD_SDOTS(s0, s1, s2, s3, w2, x0, x1, x2, x3, "2")                   \
    LLMD_SDOTS(s0, s1, s2, s3, w3, x0, x1, x2, x3, "3")
#endif
#define LLMD_LOAD_FOUR(to, from, step) "ld1 {" to "}, [%[" from "]], " step "\n\t"
// 16 columns of a byte with x in x0 to x3; `step` is where weights are read next, and `next` what is loaded meanwhile.
#define LLMD_ADD_COLUMNS(x0, x1, x2, x3, step, next)                                      \
    LLMD_LOAD_FOUR("v8.16b-v11.16b", "weights", step)                                     \
    LLMD_ADD_PRODUCTS("v16", "v17", "v18", "v19", "v4", "v5", "v6", "v7", x0, x1, x2, x3) \
    next LLMD_ADD_PRODUCTS("v20", "v21", "v22", "v23", "v8", "v9", "v10", "v11", x0, x1, x2, x3)
#define LLMD_ADD_EVEN(step, next) LLMD_ADD_COLUMNS("v0", "v1", "v2", "v3", step, next)
#define LLMD_ADD_ODD(step, next) LLMD_ADD_COLUMNS("v12", "v13", "v14", "v15", step, next)
#define LLMD_LOAD(x, step) LLMD_LOAD_FOUR(x, "x", step) LLMD_LOAD_FOUR("v4.16b-v7.16b", "weights", "#64")
#define LLMD_LOAD_EVEN(step) LLMD_LOAD("v0.16b-v3.16b", step)
#define LLMD_LOAD_ODD(step) LLMD_LOAD("v12.16b-v15.16b", step)
// Loads, because there is more room for them than for instructions that set a register to zero.
#define LLMD_CLEAR                          \
    "ld1 {v16.16b-v19.16b}, [%[zeros]]\n\t" \
    "ld1 {v20.16b-v23.16b}, [%[zeros]]\n\t"
#define LLMD_SHIFT_BY_8          \
    "shl v16.4s, v16.4s, #8\n\t" \
    "shl v17.4s, v17.4s, #8\n\t" \
    "shl v18.4s, v18.4s, #8\n\t" \
    "shl v19.4s, v19.4s, #8\n\t" \
    "shl v20.4s, v20.4s, #8\n\t" \
    "shl v21.4s, v21.4s, #8\n\t" \
    "shl v22.4s, v22.4s, #8\n\t" \
    "shl v23.4s, v23.4s, #8\n\t"
#define LLMD_MULTIPLY(text)                                                                                     \
    asm(text                                                                                                    \
        : "=w"(s0), "=w"(s1), "=w"(s2), "=w"(s3), "=w"(s4), "=w"(s5), "=w"(s6),                                 \
          "=w"(s7), [weights] "+&r"(weights), [x] "+&r"(x)                                                      \
        : [zeros] "r"(zeros), [on] "r"(int64_t{128}), [back] "r"(int64_t{Scales == 2 ? -64 : -192})             \
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", \
          "memory")

// The products of a part of a sub-block, [vector of rows][vector of results]. weights and x go on to what is read next:
// behind the last part x is at the next tile, with one byte or two.
template <unsigned ValueBytes, unsigned Scales, unsigned Part>
LLMD_INLINE void multiply_part(const Quants*& weights, const int8_t*& x, int32x4_t products[kTileVectors][kResults]) {
    alignas(64) static constexpr int8_t zeros[64] = {};
    register int32x4_t s0 asm("v16");
    register int32x4_t s1 asm("v17");
    register int32x4_t s2 asm("v18");
    register int32x4_t s3 asm("v19");
    register int32x4_t s4 asm("v20");
    register int32x4_t s5 asm("v21");
    register int32x4_t s6 asm("v22");
    register int32x4_t s7 asm("v23");
    if constexpr (ValueBytes == 1 && Scales == 1) {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("#64") LLMD_CLEAR LLMD_ADD_EVEN("#64", LLMD_LOAD_ODD("%[on]"))
                          LLMD_ADD_ODD("#64", ""));
    } else if constexpr (ValueBytes == 1 && Part == 0) {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("#64") LLMD_CLEAR LLMD_ADD_EVEN("#64", ""));
    } else if constexpr (ValueBytes == 1) {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("%[on]") LLMD_CLEAR LLMD_ADD_EVEN("#64", ""));
    } else if constexpr (Scales == 1) {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("#64") LLMD_CLEAR LLMD_ADD_EVEN("#64", LLMD_LOAD_ODD("#64"))
                          LLMD_ADD_ODD("%[back]", LLMD_LOAD_EVEN("#64"))
                              LLMD_SHIFT_BY_8 LLMD_ADD_EVEN("#64", LLMD_LOAD_ODD("%[on]")) LLMD_ADD_ODD("#64", ""));
    } else if constexpr (Part == 0) {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("%[on]") LLMD_CLEAR LLMD_ADD_EVEN("%[back]", LLMD_LOAD_ODD("%[back]"))
                          LLMD_SHIFT_BY_8 LLMD_ADD_ODD("#64", ""));
    } else {
        LLMD_MULTIPLY(LLMD_LOAD_EVEN("%[on]") LLMD_CLEAR LLMD_ADD_EVEN("%[back]", LLMD_LOAD_ODD("%[on]"))
                          LLMD_SHIFT_BY_8 LLMD_ADD_ODD("#64", ""));
    }
    products[0][0] = s0;
    products[0][1] = s1;
    products[0][2] = s2;
    products[0][3] = s3;
    products[1][0] = s4;
    products[1][1] = s5;
    products[1][2] = s6;
    products[1][3] = s7;
}
#undef LLMD_SMMLA
#undef LLMD_SMMLAS
#undef LLMD_SDOT
#undef LLMD_SDOTS
#undef LLMD_ADD_PRODUCTS
#undef LLMD_LOAD_FOUR
#undef LLMD_ADD_COLUMNS
#undef LLMD_ADD_EVEN
#undef LLMD_ADD_ODD
#undef LLMD_LOAD
#undef LLMD_LOAD_EVEN
#undef LLMD_LOAD_ODD
#undef LLMD_CLEAR
#undef LLMD_SHIFT_BY_8
#undef LLMD_MULTIPLY

// --- Results ---------------------------------------------------------------------------------------------------------

// do_result(v, r) for each vector of results.
template <class Function>
LLMD_INLINE void for_results(const Function& do_result) {
#pragma GCC unroll 2
    for (unsigned v = 0; v < kTileVectors; ++v) {
#pragma GCC unroll 4
        for (unsigned r = 0; r < kResults; ++r) do_result(v, r);
    }
}

// A number for each row of the batch, and rows times those of the r-th vector of results.
struct BatchFactors {
#if defined(__ARM_FEATURE_MATMUL_INT8)
    Vec pairs[2];
    LLMD_INLINE BatchFactors of(const float values[kTileBatch]) {
        const int64x2_t both = vreinterpretq_s64_f32(vld1q_f32(values));
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
    LLMD_INLINE BatchFactors of(const float values[kTileBatch]) {
        return {vld1q_f32(values)};
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

// The results of a vector of rows, from and to where they lie, out_stride floats from one row of the batch to the next.
LLMD_INLINE void load_results(const float* out, size_t out_stride, Vec results[kResults]) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; c += kResultBatch, out += kResultBatch * out_stride) {
        const float32x4_t a = vld1q_f32(out);
#if defined(__ARM_FEATURE_MATMUL_INT8)
        const float32x4_t b = vld1q_f32(out + out_stride);
        results[c / 2] = reinterpret_cast<Vec>(vzip1q_f32(a, b));
        results[c / 2 + kPartResults] = reinterpret_cast<Vec>(vzip2q_f32(a, b));
#else
        results[c] = reinterpret_cast<Vec>(a);
#endif
    }
}
LLMD_INLINE void store_results(const Vec results[kResults], float* out, size_t out_stride) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < kTileBatch; c += kResultBatch, out += kResultBatch * out_stride) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
        const auto low = reinterpret_cast<float32x4_t>(results[c / 2]);
        const auto high = reinterpret_cast<float32x4_t>(results[c / 2 + kPartResults]);
        vst1q_f32(out, vuzp1q_f32(low, high));
        vst1q_f32(out + out_stride, vuzp2q_f32(low, high));
#else
        vst1q_f32(out, reinterpret_cast<float32x4_t>(results[c]));
#endif
    }
}

// The next two vectors.
LLMD_INLINE void load_two(const Quants*& next, Vec to[2]) {
    asm("ldp %q0, %q1, [%2], #32"
        : "=w"(to[0]), "=w"(to[1]), "+r"(next)
        : "m"(*reinterpret_cast<const Quants(*)[2]>(next)));
}

// Adds a part of a sub-block to the results of a tile.
template <class Format, unsigned ValueBytes, unsigned Part>
LLMD_INLINE void add_part(const Quants*& next, const int8_t*& x, Vec sums[kTileVectors][kResults]) {
    using Tile = QuantizedTile<ValueBytes>;
    int32x4_t products[kTileVectors][kResults];
    multiply_part<ValueBytes, Format::kScales, Part>(next, x, products);
    // The next tile, or the second half of this one's first bytes, is at x.
    const auto* tile = reinterpret_cast<const Tile*>(Part + 1 == Format::kScales ? x - sizeof(Tile) : x - 64);
    const auto scales = BatchFactors::of(tile->scales);
    Vec factors[kTileVectors * kRowParts];
    for (unsigned i = 0; i < kTileVectors * kRowParts; i += 2) load_two(next, factors + i);
    for_results([&](unsigned v, unsigned r) __attribute__((always_inline)) {
        const Vec scale = BatchFactors::multiply(factors[v * kRowParts + r / kPartResults], scales, r);
        sums[v][r] = multiply_add(to_float(reinterpret_cast<Ints>(products[v][r])), scale, sums[v][r]);
    });
    if constexpr (Format::kHasMinimum) {
        const auto scaled_sums = BatchFactors::of(tile->scaled_sums[Format::kScales == 2 ? Part : 2]);
        for (unsigned i = 0; i < kTileVectors * kRowParts; i += 2) load_two(next, factors + i);
        for_results([&](unsigned v, unsigned r) __attribute__((always_inline)) {
            sums[v][r] = BatchFactors::add(factors[v * kRowParts + r / kPartResults], scaled_sums, r, sums[v][r]);
        });
    }
}

// Adds `n` sub-blocks of a tile's rows times those of the batch to out, or begins with them.
template <class Format, unsigned ValueBytes>
LLMD_INLINE void multiply_tile(const UnpackedSubBlock<Format>* w, unsigned n, const QuantizedTile<ValueBytes>* tile,
                               float* out, size_t out_stride, bool begins) {
    Vec sums[kTileVectors][kResults] = {};
    if (!begins) {
        for (unsigned v = 0; v < kTileVectors; ++v) load_results(out + v * kVecFloats, out_stride, sums[v]);
    }
    const auto* next = reinterpret_cast<const Quants*>(w);
    const auto* const end = reinterpret_cast<const Quants*>(w + n);
    const auto* x = reinterpret_cast<const int8_t*>(tile);
    do {
        add_part<Format, ValueBytes, 0>(next, x, sums);
        if constexpr (Format::kScales == 2) add_part<Format, ValueBytes, 1>(next, x, sums);
    } while (next != end);
    for (unsigned v = 0; v < kTileVectors; ++v) store_results(sums[v], out + v * kVecFloats, out_stride);
}

// Adds `n` sub-blocks, the first of which is `first`, times n_batch rows of x, a multiple of kTileBatch, to out, or
// begins with them.
template <class Format, unsigned ValueBytes>
LLMD_INLINE void multiply_unpacked(const UnpackedGroup<Format>& group, uint32_t first, uint32_t n,
                                   const QuantizedBlock* x, size_t x_stride, uint32_t n_batch, float* out,
                                   size_t out_stride) {
    for (; n_batch != 0; n_batch -= kTileBatch, x += kTileBatch * x_stride, out += kTileBatch * out_stride) {
        for (unsigned row = 0; row < kPackedRows; row += kTileRows) {
            multiply_tile<Format, ValueBytes>(group.tiles[row / kTileRows], n,
                                              reinterpret_cast<const QuantizedTile<ValueBytes>*>(x) + first, out + row,
                                              out_stride, first == 0);
        }
    }
}
#endif

}  // namespace llmd::compute::LLMD_ISA
