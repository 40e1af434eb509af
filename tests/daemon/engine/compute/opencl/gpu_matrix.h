// For the tests of the GPU kernels: a random matrix of a GGUF type in the layout of the device, random quantized
// activations, and their dot products in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "daemon/engine/compute/random_model.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/model/quantization.h"

namespace llmd::test {

// Quantized activations of `rows` vectors of `width` values, a multiple of 32, as kernels/activations.cl lays them out.
struct QuantizedRows {
    QuantizedRows(uint32_t rows, uint32_t width, uint32_t value_bytes, Noise& noise);

    double value(uint32_t row, uint32_t col) const;
    // Sets the bytes of a value; the sums follow.
    void set(uint32_t row, uint32_t col, int hi, int lo);
    void set_scale(uint32_t row, uint32_t block, float scale);

    uint32_t width, value_bytes, row_bytes;
    std::vector<std::byte> bytes;

private:
    template <typename T>
    T& field(uint32_t row, size_t offset, size_t index);
};

struct GpuMatrix {
    // From the file's rows.
    GpuMatrix(model::TensorType type, uint32_t cols, std::vector<std::byte> blocks);

    model::TensorType type;
    uint32_t rows, cols;
    std::vector<float> weights;  // as the layout holds them: half precision where is_rounded()
    std::vector<std::byte> blocks;

    using Arrays = std::array<std::vector<std::byte>, compute::gpu::kWeightArrays.size()>;
    Arrays pack(bool image) const;
    uint32_t n_pairs() const { return compute::gpu::tile_count(rows) * compute::kTilePairs; }
};

struct ExactSum {
    double sum = 0;
    double magnitude = 0;  // sum of the products' magnitudes
};
// Row r of the matrix times row n of the activations.
ExactSum exact_dot(const GpuMatrix& matrix, const QuantizedRows& x, uint32_t r, uint32_t n);

}  // namespace llmd::test
