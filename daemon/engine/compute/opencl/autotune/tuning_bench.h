// Some rows of a model's matrix in packed form, activations for them, and their products in double precision: what
// product kernels are tried on before a model is loaded. Host memory only; pure functions of their arguments.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/compute/opencl/autotune/choices.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/model/gguf.h"

namespace llmd::compute::gpu {

inline constexpr uint32_t kSampleTiles = 4;  // of the matrix: its first, its last and some between
inline constexpr uint32_t kSampleVectors = kMaxColumns;

// Pseudo-random vectors as kernels/activations.cl lays them out, the same everywhere.
struct SampleRecords {
    // `cols` values each, padded with zeros; 1 or 2 digits.
    SampleRecords(uint32_t cols, uint32_t n_digits);

    uint32_t columns;  // padded
    uint32_t digits;
    uint32_t row_bytes;
    std::vector<std::byte> bytes;  // kSampleVectors rows
    std::vector<float> values;     // [vector][columns], what the digits stand for, exactly but for one rounding
};

// One sample serves all products of these.
struct SampleKey {
    Layout layout;
    uint32_t cols;
    uint32_t digits;  // of the activations

    auto operator<=>(const SampleKey&) const = default;
};
inline SampleKey sample_key(const ProductKind& kind) {
    return {kind.layout, kind.cols, kind.digits};
}

struct SampleMatrix {
    // Reads kSampleTiles * kTileRows rows of the tensor, fewer where it has fewer, and nothing later.
    SampleMatrix(const model::TensorView& tensor, uint32_t digits);

    Layout layout;
    uint32_t cols;
    uint32_t tiles;
    SampleRecords x;
    std::array<std::vector<std::byte>, kPlanes.size()> pointer_planes;  // tile after tile; empty: there is none
    // The same for images. Rows that images cannot hold (holds_minus_128()) are zeros.
    std::array<std::vector<std::byte>, kPlanes.size()> image_planes;
    struct Sum {
        double sum = 0;
        double magnitude = 0;     // sum of the products' magnitudes
        bool is_in_image = true;  // the row is not one of zeros in image_planes
    };
    std::vector<Sum> sums;  // [vector][row of the tiles]; padding rows are 0

    uint32_t rows() const { return tiles * kTileRows; }
};

}  // namespace llmd::compute::gpu
