#include "engine/compute/opencl/autotune/tuning_bench.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/repack.h"
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

Result<WeightBuffers> make_weight_buffers(DeviceQueue& queue, std::string_view what, Layout layout,
                                          const std::array<std::vector<std::byte>, kWeightArrays.size()>& contents,
                                          bool image) {
    const auto upload = [&](const std::vector<std::byte>& content) -> Result<ClBuffer> {
        auto buffer = queue.allocate_scratch(what, content.size());
        if (!buffer) return buffer;
        if (auto ok = queue.upload(*buffer, 0, content); !ok) return ok.error();
        return buffer;
    };
    if (!image) {
        std::vector<std::byte> all;
        for (const auto& content : contents) all.insert(all.end(), content.begin(), content.end());
        auto probe = SegmentProbe::create(queue);
        if (!probe) return probe.error();
        return probe->make_in_segments([&]() -> Result<WeightBuffers> {
            auto buffer = upload(all);
            if (!buffer) return buffer.error();
            WeightBuffers one;
            one[0] = std::move(*buffer);
            return one;
        });
    }
    WeightBuffers arrays;
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        if (contents[p].empty()) continue;
        auto array = upload(contents[p]);
        if (!array) return array.error();
        const uint64_t texels = contents[p].size() / array_format(layout, kWeightArrays[p], true).element_bytes;
        array = queue.image_of(*array, texel_format(layout, kWeightArrays[p]), texels);
        if (!array) return array.error();
        arrays[p] = std::move(*array);
    }
    return arrays;
}

Result<void> set_weight_buffers(const ClKernel& kernel, const WeightBuffers& arrays) {
    cl_uint index = 0;
    for (const ClBuffer& array : arrays) {
        if (!array) continue;
        if (auto ok = set_arg(kernel, index++, array); !ok) return ok;
    }
    return {};
}

Result<void> StoreMatmul::bind(const ClKernel& kernel) const {
    cl_uint index = 0;
    Result<void> set;
    const auto add = [&](const auto& arg) {
        if (set) set = set_arg(kernel, index, arg);
        ++index;
    };
    for (const ClBuffer& array : arrays) {
        if (array) add(array);
    }
    add(n_pairs);
    add(n_blocks);
    add(activations);
    add(uint32_t{0});  // input_at
    add(quantized_row_bytes);
    add(quantized_width);
    add(uint32_t{0});  // first_pair
    add(y);
    add(2 * n_pairs);
    return set;
}

Result<void> StoreMatmul::launch(DeviceQueue& queue, const ClKernel& kernel, const MatmulShape& shape,
                                 uint32_t row_groups) const {
    const uint32_t groups = (n_pairs + shape.group_pairs() - 1) / shape.group_pairs();
    return queue.launch(kernel, groups, row_groups, shape.items());
}

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kTuning = "tuning";

std::vector<std::byte> repeat(const std::vector<std::byte>& content, size_t bytes) {
    std::vector<std::byte> all(bytes);
    for (size_t at = 0; at < bytes; at += content.size()) {
        std::copy_n(content.begin(), std::min(content.size(), bytes - at), all.begin() + static_cast<ptrdiff_t>(at));
    }
    return all;
}

uint32_t groups_of(uint32_t batch_rows) {
    return batch_rows == kMaxBatchRows ? kTimedPromptGroups : 1;
}

}  // namespace

uint64_t weight_bytes(const MatmulKind& kind, bool image) {
    return tile_count(kind.rows) * tile_bytes(kind.layout, kind.cols, image);
}

Result<TimedMatmul> TimedMatmul::create(DeviceQueue& queue, const ProbeMatrix& probe, const MatmulKind& kind,
                                        bool image) {
    TimedMatmul timed(queue);
    StoreMatmul& matmul = timed.matmul_;
    const uint64_t of_tile = tile_bytes(kind.layout, kind.cols, image);
    const auto tiles = static_cast<uint32_t>(std::clamp<uint64_t>(kTimedBytes / of_tile, 1, tile_count(kind.rows)));
    timed.bytes_ = tiles * of_tile;
    const auto n_copies = std::clamp<uint64_t>(kTimedBytes / timed.bytes_, 1, kMostTimedCopies);
    timed.further_copies_.resize(n_copies - 1);
    std::array<std::vector<std::byte>, kWeightArrays.size()> contents;
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        const auto& probed = (image ? probe.image_arrays : probe.buffer_arrays)[p];
        if (!probed.empty()) contents[p] = repeat(probed, probed.size() / probe.tiles * tiles);
    }
    for (size_t copy = 0; copy < n_copies; ++copy) {
        auto arrays = make_weight_buffers(queue, kTuning, kind.layout, contents, image);
        if (!arrays) return arrays.error();
        (copy == 0 ? matmul.arrays : timed.further_copies_[copy - 1]) = std::move(*arrays);
    }
    matmul.n_pairs = tiles * kTilePairs;
    matmul.n_blocks = block_count(kind.cols);
    matmul.quantized_row_bytes = probe.x.row_bytes;
    matmul.quantized_width = probe.x.width;
    const size_t batch = size_t{kMaxBatchRows} * groups_of(kMaxBatchRows);
    const auto activations = repeat(probe.x.bytes, batch * probe.x.row_bytes);
    const Allocation wanted[] = {{&matmul.activations, kTuning, activations.size()},
                                 {&matmul.y, kTuning, batch * tiles * kTileRows * sizeof(float)}};
    for (const Allocation& one : wanted) {
        auto buffer = queue.allocate_scratch(one.what, one.bytes);
        if (!buffer) return buffer.error();
        *one.buffer = std::move(*buffer);
    }
    if (auto ok = queue.upload(matmul.activations, 0, activations); !ok) return ok.error();
    return timed;
}

Result<std::chrono::nanoseconds> TimedMatmul::round(const ClKernel& kernel, const MatmulShape& shape,
                                                    uint32_t batch_rows) {
    const auto n =
        static_cast<uint32_t>(std::clamp<uint64_t>(kRoundBytes / bytes_ / batch_rows, 1, kMostRoundLaunches));
    auto result = matmul_.bind(kernel);
    const auto begin = Clock::now();
    for (uint32_t i = 0; result && i < n; ++i) {
        next_ = (next_ + 1) % (further_copies_.size() + 1);
        result = set_weight_buffers(kernel, next_ == 0 ? matmul_.arrays : further_copies_[next_ - 1]);
        if (result) result = matmul_.launch(*queue_, kernel, shape, groups_of(batch_rows));
    }
    const auto finished = queue_->finish();  // after an error too: launches may use the buffers
    if (!result) return result.error();
    if (!finished) return finished.error();
    return std::chrono::nanoseconds(Clock::now() - begin) / n;
}

}  // namespace llmd::compute::gpu
