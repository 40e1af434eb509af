#include "engine/compute/opencl/gpu/probe_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"

namespace llmd::compute::gpu {
namespace {

// A number in [0, n).
uint32_t probe_number(uint32_t key, uint32_t i, uint32_t n) {
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

ProbeMatrix::Sum dot(const SampledRow& row, std::span<const float> x) {
    ProbeMatrix::Sum result;
    result.is_in_image = row.is_in_image;
    for (size_t i = 0; i < row.weights.size(); ++i) {
        const double one = double{row.weights[i]} * x[i];
        result.sum += one;
        result.magnitude += std::fabs(one);
    }
    return result;
}

}  // namespace

ProbeActivations::ProbeActivations(uint32_t cols, uint32_t n_value_bytes)
    : width(padded_width(cols)),
      value_bytes(n_value_bytes),
      row_bytes(quantized_row_bytes(width, value_bytes)),
      bytes(size_t{kProbeVectors} * row_bytes),
      values(size_t{kProbeVectors} * width) {
    const uint32_t n_blocks = width / kQuantBlock;
    for (uint32_t vector = 0; vector < kProbeVectors; ++vector) {
        std::byte* row = bytes.data() + size_t{vector} * row_bytes;
        std::vector<int16_t> hi_sums(width / 8), lo_sums(width / 8);
        for (uint32_t i = 0; i < cols; ++i) {
            const uint32_t key = 2 * (vector * width + i);
            const int hi = value_bytes == 2 ? static_cast<int>(probe_number(key, 1, 253)) - 126
                                            : static_cast<int>(probe_number(key, 1, 255)) - 127;
            const int lo = value_bytes == 2 ? static_cast<int>(probe_number(key, 2, 128)) - 63 : 0;
            const float scale = static_cast<float>(1 + (vector + i / kQuantBlock) % 7) * 0x1p-14f;
            put(row, 0, i, static_cast<int8_t>(hi));
            if (value_bytes == 2) put(row, width, i, static_cast<int8_t>(lo));
            hi_sums[i / 8] = static_cast<int16_t>(hi_sums[i / 8] + hi);
            lo_sums[i / 8] = static_cast<int16_t>(lo_sums[i / 8] + lo);
            put(row, value_bytes * width + width / 2 + width / 4, i / kQuantBlock, scale);
            values[size_t{vector} * width + i] = scale * static_cast<float>(value_bytes == 2 ? 128 * hi + lo : hi);
        }
        for (uint32_t eight = 0; eight < n_blocks * 4; ++eight) {
            put(row, size_t{value_bytes} * width, size_t{2} * eight, hi_sums[eight]);
            put(row, size_t{value_bytes} * width, size_t{2} * eight + 1, lo_sums[eight]);
        }
    }
}

ProbeMatrix::ProbeMatrix(const model::TensorView& tensor, uint32_t value_bytes)
    : layout(layout_for(tensor.type)),
      cols(static_cast<uint32_t>(tensor.cols)),
      tiles(std::min(kProbeTiles, tile_count(static_cast<uint32_t>(tensor.rows)))),
      x(cols, value_bytes),
      sums(size_t{kProbeVectors} * rows()) {
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        buffer_arrays[p].resize(tile_bytes(layout, kWeightArrays[p], cols, false) * tiles);
        image_arrays[p].resize(tile_bytes(layout, kWeightArrays[p], cols, true) * tiles);
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        const uint64_t last = tile_count(static_cast<uint32_t>(tensor.rows)) - 1;
        const uint64_t first_row = (tiles == 1 ? 0 : last * tile / (tiles - 1)) * kTileRows;
        TileRows for_pointers{}, for_images{};
        for (uint32_t r = 0; r < kTileRows; ++r) {
            const SampledRow row = read_row(tensor, first_row + r);
            for_pointers[r] = row.bytes;
            for_images[r] = row.is_in_image ? row.bytes : nullptr;
            for (uint32_t vector = 0; vector < kProbeVectors; ++vector) {
                const auto values = std::span(x.values).subspan(size_t{vector} * x.width, x.width);
                sums[size_t{vector} * rows() + size_t{tile} * kTileRows + r] = dot(row, values);
            }
        }
        const auto tile_of = [&](auto& arrays) {
            TileArrays out;
            for (size_t p = 0; p < kWeightArrays.size(); ++p) {
                const size_t bytes = arrays[p].size() / tiles;
                out[p] = std::span(arrays[p]).subspan(tile * bytes, bytes);
            }
            return out;
        };
        repack_tile(tensor.type, cols, for_pointers, tile_of(buffer_arrays), false);
        repack_tile(tensor.type, cols, for_images, tile_of(image_arrays), true);
    }
}

using base::Result;

namespace {

constexpr std::string_view kSelfTest = "the self-test";

}  // namespace

Result<ClBuffer> ProbeMatmul::upload(std::span<const std::byte> content) {
    auto buffer = queue_->allocate_scratch(kSelfTest, content.size());
    if (!buffer) return buffer;
    if (auto ok = queue_->upload(*buffer, 0, content); !ok) return ok.error();
    return buffer;
}

Result<WeightBuffers> ProbeMatmul::make_images() {
    WeightBuffers arrays;
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        const auto& content = probe_->image_arrays[p];
        if (content.empty()) continue;
        auto array = upload(content);
        if (!array) return array.error();
        const uint64_t texels = content.size() / array_format(probe_->layout, kWeightArrays[p], true).element_bytes;
        array = queue_->image_of(*array, texel_format(probe_->layout, kWeightArrays[p]), texels);
        if (!array) return array.error();
        arrays[p] = std::move(*array);
    }
    return arrays;
}

Result<WeightBuffers> ProbeMatmul::make_buffer() {
    std::vector<std::byte> all;
    for (const auto& content : probe_->buffer_arrays) all.insert(all.end(), content.begin(), content.end());
    auto probe = SegmentProbe::create(*queue_);
    if (!probe) return probe.error();
    return probe->make_in_segments([&]() -> Result<WeightBuffers> {
        auto buffer = upload(all);
        if (!buffer) return buffer.error();
        WeightBuffers one;
        one[0] = std::move(*buffer);
        return one;
    });
}

Result<ProbeMatmul> ProbeMatmul::create(DeviceQueue& queue, const ProbeMatrix& probe, bool image) {
    ProbeMatmul matmul(queue, probe);
    auto arrays = image ? matmul.make_images() : matmul.make_buffer();
    if (!arrays) return arrays.error();
    matmul.arrays_ = std::move(*arrays);
    auto activations = matmul.upload(probe.x.bytes);
    if (!activations) return activations.error();
    matmul.activations_ = std::move(*activations);
    auto y = queue.allocate_scratch(kSelfTest, probe.sums.size() * sizeof(float));
    if (!y) return y.error();
    matmul.y_ = std::move(*y);
    return matmul;
}

Result<void> ProbeMatmul::bind(const ClKernel& kernel) const {
    constexpr uint32_t kInputAt = 0, kFirstPair = 0;
    Arguments args(kernel);
    for (const ClBuffer& array : arrays_) {
        if (array) args.add(array);
    }
    args.add(probe_->tiles * kTilePairs, block_count(probe_->cols), activations_);
    return args.add(kInputAt, probe_->x.row_bytes, probe_->x.width, kFirstPair, y_, probe_->rows()).finish();
}

Result<std::vector<float>> ProbeMatmul::multiply(const ClKernel& kernel, const MatmulShape& shape,
                                                 uint32_t batch_rows) {
    std::vector<float> y(probe_->sums.size(), std::numeric_limits<float>::quiet_NaN());
    if (auto ok = queue_->upload(y_, 0, std::as_bytes(std::span(y))); !ok) return ok.error();
    if (auto ok = bind(kernel); !ok) return ok.error();
    const uint32_t groups = (probe_->tiles * kTilePairs + shape.group_pairs() - 1) / shape.group_pairs();
    if (auto ok = queue_->launch(kernel, groups, kProbeVectors / batch_rows, shape.items()); !ok) return ok.error();
    if (auto ok = queue_->read(y_, 0, std::as_writable_bytes(std::span(y))); !ok) return ok.error();
    return y;
}

}  // namespace llmd::compute::gpu
