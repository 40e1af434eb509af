#include "engine/compute/opencl/autotune/tuning_bench.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/gpu/activations.h"
#include "engine/compute/opencl/gpu/repack.h"

namespace llmd::compute::gpu {
namespace {

// In [0, n).
uint32_t sample_number(uint32_t key, uint32_t i, uint32_t n) {
    return mix32(i ^ mix32(key)) % n;
}

template <typename T>
void put(std::byte* row, size_t offset, size_t index, T value) {
    std::memcpy(row + offset + index * sizeof value, &value, sizeof value);
}

struct SampledRow {
    const std::byte* bytes = nullptr;  // null: padding
    std::vector<float> weights;        // as the layout holds them
    bool is_in_image = true;
};

SampledRow read_row(const model::TensorView& tensor, uint64_t index) {
    SampledRow row;
    if (index >= tensor.rows) return row;
    const auto bytes = tensor.row(index);
    row.bytes = bytes.data();
    row.weights.resize(tensor.cols);
    model::dequantize(tensor.type, bytes, row.weights);
    if (is_rounded(tensor.type)) {
        for (float& weight : row.weights) weight = model::half_to_float(model::float_to_half(weight));
    }
    row.is_in_image = layout_for(tensor.type) != Layout::Q8_0 || !holds_minus_128(tensor.type, bytes);
    return row;
}

SampleMatrix::Sum product(const SampledRow& row, std::span<const float> x) {
    SampleMatrix::Sum result;
    result.is_in_image = row.is_in_image;
    for (size_t i = 0; i < row.weights.size(); ++i) {
        const double one = double{row.weights[i]} * x[i];
        result.sum += one;
        result.magnitude += std::fabs(one);
    }
    return result;
}

}  // namespace

SampleRecords::SampleRecords(uint32_t cols, uint32_t n_digits)
    : columns(padded_columns(cols)),
      digits(n_digits),
      row_bytes(record_bytes(columns, digits)),
      bytes(size_t{kSampleVectors} * row_bytes),
      values(size_t{kSampleVectors} * columns) {
    const uint32_t n_blocks = columns / kRecordBlock;
    for (uint32_t vector = 0; vector < kSampleVectors; ++vector) {
        std::byte* row = bytes.data() + size_t{vector} * row_bytes;
        std::vector<int16_t> hi_sums(columns / 8), lo_sums(columns / 8);
        for (uint32_t i = 0; i < cols; ++i) {
            const uint32_t key = 2 * (vector * columns + i);
            const int hi = digits == 2 ? static_cast<int>(sample_number(key, 1, 253)) - 126
                                       : static_cast<int>(sample_number(key, 1, 255)) - 127;
            const int lo = digits == 2 ? static_cast<int>(sample_number(key, 2, 128)) - 63 : 0;
            const float scale = static_cast<float>(1 + (vector + i / kRecordBlock) % 7) * 0x1p-14f;
            put(row, 0, i, static_cast<int8_t>(hi));
            if (digits == 2) put(row, columns, i, static_cast<int8_t>(lo));
            hi_sums[i / 8] = static_cast<int16_t>(hi_sums[i / 8] + hi);
            lo_sums[i / 8] = static_cast<int16_t>(lo_sums[i / 8] + lo);
            put(row, digits * columns + columns / 2 + columns / 4, i / kRecordBlock, scale);
            values[size_t{vector} * columns + i] = scale * static_cast<float>(digits == 2 ? 128 * hi + lo : hi);
        }
        for (uint32_t eight = 0; eight < n_blocks * 4; ++eight) {
            put(row, size_t{digits} * columns, size_t{2} * eight, hi_sums[eight]);
            put(row, size_t{digits} * columns, size_t{2} * eight + 1, lo_sums[eight]);
        }
    }
}

SampleMatrix::SampleMatrix(const model::TensorView& tensor, uint32_t digits)
    : layout(layout_for(tensor.type)),
      cols(static_cast<uint32_t>(tensor.cols)),
      tiles(std::min(kSampleTiles, tile_count(static_cast<uint32_t>(tensor.rows)))),
      x(cols, digits),
      sums(size_t{kSampleVectors} * rows()) {
    for (size_t p = 0; p < kPlanes.size(); ++p) {
        pointer_planes[p].resize(tile_bytes(layout, kPlanes[p], cols, false) * tiles);
        image_planes[p].resize(tile_bytes(layout, kPlanes[p], cols, true) * tiles);
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        const uint64_t last = tile_count(static_cast<uint32_t>(tensor.rows)) - 1;
        const uint64_t first_row = (tiles == 1 ? 0 : last * tile / (tiles - 1)) * kTileRows;
        TileRows for_pointers{}, for_images{};
        for (uint32_t r = 0; r < kTileRows; ++r) {
            const SampledRow row = read_row(tensor, first_row + r);
            for_pointers[r] = row.bytes;
            for_images[r] = row.is_in_image ? row.bytes : nullptr;
            for (uint32_t vector = 0; vector < kSampleVectors; ++vector) {
                const auto values = std::span(x.values).subspan(size_t{vector} * x.columns, x.columns);
                sums[size_t{vector} * rows() + size_t{tile} * kTileRows + r] = product(row, values);
            }
        }
        const auto tile_of = [&](auto& planes) {
            TilePlanes out;
            for (size_t p = 0; p < kPlanes.size(); ++p) {
                const size_t bytes = planes[p].size() / tiles;
                out[p] = std::span(planes[p]).subspan(tile * bytes, bytes);
            }
            return out;
        };
        repack_tile(tensor.type, cols, for_pointers, tile_of(pointer_planes), false);
        repack_tile(tensor.type, cols, for_images, tile_of(image_planes), true);
    }
}

}  // namespace llmd::compute::gpu
