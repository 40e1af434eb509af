// The inner loops of the CPU backend, compiled once for each instruction set from the same source. Those of one set
// give a row of the batch the same bits with any other rows: matmuls of quantised matrices are exact within 16 or 32
// columns and add those in their order, of plain numbers go into 32 and softmax into 16 partial sums that are added in
// a fixed tree, and norms are summed by blocks of 32. Sets may differ in what they fuse. Pure functions of their
// arguments, callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/compute/kv_layout.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/quantization.h"

namespace llmd::compute {

// Rows of activations are this many floats apart at least, rounded up, and padded with zeros.
inline constexpr uint32_t kActivationPadding = 32;
// Weight rows that multiply() holds as floats at a time, when the batch has many rows.
inline constexpr uint32_t kDecodedRows = 8;
// Rows of a quantised matrix that lie interleaved (cpu_weights.h).
inline constexpr uint32_t kPackedRows = 16;

inline constexpr size_t kCacheLineBytes = 64;

// From one group of a quantised matrix to the next: whole cache lines.
constexpr size_t packed_group_bytes(size_t row_bytes) {
    return (kPackedRows * row_bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}
// Where the blocks of a group begin, behind its halves, if the format has one a block (cpu_weights.h).
constexpr size_t packed_halves_bytes(size_t n_blocks) {
    return (size_t{2} * n_blocks * kPackedRows + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}

// 32 activations quantized to 16 or 8 bits with their scale, in a form that the instruction set chooses.
inline constexpr size_t kQuantizedBlockBytes = 80;

// Indexes of CpuKernels' functions, the values of Precision.
inline constexpr unsigned kPrecisions = 2;

// A weight matrix: plain numbers as in the file, quantised ones in groups of rows (cpu_weights.h). (rows, cols)
struct Matrix {
    model::TensorType type = model::TensorType::F32;
    uint32_t rows = 0;
    uint32_t cols = 0;
    size_t row_bytes = 0;
    bool is_packed = false;
    const uint8_t* data = nullptr;
};

// One row of the batch attending with all query heads of one key/value head.
struct AttendItem {
    const float* q = nullptr;  // [n_heads][head_dim]
    float* out = nullptr;      // [n_heads][head_dim]
    uint32_t n_heads = 0;      // query heads that share the key/value head
    uint32_t head_dim = 0;
    float scale = 1;                   // of q . k
    float score_cap = 0;               // LayerSpec::score_cap
    uint32_t first_position = 0;       // that is attended to
    uint32_t n_positions = 0;          // to attend to, the row's own included
    const uint32_t* pages = nullptr;   // page of position p: pages[p / kPageTokens]
    const uint16_t* keys = nullptr;    // f16 [head_dim][kPageTokens] of page 0
    const uint16_t* values = nullptr;  // f16 [kPageTokens][value_dim] of page 0
    size_t key_page_stride = 0;        // from one page to the next, in elements
    size_t value_page_stride = 0;
    uint32_t value_dim = 0;    // head_dim rounded up to a multiple of 16; the rest is zero
    float* scratch = nullptr;  // attend_scratch_floats(n_heads, value_dim)
};

constexpr size_t attend_scratch_floats(uint32_t n_heads, uint32_t value_dim) {
    return size_t{n_heads} * (kKvSplit + 2 * size_t{value_dim} + 3) + 64;
}

struct CpuKernels {
    const char* isa;  // "avx2"
    bool has_fast;    // whether fast precision takes fewer instructions

    // These two by precision: to 16 bits, or in fast precision 8, of which both must be told the same.
    //
    // Quantizes row `row` of a batch of n_batch rows: the n floats at x, padded with zeros to a multiple of 32, to
    // blocks of kQuantizedBlockBytes. `to` is the buffer of the whole batch, n_batch * stride bytes: some instruction
    // sets interleave four rows in it, others put row r at r * stride. A block with a value that is not finite makes
    // every result of it not finite.
    void (*quantize_activations[kPrecisions])(const float* x, uint32_t n, uint32_t row, uint32_t n_batch, uint8_t* to,
                                              size_t stride);
    // out[c * out_stride + r] = sum over k of w[first + r][k] * x[c][k], r < n_rows, c < n_batch. w is packed, first
    // a multiple of kPackedRows; x is all n_batch quantized rows, x_stride bytes apart.
    void (*multiply_packed[kPrecisions])(const Matrix& w, uint32_t first, uint32_t n_rows, const uint8_t* x,
                                         size_t x_stride, uint32_t n_batch, float* out, size_t out_stride);
    // The same of plain numbers, with x as floats, x_stride floats apart.
    // scratch: kDecodedRows * cols rounded up to kActivationPadding floats.
    void (*multiply)(const Matrix& w, uint32_t first, uint32_t n_rows, const float* x, size_t x_stride,
                     uint32_t n_batch, float* out, size_t out_stride, float* scratch);
    // out = norm(x) * weight (+ bias, LayerNorm only; may be null). Rows of n floats.
    void (*norm)(model::Norm kind, float eps, const float* x, const float* weight, const float* bias, uint32_t n,
                 float* out);
    // h = activation(gate, h), in place; gate is read by the gated ones only.
    void (*activate)(model::Activation kind, const float* gate, float* h, uint32_t n);
    // As model::float_to_half().
    void (*to_halves)(const float* x, uint32_t n, uint16_t* out);
    void (*attend)(const AttendItem& item);
    // The sum of e^(x - largest).
    float (*exp_sum)(const float* x, uint32_t n, float largest);
};

}  // namespace llmd::compute

// One function for each instruction set that meson.build compiles kernels.cpp for.
namespace llmd::compute::baseline {
CpuKernels kernels();  // whatever the compiler's own target has: SSE2 on x86-64, NEON on aarch64
}
namespace llmd::compute::avx2 {
CpuKernels kernels();  // AVX2 and F16C
}
namespace llmd::compute::avx512 {
CpuKernels kernels();  // AVX-512 F, BW, VL and VNNI
}
namespace llmd::compute::dotprod {
CpuKernels kernels();  // ARMv8.2 with the dot product of bytes
}
namespace llmd::compute::i8mm {
CpuKernels kernels();  // that and the product of matrices of bytes
}
