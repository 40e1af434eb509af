#include "daemon/engine/compute/opencl/gpu_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace llmd::test {
namespace {

constexpr uint32_t kRowAlignment = 16;

uint32_t row_bytes_of(uint32_t width, uint32_t value_bytes) {
    const uint32_t bytes = value_bytes * width + width / 4 + width / 8 + width / 2;
    return (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

}  // namespace

template <typename T>
T& QuantizedRows::field(uint32_t row, size_t offset, size_t index) {
    return reinterpret_cast<T*>(bytes.data() + size_t{row} * row_bytes + offset)[index];
}

QuantizedRows::QuantizedRows(uint32_t rows, uint32_t n_width, uint32_t n_value_bytes, Noise& noise)
    : width(n_width),
      value_bytes(n_value_bytes),
      row_bytes(row_bytes_of(n_width, n_value_bytes)),
      bytes(rows * row_bytes) {
    const int largest = value_bytes == 2 ? 16319 : 127;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t block = 0; block < width / 32; ++block) {
            set_scale(row, block, static_cast<float>((1.5 + noise.uniform()) / largest));
            // One value of each block has the largest magnitude, as a quantiser gives it.
            const uint64_t peak = noise.bits() % 32;
            for (uint32_t i = 0; i < 32; ++i) {
                const double v = i == peak ? (noise.bits() % 2 != 0 ? 1 : -1) : noise.uniform();
                const int x = static_cast<int>(std::lrint(v * largest));
                const int hi = value_bytes == 2 ? (x + 63) >> 7 : x;
                set(row, block * 32 + i, hi, value_bytes == 2 ? x - 128 * hi : 0);
            }
        }
    }
}

void QuantizedRows::set(uint32_t row, uint32_t col, int hi, int lo) {
    int8_t& high = field<int8_t>(row, 0, col);
    int16_t* sums = &field<int16_t>(row, value_bytes * width, col / 8 * 2);
    sums[0] = static_cast<int16_t>(sums[0] + hi - high);
    high = static_cast<int8_t>(hi);
    if (value_bytes == 1) return;
    int8_t& low = field<int8_t>(row, width, col);
    sums[1] = static_cast<int16_t>(sums[1] + lo - low);
    low = static_cast<int8_t>(lo);
}

void QuantizedRows::set_scale(uint32_t row, uint32_t block, float scale) {
    field<float>(row, value_bytes * width + width / 2 + width / 4, block) = scale;
}

double QuantizedRows::value(uint32_t row, uint32_t col) const {
    auto* self = const_cast<QuantizedRows*>(this);
    const double scale = self->field<float>(row, value_bytes * width + width / 2 + width / 4, col / 32);
    const int8_t hi = self->field<int8_t>(row, 0, col);
    if (value_bytes == 1) return scale * hi;
    return scale * (128 * hi + self->field<int8_t>(row, width, col));
}

GpuMatrix::GpuMatrix(model::TensorType tensor_type, uint32_t n_cols, std::vector<std::byte> file_blocks)
    : type(tensor_type),
      rows(static_cast<uint32_t>(file_blocks.size() / *model::row_bytes(type, n_cols))),
      cols(n_cols),
      weights(size_t{rows} * cols),
      blocks(std::move(file_blocks)) {
    model::dequantize(type, blocks, weights);
    if (!compute::gpu::is_rounded(type)) return;
    for (float& w : weights) w = model::half_to_float(model::float_to_half(w));
}

GpuMatrix::Arrays GpuMatrix::pack(bool image) const {
    using namespace compute::gpu;
    const Layout layout = layout_for(type);
    const uint64_t row_bytes = *model::row_bytes(type, cols);
    const uint32_t tiles = tile_count(rows);
    Arrays arrays;
    for (size_t i = 0; i < arrays.size(); ++i) {
        // Poison: every byte must be written.
        arrays[i].assign(tiles * tile_bytes(layout, kWeightArrays[i], cols, image), std::byte{0xa5});
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        TileRows source{};
        for (uint32_t i = 0; i < kTileRows && tile * kTileRows + i < rows; ++i) {
            source[i] = blocks.data() + (size_t{tile} * kTileRows + i) * row_bytes;
        }
        TileArrays out;
        for (size_t i = 0; i < arrays.size(); ++i) {
            const size_t bytes = arrays[i].size() / tiles;
            out[i] = std::span(arrays[i]).subspan(tile * bytes, bytes);
        }
        repack_tile(type, cols, source, out, image);
    }
    return arrays;
}

ExactSum exact_dot(const GpuMatrix& matrix, const QuantizedRows& x, uint32_t r, uint32_t n) {
    ExactSum result;
    for (uint32_t c = 0; c < matrix.cols; ++c) {
        const double one = double{matrix.weights[size_t{r} * matrix.cols + c]} * x.value(n, c);
        result.sum += one;
        result.magnitude += std::fabs(one);
    }
    return result;
}

}  // namespace llmd::test
