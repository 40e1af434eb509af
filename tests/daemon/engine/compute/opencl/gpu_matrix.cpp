#include "daemon/engine/compute/opencl/gpu_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace llmd::test {
namespace {

constexpr uint32_t kPlaneAlignment = 16;

uint32_t row_bytes_of(uint32_t columns, uint32_t digits) {
    const uint32_t bytes = digits * columns + columns / 4 + columns / 8 + columns / 2;
    return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
}

}  // namespace

template <typename T>
T& RecordRows::field(uint32_t row, size_t offset, size_t index) {
    return reinterpret_cast<T*>(bytes.data() + size_t{row} * row_bytes + offset)[index];
}

RecordRows::RecordRows(uint32_t rows, uint32_t n_columns, uint32_t n_digits, Noise& noise)
    : columns(n_columns), digits(n_digits), row_bytes(row_bytes_of(n_columns, n_digits)), bytes(rows * row_bytes) {
    const int largest = digits == 2 ? 16319 : 127;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t block = 0; block < columns / 32; ++block) {
            set_scale(row, block, static_cast<float>((1.5 + noise.uniform()) / largest));
            // One value of each block has the largest magnitude, as a quantiser gives it.
            const uint64_t peak = noise.bits() % 32;
            for (uint32_t i = 0; i < 32; ++i) {
                const double v = i == peak ? (noise.bits() % 2 != 0 ? 1 : -1) : noise.uniform();
                const int x = static_cast<int>(std::lrint(v * largest));
                const int hi = digits == 2 ? (x + 63) >> 7 : x;
                set(row, block * 32 + i, hi, digits == 2 ? x - 128 * hi : 0);
            }
        }
    }
}

void RecordRows::set(uint32_t row, uint32_t column, int hi, int lo) {
    int8_t& high = field<int8_t>(row, 0, column);
    int16_t* sums = &field<int16_t>(row, digits * columns, column / 8 * 2);
    sums[0] = static_cast<int16_t>(sums[0] + hi - high);
    high = static_cast<int8_t>(hi);
    if (digits == 1) return;
    int8_t& low = field<int8_t>(row, columns, column);
    sums[1] = static_cast<int16_t>(sums[1] + lo - low);
    low = static_cast<int8_t>(lo);
}

void RecordRows::set_scale(uint32_t row, uint32_t block, float scale) {
    field<float>(row, digits * columns + columns / 2 + columns / 4, block) = scale;
}

double RecordRows::value(uint32_t row, uint32_t column) const {
    auto* self = const_cast<RecordRows*>(this);
    const double scale = self->field<float>(row, digits * columns + columns / 2 + columns / 4, column / 32);
    const int8_t hi = self->field<int8_t>(row, 0, column);
    if (digits == 1) return scale * hi;
    return scale * (128 * hi + self->field<int8_t>(row, columns, column));
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

GpuMatrix::Planes GpuMatrix::pack(bool image) const {
    using namespace compute::gpu;
    const Layout layout = layout_for(type);
    const uint64_t row_bytes = *model::row_bytes(type, cols);
    const uint32_t tiles = tile_count(rows);
    Planes planes;
    for (size_t i = 0; i < planes.size(); ++i) {
        // Poison: every byte must be written.
        planes[i].assign(tiles * tile_bytes(layout, kPlanes[i], cols, image), std::byte{0xa5});
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        TileRows source{};
        for (uint32_t i = 0; i < kTileRows && tile * kTileRows + i < rows; ++i) {
            source[i] = blocks.data() + (size_t{tile} * kTileRows + i) * row_bytes;
        }
        TilePlanes out;
        for (size_t i = 0; i < planes.size(); ++i) {
            const size_t bytes = planes[i].size() / tiles;
            out[i] = std::span(planes[i]).subspan(tile * bytes, bytes);
        }
        repack_tile(type, cols, source, out, image);
    }
    return planes;
}

ExactSum exact_product(const GpuMatrix& matrix, const RecordRows& x, uint32_t r, uint32_t n) {
    ExactSum result;
    for (uint32_t c = 0; c < matrix.cols; ++c) {
        const double product = double{matrix.weights[size_t{r} * matrix.cols + c]} * x.value(n, c);
        result.sum += product;
        result.magnitude += std::fabs(product);
    }
    return result;
}

}  // namespace llmd::test
