// Matmuls of packed matrices (cpu_weights.h) with activations that are quantized to 16 bits, or in fast precision 8, by
// blocks of 32: of each part with one scale the integers are multiplied and added exactly, then scaled and added to a
// float, in the order of the columns. So a result's bits do not depend on its neighbours. Kernel sources only
// (lanes.h).
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/unpacked_matmul.h"
#include "engine/compute/cpu/weight_formats.h"

namespace llmd::compute::LLMD_ISA {

// Rows of the batch that share one pass over a group of weight rows, as many as registers hold; a power of two.
#if defined(__AVX512F__)
template <unsigned ValueBytes>
inline constexpr unsigned kPackedTile = 8;
#elif defined(__ARM_FEATURE_DOTPROD)
template <unsigned ValueBytes>
inline constexpr unsigned kPackedTile = 2;  // more are multiplied with unpacked weights
#elif defined(__aarch64__)
template <unsigned ValueBytes>
inline constexpr unsigned kPackedTile = ValueBytes == 2 ? 2 : 4;
#else
template <unsigned ValueBytes>
inline constexpr unsigned kPackedTile = 4;
#endif
// Vectors of weight rows that share one pass over so many rows of the batch, as many as registers hold.
template <unsigned Batch, unsigned ValueBytes>
constexpr unsigned packed_vectors() {
#if defined(__aarch64__)
    return Batch == 1 ? 4 : 2;
#else
    return 1;
#endif
}

// How far ahead weights are fetched, and with how many rows of the batch at most: docs/performance.md.
inline constexpr size_t kFetchAheadOfOne = 8192;
inline constexpr size_t kFetchAhead = 4096;
#if defined(__aarch64__)
inline constexpr unsigned kFetchingBatch = 1;
#else
inline constexpr unsigned kFetchingBatch = 8;
#endif

// The i-th group of a part of a sub-block: where a nibble's byte belongs to two of them, one after the other.
template <class Format>
constexpr unsigned group_at(unsigned part, unsigned i) {
    if (Format::kScales == 2) return 4 * part + i;
    return Format::kSubBlocks == 1 ? i / 2 + 4 * (i % 2) : i;
}

// Whether results are added to what `out` has, because a group of rows is multiplied a piece of its columns at a time.
template <class Format>
inline constexpr bool kAddsToOutput = false;

// Where rows of a group are being read.
struct Position {
    const uint8_t* block;
    const uint8_t* half;
    const uint8_t* ahead;  // what is fetched next; goes over the halves as well
    unsigned row;          // the first
    const QuantizedBlock* x;
    size_t x_stride;  // from one row of the batch to the next, in blocks
};

// A sub-block of `Vectors` times kVecFloats rows with `Batch` rows of x, and on to the next.
template <class Format, unsigned Batch, unsigned ValueBytes, unsigned Vectors>
LLMD_INLINE void multiply_sub_block(Position& at, unsigned sub_block, Vec out[Vectors][Batch]) {
    constexpr unsigned kGroups = 8 / Format::kScales;
    constexpr unsigned kFold = groups_before_fold(Format::kLargest);
    constexpr size_t kSubBlockBytes = size_t{kPackedRows} * Format::kBytes / Format::kSubBlocks;
#if defined(__x86_64__)
    // Compilers would otherwise fetch a whole superblock ahead at once, for which processors have no room.
    asm volatile("" ::: "memory");
#endif
    if constexpr (Batch <= kFetchingBatch) {
        for (size_t line = 0; line < kSubBlockBytes; line += kCacheLineBytes) {
            // With one row the next use is a token away: past the last level's cache where processors can.
            __builtin_prefetch(at.ahead + line, 0, Batch == 1 ? 0 : 3);
        }
        at.ahead += kSubBlockBytes;
    }
#pragma GCC unroll 2
    for (unsigned part = 0; part < Format::kScales; ++part) {
        PartialSums<ValueBytes, Format::kLargest> sums[Vectors][Batch] = {};
        const auto sum_of = [&](unsigned c) { return at.x[c * at.x_stride].sums[Format::kScales == 2 ? part : 2]; };
        if constexpr (kBeginsWithOffset && Format::kOffset != 0) {
            for (unsigned c = 0; c < Batch; ++c) {
                for (unsigned v = 0; v < Vectors; ++v) sums[v][c].part[0] -= Format::kOffset * sum_of(c);
            }
        }
#pragma GCC unroll 8
        for (unsigned i = 0; i < kGroups; ++i) {
            const unsigned group = group_at<Format>(part, i);
#pragma GCC unroll 4
            for (unsigned v = 0; v < Vectors; ++v) {
                const Quants quants = Format::quants(at.block, at.row + v * kVecFloats, sub_block, group);
#pragma GCC unroll 8
                for (unsigned c = 0; c < Batch; ++c) {
                    add_dot_products(&sums[v][c], quants, at.x[c * at.x_stride], group);
                    if ((i + 1) % kFold == 0 || i + 1 == kGroups) fold(&sums[v][c]);
                }
            }
        }
#pragma GCC unroll 4
        for (unsigned v = 0; v < Vectors; ++v) {
            const unsigned row = at.row + v * kVecFloats;
            const Vec scale = Format::scale(at.block, at.half, row, sub_block, part);
            Vec minimum = {};
            if constexpr (Format::kHasMinimum) minimum = Format::minimum(at.block, row, sub_block, part);
#pragma GCC unroll 8
            for (unsigned c = 0; c < Batch; ++c) {
                const QuantizedBlock& quantized = at.x[c * at.x_stride];
                Ints products = total(sums[v][c]);
                if constexpr (!kBeginsWithOffset && Format::kOffset != 0) products -= Format::kOffset * sum_of(c);
                out[v][c] = multiply_add(to_float(products), scale * quantized.scale, out[v][c]);
                if constexpr (Format::kHasMinimum) {
                    out[v][c] = multiply_add(minimum, quantized.scale * static_cast<float>(sum_of(c)), out[v][c]);
                }
            }
        }
    }
    ++at.x;
}

// Sub-blocks that a loop has one after the other, so that shifts are constants. With one row of the batch a loop has
// one: unrolled, memory delivers a sixth less, as seen on Zen 4.
template <class Format, unsigned Batch>
constexpr unsigned unrolled_sub_blocks() {
#if defined(__aarch64__)
    return Format::kSubBlocks;
#else
    return Format::kSubBlocks == 1 || Batch == 1 ? 1 : 4;
#endif
}

// Adds `Vectors` times kVecFloats rows from `row` on of a group with `Batch` rows of x, x_stride blocks apart, to out.
template <class Format, unsigned Batch, unsigned ValueBytes, unsigned Vectors>
LLMD_INLINE void multiply_rows(const uint8_t* group, unsigned row, uint32_t n_blocks, const QuantizedBlock* x,
                               size_t x_stride, Vec out[Vectors][Batch]) {
    constexpr unsigned kUnrolled = unrolled_sub_blocks<Format, Batch>();
    Position at{group + (kHalfApart<Format> ? packed_halves_bytes(n_blocks) : 0),
                group,
                group + (Batch == 1 ? kFetchAheadOfOne : kFetchAhead),
                row,
                x,
                x_stride};
    for (uint32_t b = 0; b < n_blocks; ++b) {
        for (unsigned first = 0; first < Format::kSubBlocks; first += kUnrolled) {
#pragma GCC unroll 8
            for (unsigned i = 0; i < kUnrolled; ++i) {
                multiply_sub_block<Format, Batch, ValueBytes, Vectors>(at, first + i, out);
            }
        }
        at.block += kPackedRows * kBlockBytes<Format>;
        at.half += size_t{2} * kPackedRows;
    }
}

// One group of rows, of which the first n_rows count, with `Batch` rows of x. Inlined it takes a tenth fewer
// instructions with NEON alone, and more with dot products.
template <class Format, unsigned Batch, unsigned ValueBytes>
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
LLMD_INLINE
#endif
    void
    multiply_group(const uint8_t* group, uint32_t n_rows, uint32_t cols, const QuantizedBlock* x, size_t x_stride,
                   float* out, size_t out_stride) {
    constexpr unsigned kVectors = packed_vectors<Batch, ValueBytes>();
    const uint32_t n_blocks = cols / (32 * Format::kSubBlocks);
    for (unsigned row = 0; row < n_rows; row += kVectors * kVecFloats) {
        Vec sums[kVectors][Batch];
        for (unsigned v = 0; v < kVectors; ++v) {
            for (unsigned c = 0; c < Batch; ++c) {
                sums[v][c] = Vec{};
                if constexpr (kAddsToOutput<Format>) {
                    __builtin_memcpy(&sums[v][c], out + c * out_stride + row + size_t{v} * kVecFloats, sizeof(Vec));
                }
            }
        }
        multiply_rows<Format, Batch, ValueBytes, kVectors>(group, row, n_blocks, x, x_stride, sums);
        for (unsigned v = 0; v < kVectors && row + v * kVecFloats < n_rows; ++v) {
            const unsigned at = row + v * kVecFloats;
            const size_t n = n_rows - at < kVecFloats ? n_rows - at : kVecFloats;
            for (unsigned c = 0; c < Batch; ++c)
                __builtin_memcpy(out + c * out_stride + at, &sums[v][c], n * sizeof(float));
        }
    }
}

template <class Format, unsigned ValueBytes, unsigned Batch = kPackedTile<ValueBytes>>
LLMD_INLINE void multiply_columns(const uint8_t* group, uint32_t n_rows, uint32_t cols, const QuantizedBlock* x,
                                  size_t x_stride, uint32_t n_batch, float* out, size_t out_stride) {
    for (; n_batch >= Batch; n_batch -= Batch, x += Batch * x_stride, out += Batch * out_stride) {
        multiply_group<Format, Batch, ValueBytes>(group, n_rows, cols, x, x_stride, out, out_stride);
    }
    if constexpr (Batch > 1) {
        multiply_columns<Format, ValueBytes, Batch / 2>(group, n_rows, cols, x, x_stride, n_batch, out, out_stride);
    }
}

#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
// A sub-block of a format, unpacked once for all rows of the batch: quants as bytes, scales and minimums as floats.
template <class Format>
struct Unpacked {
    static constexpr unsigned kSubBlocks = 1, kScales = Format::kScales, kLargest = Format::kLargest;
    static constexpr int32_t kOffset = Format::kOffset;
    static constexpr bool kHasMinimum = Format::kHasMinimum;
    static constexpr unsigned kBytes = 32 + 4 * kScales * (kHasMinimum ? 2 : 1);
    static constexpr size_t scale_at(unsigned part) { return 32 + size_t{4} * part; }
    static constexpr size_t minimum_at(unsigned part) { return 32 + size_t{4} * (kScales + part); }

    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return words_at(block, size_t{4} * group, row);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned, unsigned part) {
        return reinterpret_cast<Vec>(words_at(block, scale_at(part), row));
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned, unsigned part) {
        return reinterpret_cast<Vec>(words_at(block, minimum_at(part), row));
    }
};
template <class Format>
inline constexpr bool kAddsToOutput<Unpacked<Format>> = true;

LLMD_INLINE void put_words_at(uint8_t* block, size_t at, unsigned row, Quants words) {
    __builtin_memcpy(block + 16 * at + size_t{4} * row, &words, sizeof words);
}

template <class Format>
struct UnpackedGroup {
    alignas(16) uint8_t sub_blocks[kUnpackedSubBlocks][kPackedRows * kBlockBytes<Unpacked<Format>>];
};

// A sub-block of the vector of rows from `row` on, the `at`-th of the group.
template <class Format>
LLMD_INLINE void unpack(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned at,
                        UnpackedGroup<Format>* group) {
    using To = Unpacked<Format>;
    uint8_t* to = group->sub_blocks[at];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
        put_words_at(to, size_t{4} * i, row, Format::quants(block, row, sub_block, i));
    }
#pragma GCC unroll 2
    for (unsigned part = 0; part < Format::kScales; ++part) {
        const Vec scale = Format::scale(block, half, row, sub_block, part);
        put_words_at(to, To::scale_at(part), row, reinterpret_cast<Quants>(scale));
        if constexpr (Format::kHasMinimum) {
            const Vec minimum = Format::minimum(block, row, sub_block, part);
            put_words_at(to, To::minimum_at(part), row, reinterpret_cast<Quants>(minimum));
        }
    }
}

// Adds `n` sub-blocks, the first of which is `first`, times n_batch rows of x to out, or begins with them.
template <class Format, unsigned ValueBytes>
LLMD_INLINE void multiply_unpacked(const UnpackedGroup<Format>& group, uint32_t first, uint32_t n,
                                   const QuantizedBlock* x, size_t x_stride, uint32_t n_batch, float* out,
                                   size_t out_stride) {
    if (first == 0) {
        for (uint32_t c = 0; c < n_batch; ++c) __builtin_memset(out + c * out_stride, 0, kPackedRows * sizeof(float));
    }
    multiply_columns<Unpacked<Format>, ValueBytes>(group.sub_blocks[0], kPackedRows, 32 * n, x + first, x_stride,
                                                   n_batch, out, out_stride);
}
#endif

#if defined(__aarch64__)
// A whole group of rows with n_batch rows of x, a multiple of kTileBatch.
template <class Format, unsigned ValueBytes>
void unpack_and_multiply(const uint8_t* group, uint32_t cols, const QuantizedBlock* x, size_t x_stride,
                         uint32_t n_batch, float* out, size_t out_stride) {
    const uint32_t n_sub_blocks = cols / 32;
    const uint8_t* half = group;
    const uint8_t* block = group + (kHalfApart<Format> ? packed_halves_bytes(n_sub_blocks / Format::kSubBlocks) : 0);
    UnpackedGroup<Format> unpacked;
    for (uint32_t first = 0; first < n_sub_blocks; first += kUnpackedSubBlocks) {
        const uint32_t n = n_sub_blocks - first < kUnpackedSubBlocks ? n_sub_blocks - first : kUnpackedSubBlocks;
        for (uint32_t b = 0; b < n; b += Format::kSubBlocks) {
            for (unsigned row = 0; row < kPackedRows; row += kVecFloats) {
#pragma GCC unroll 8
                for (unsigned i = 0; i < Format::kSubBlocks; ++i) {
                    unpack<Format>(block, half, row, i, b + i, &unpacked);
                }
            }
            block += kPackedRows * kBlockBytes<Format>;
            half += size_t{2} * kPackedRows;
        }
        multiply_unpacked<Format, ValueBytes>(unpacked, first, n, x, x_stride, n_batch, out, out_stride);
    }
}

// The same with any part of a matrix, as multiply_packed() has it.
template <class Format, unsigned ValueBytes>
__attribute__((noinline)) void multiply_many(const Matrix& w, uint32_t first, uint32_t n_rows, const QuantizedBlock* x,
                                             size_t x_stride, uint32_t n_batch, float* out, size_t out_stride) {
    for (uint32_t r = 0; r < n_rows; r += kPackedRows) {
        const uint8_t* group = w.data + (first + r) / kPackedRows * packed_group_bytes(w.row_bytes);
        if (n_rows - r >= kPackedRows) {
            unpack_and_multiply<Format, ValueBytes>(group, w.cols, x, x_stride, n_batch, out + r, out_stride);
            continue;
        }
        // `out` has no room for more than the rows that are left.
        for (uint32_t c = 0; c < n_batch; c += kTileBatch) {
            float results[kTileBatch][kPackedRows];
            unpack_and_multiply<Format, ValueBytes>(group, w.cols, x + c * x_stride, x_stride, kTileBatch, results[0],
                                                    kPackedRows);
            for (uint32_t i = 0; i < kTileBatch; ++i) {
                __builtin_memcpy(out + (c + i) * out_stride + r, results[i], (n_rows - r) * sizeof(float));
            }
        }
    }
}
#endif

template <class Format, unsigned ValueBytes>
void multiply_packed_as(const Matrix& w, uint32_t first, uint32_t n_rows, const QuantizedBlock* x, size_t x_stride,
                        uint32_t n_batch, float* out, size_t out_stride) {
#if defined(__aarch64__)
    if (const uint32_t n_unpacked = unpacked_rows(n_batch); n_unpacked != 0) {
        multiply_many<Format, ValueBytes>(w, first, n_rows, x, x_stride, n_unpacked, out, out_stride);
        n_batch -= n_unpacked;
        if (n_batch == 0) return;
        x += n_unpacked * x_stride;
        out += n_unpacked * out_stride;
    }
#endif
    for (uint32_t r = 0; r < n_rows; r += kPackedRows) {
        const uint32_t n = n_rows - r < kPackedRows ? n_rows - r : kPackedRows;
        const uint8_t* group = w.data + (first + r) / kPackedRows * packed_group_bytes(w.row_bytes);
        multiply_columns<Format, ValueBytes>(group, n, w.cols, x, x_stride, n_batch, out + r, out_stride);
    }
}

template <unsigned ValueBytes>
void multiply_packed(const Matrix& w, uint32_t first, uint32_t n_rows, const uint8_t* x, size_t x_stride,
                     uint32_t n_batch, float* out, size_t out_stride) {
    with_packed_format(w.type, [&]<class Format>(Format) {
        multiply_packed_as<Format, ValueBytes>(w, first, n_rows, reinterpret_cast<const QuantizedBlock*>(x),
                                               x_stride / kQuantizedBlockBytes, n_batch, out, out_stride);
    });
}

}  // namespace llmd::compute::LLMD_ISA
