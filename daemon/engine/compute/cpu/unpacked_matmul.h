// Matmuls of packed matrices (cpu_weights.h) with so many rows of the batch that it pays to unpack a group of weight
// rows once for all of them: to signed bytes, in the order in which the processor multiplies them, with their scales as
// floats. A result has the bits that packed_matmul.h gives it: the integers are the same, and floats are multiplied and
// added in the same order. ARM processors that add up products of bytes. Kernel sources only (lanes.h).
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/weight_formats.h"

#if defined(__ARM_FEATURE_DOTPROD)
namespace llmd::compute::LLMD_ISA {

// Rows of the batch from which on unpacking pays.
inline constexpr uint32_t kUnpackedBatch = 8;
// Sub-blocks of a group of rows that are unpacked at a time; they stay in the nearest cache. A multiple of those of any
// format's block.
inline constexpr uint32_t kUnpackedSubBlocks = 16;
// Vectors of weight rows and rows of the batch that are multiplied at a time, as many as registers hold.
inline constexpr unsigned kUnpackedVectors = 2;
inline constexpr unsigned kUnpackedTile = 4;

// A sub-block of a group of rows.
template <class Format>
struct UnpackedSubBlock {
    // With instructions for matrices of bytes, two vectors are 8 columns of rows 0 and 1, and of rows 2 and 3;
    // otherwise one is 4 columns of 4 rows.
    Quants quants[kPackedRows / kVecFloats][8];
    Vec scales[kPackedRows / kVecFloats][Format::kScales];
    Vec minimums[kPackedRows / kVecFloats][Format::kHasMinimum ? Format::kScales : 1];
};

template <class Format>
LLMD_INLINE void unpack(const uint8_t* block, const uint8_t* half, unsigned sub_block, UnpackedSubBlock<Format>* to) {
    for (unsigned v = 0; v < kPackedRows / kVecFloats; ++v) {
        const unsigned row = v * kVecFloats;
        Quants quants[8];
#pragma GCC unroll 8
        for (unsigned group = 0; group < 8; ++group) {
            quants[group] = Format::quants(block, row, sub_block, group);
            if constexpr (Format::kOffset != 0) quants[group] -= static_cast<uint8_t>(Format::kOffset);
        }
#pragma GCC unroll 4
        for (unsigned group = 0; group < 8; group += 2) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
            const auto a = reinterpret_cast<uint32x4_t>(quants[group]);
            const auto b = reinterpret_cast<uint32x4_t>(quants[group + 1]);
            to->quants[v][group] = reinterpret_cast<Quants>(vzip1q_u32(a, b));
            to->quants[v][group + 1] = reinterpret_cast<Quants>(vzip2q_u32(a, b));
#else
            to->quants[v][group] = quants[group];
            to->quants[v][group + 1] = quants[group + 1];
#endif
        }
#pragma GCC unroll 2
        for (unsigned part = 0; part < Format::kScales; ++part) {
            to->scales[v][part] = Format::scale(block, half, row, sub_block, part);
            if constexpr (Format::kHasMinimum) to->minimums[v][part] = Format::minimum(block, row, sub_block, part);
        }
    }
}

LLMD_INLINE int8x16_t quants_of(const QuantizedBlock& x, unsigned vector) {
    return vld1q_s8(reinterpret_cast<const int8_t*>(x.q) + size_t{16} * vector);
}

// products[v][c] = quants of 4 rows of w times q of a row of x, of groups `first` to `first` + `Groups`.
#if defined(__ARM_FEATURE_MATMUL_INT8)
template <unsigned Limbs, unsigned Groups, unsigned Batch>
LLMD_INLINE void multiply_quants(const Quants (*w)[8], unsigned first, const QuantizedBlock* x, size_t x_stride,
                                 Ints products[kUnpackedVectors][Batch]) {
    // One column of a result of 2 rows by 2 columns is a row of the batch, or a limb of one.
    constexpr unsigned kPairs = Limbs == 2 ? Batch : (Batch + 1) / 2;
    constexpr unsigned kAtOnce = Limbs == 2 ? 2 : 4;
    int32x4_t sums[kUnpackedVectors][2][kPairs] = {};
#pragma GCC unroll 4
    for (unsigned group = first; group < first + Groups; group += kAtOnce) {
        int8x16_t rows[kUnpackedVectors][kAtOnce];
#pragma GCC unroll 2
        for (unsigned v = 0; v < kUnpackedVectors; ++v) {
#pragma GCC unroll 4
            for (unsigned i = 0; i < kAtOnce; ++i) rows[v][i] = reinterpret_cast<int8x16_t>(w[v][group + i]);
        }
#pragma GCC unroll 4
        for (unsigned c = 0; c < kPairs; ++c) {
            int8x16_t q[kAtOnce / 2];
            if constexpr (Limbs == 2) {
                q[0] = quants_of(x[c * x_stride], group / 2);
            } else {
                const auto a = vreinterpretq_s64_s8(quants_of(x[2 * c * x_stride], group / 4));
                const auto b =
                    2 * c + 1 == Batch ? a : vreinterpretq_s64_s8(quants_of(x[(2 * c + 1) * x_stride], group / 4));
                q[0] = vreinterpretq_s8_s64(vtrn1q_s64(a, b));
                q[1] = vreinterpretq_s8_s64(vtrn2q_s64(a, b));
            }
#pragma GCC unroll 2
            for (unsigned i = 0; i < kAtOnce / 2; ++i) {
#pragma GCC unroll 2
                for (unsigned v = 0; v < kUnpackedVectors; ++v) {
                    sums[v][0][c] = vmmlaq_s32(sums[v][0][c], rows[v][2 * i], q[i]);
                    sums[v][1][c] = vmmlaq_s32(sums[v][1][c], rows[v][2 * i + 1], q[i]);
                }
            }
        }
    }
#pragma GCC unroll 2
    for (unsigned v = 0; v < kUnpackedVectors; ++v) {
#pragma GCC unroll 4
        for (unsigned c = 0; c < kPairs; ++c) {
            const int32x4_t even = vuzp1q_s32(sums[v][0][c], sums[v][1][c]);
            const int32x4_t odd = vuzp2q_s32(sums[v][0][c], sums[v][1][c]);
            if constexpr (Limbs == 2) {
                products[v][c] = reinterpret_cast<Ints>(vmlaq_n_s32(even, odd, 256));
            } else {
                products[v][2 * c] = reinterpret_cast<Ints>(even);
                if (2 * c + 1 < Batch) products[v][2 * c + 1] = reinterpret_cast<Ints>(odd);
            }
        }
    }
}
#else
template <unsigned Limbs, unsigned Groups, unsigned Batch>
LLMD_INLINE void multiply_quants(const Quants (*w)[8], unsigned first, const QuantizedBlock* x, size_t x_stride,
                                 Ints products[kUnpackedVectors][Batch]) {
    constexpr unsigned kAtOnce = 4 / Limbs;  // groups that a vector of activations has
    int32x4_t sums[Limbs][kUnpackedVectors][Batch] = {};
#pragma GCC unroll 4
    for (unsigned group = first; group < first + Groups; group += kAtOnce) {
        int8x16_t rows[kUnpackedVectors][kAtOnce];
#pragma GCC unroll 2
        for (unsigned v = 0; v < kUnpackedVectors; ++v) {
#pragma GCC unroll 4
            for (unsigned i = 0; i < kAtOnce; ++i) rows[v][i] = reinterpret_cast<int8x16_t>(w[v][group + i]);
        }
#pragma GCC unroll 4
        for (unsigned c = 0; c < Batch; ++c) {
            const int8x16_t q = quants_of(x[c * x_stride], group / kAtOnce);
#pragma GCC unroll 4
            for (unsigned i = 0; i < kAtOnce; ++i) {
#pragma GCC unroll 2
                for (unsigned v = 0; v < kUnpackedVectors; ++v) {
#pragma GCC unroll 2
                    for (unsigned limb = 0; limb < Limbs; ++limb) {
                        sums[limb][v][c] = add_dot_product(sums[limb][v][c], rows[v][i], q, i + 2 * limb);
                    }
                }
            }
        }
    }
#pragma GCC unroll 2
    for (unsigned v = 0; v < kUnpackedVectors; ++v) {
#pragma GCC unroll 4
        for (unsigned c = 0; c < Batch; ++c) {
            if constexpr (Limbs == 2) {
                products[v][c] = reinterpret_cast<Ints>(vmlaq_n_s32(sums[0][v][c], sums[1][v][c], 256));
            } else {
                products[v][c] = reinterpret_cast<Ints>(sums[0][v][c]);
            }
        }
    }
}
#endif

// Adds `n` sub-blocks of kUnpackedVectors vectors of rows times `Batch` rows of x to out, or begins with them.
template <class Format, unsigned Limbs, unsigned Batch>
LLMD_INLINE void multiply_tile(const UnpackedSubBlock<Format>* w, unsigned n, unsigned first_vector,
                               const QuantizedBlock* x, size_t x_stride, float* out, size_t out_stride, bool begins) {
    constexpr unsigned kGroups = 8 / Format::kScales;
    Vec sums[kUnpackedVectors][Batch];
    for (unsigned v = 0; v < kUnpackedVectors; ++v) {
        for (unsigned c = 0; c < Batch; ++c) {
            sums[v][c] = Vec{};
            if (!begins) __builtin_memcpy(&sums[v][c], out + c * out_stride + size_t{v} * kVecFloats, sizeof(Vec));
        }
    }
    for (const UnpackedSubBlock<Format>* const end = w + n; w != end; ++w, ++x) {
#pragma GCC unroll 2
        for (unsigned part = 0; part < Format::kScales; ++part) {
            Ints products[kUnpackedVectors][Batch];
            multiply_quants<Limbs, kGroups, Batch>(&w->quants[first_vector], kGroups * part, x, x_stride, products);
#pragma GCC unroll 2
            for (unsigned v = 0; v < kUnpackedVectors; ++v) {
                const Vec scale = w->scales[first_vector + v][part];
#pragma GCC unroll 4
                for (unsigned c = 0; c < Batch; ++c) {
                    const QuantizedBlock& quantized = x[c * x_stride];
                    sums[v][c] = multiply_add(to_float(products[v][c]), scale * quantized.scale, sums[v][c]);
                    if constexpr (Format::kHasMinimum) {
                        const auto sum = static_cast<float>(quantized.sums[Format::kScales == 2 ? part : 2]);
                        sums[v][c] =
                            multiply_add(w->minimums[first_vector + v][part], quantized.scale * sum, sums[v][c]);
                    }
                }
            }
        }
    }
    for (unsigned v = 0; v < kUnpackedVectors; ++v) {
        for (unsigned c = 0; c < Batch; ++c) {
            __builtin_memcpy(out + c * out_stride + size_t{v} * kVecFloats, &sums[v][c], sizeof(Vec));
        }
    }
}

template <class Format, unsigned Limbs, unsigned Batch = kUnpackedTile>
LLMD_INLINE void multiply_unpacked(const UnpackedSubBlock<Format>* w, unsigned n, const QuantizedBlock* x,
                                   size_t x_stride, uint32_t n_batch, float* out, size_t out_stride, bool begins) {
    for (; n_batch >= Batch; n_batch -= Batch, x += Batch * x_stride, out += Batch * out_stride) {
        for (unsigned v = 0; v < kPackedRows / kVecFloats; v += kUnpackedVectors) {
            multiply_tile<Format, Limbs, Batch>(w, n, v, x, x_stride, out + size_t{v} * kVecFloats, out_stride, begins);
        }
    }
    if constexpr (Batch > 1) {
        multiply_unpacked<Format, Limbs, Batch / 2>(w, n, x, x_stride, n_batch, out, out_stride, begins);
    }
}

// A whole group of rows with n_batch rows of x.
template <class Format, unsigned Limbs>
void unpack_and_multiply(const uint8_t* group, uint32_t cols, const QuantizedBlock* x, size_t x_stride,
                         uint32_t n_batch, float* out, size_t out_stride) {
    const uint32_t n_sub_blocks = cols / 32;
    const uint8_t* half = group;
    const uint8_t* block = group + (kHalfApart<Format> ? packed_halves_bytes(n_sub_blocks / Format::kSubBlocks) : 0);
    UnpackedSubBlock<Format> unpacked[kUnpackedSubBlocks];
    for (uint32_t first = 0; first < n_sub_blocks; first += kUnpackedSubBlocks) {
        const uint32_t n = n_sub_blocks - first < kUnpackedSubBlocks ? n_sub_blocks - first : kUnpackedSubBlocks;
        for (uint32_t b = 0; b < n; b += Format::kSubBlocks) {
#pragma GCC unroll 8
            for (unsigned i = 0; i < Format::kSubBlocks; ++i) unpack<Format>(block, half, i, unpacked + b + i);
            block += kPackedRows * kBlockBytes<Format>;
            half += size_t{2} * kPackedRows;
        }
        multiply_unpacked<Format, Limbs>(unpacked, n, x + first, x_stride, n_batch, out, out_stride, first == 0);
    }
}

}  // namespace llmd::compute::LLMD_ISA
#endif
