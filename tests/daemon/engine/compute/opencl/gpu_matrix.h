// A random matrix of a GGUF type in the packed form, random activation records, and their product in double precision:
// for the tests of the packed kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "daemon/engine/compute/random_model.h"
#include "engine/compute/opencl/gpu/repack.h"
#include "engine/model/quantization.h"

namespace llmd::test {

// Activations of `rows` vectors of `columns` values, a multiple of 32, as kernels/activations.cl lays them out.
struct RecordRows {
    RecordRows(uint32_t rows, uint32_t columns, uint32_t digits, Noise& noise);

    double value(uint32_t row, uint32_t column) const;
    // Sets the digits of a value; the sums follow.
    void set(uint32_t row, uint32_t column, int hi, int lo);
    void set_scale(uint32_t row, uint32_t block, float scale);

    uint32_t columns, digits, row_bytes;
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

    using Planes = std::array<std::vector<std::byte>, compute::gpu::kPlanes.size()>;
    Planes pack(bool image) const;
    uint32_t n_pairs() const { return compute::gpu::tile_count(rows) * compute::gpu::kTilePairs; }
};

struct ExactSum {
    double sum = 0;
    double magnitude = 0;  // sum of the products' magnitudes
};
// Row r of the matrix times row n of the records.
ExactSum exact_product(const GpuMatrix& matrix, const RecordRows& x, uint32_t r, uint32_t n);

}  // namespace llmd::test
