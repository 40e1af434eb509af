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

using base::Result;

Result<PlaneBuffers> make_planes(DeviceQueue& queue, std::string_view what, Layout layout,
                                 const std::array<std::vector<std::byte>, kPlanes.size()>& contents, bool image) {
    const auto upload = [&](const std::vector<std::byte>& content) -> Result<ClBuffer> {
        auto buffer = queue.allocate_scratch(what, content.size());
        if (!buffer) return buffer;
        if (auto ok = queue.upload(*buffer, 0, content); !ok) return ok.error();
        return buffer;
    };
    if (!image) {
        std::vector<std::byte> all;
        for (const auto& content : contents) all.insert(all.end(), content.begin(), content.end());
        auto probe = WindowProbe::create(queue);
        if (!probe) return probe.error();
        return probe->make_in_windows([&]() -> Result<PlaneBuffers> {
            auto buffer = upload(all);
            if (!buffer) return buffer.error();
            PlaneBuffers one;
            one[0] = std::move(*buffer);
            return one;
        });
    }
    PlaneBuffers planes;
    for (size_t p = 0; p < kPlanes.size(); ++p) {
        if (contents[p].empty()) continue;
        auto plane = upload(contents[p]);
        if (!plane) return plane.error();
        const uint64_t texels = contents[p].size() / plane_format(layout, kPlanes[p], true).element_bytes;
        plane = queue.image_of(*plane, texel_format(layout, kPlanes[p]), texels);
        if (!plane) return plane.error();
        planes[p] = std::move(*plane);
    }
    return planes;
}

Result<void> set_planes(const ClKernel& kernel, const PlaneBuffers& planes) {
    cl_uint index = 0;
    for (const ClBuffer& plane : planes) {
        if (!plane) continue;
        if (auto ok = set_arg(kernel, index++, plane); !ok) return ok;
    }
    return {};
}

Result<void> StoreProduct::bind(const ClKernel& kernel) const {
    cl_uint index = 0;
    Result<void> set;
    const auto add = [&](const auto& arg) {
        if (set) set = set_arg(kernel, index, arg);
        ++index;
    };
    for (const ClBuffer& plane : planes) {
        if (plane) add(plane);
    }
    add(n_pairs);
    add(n_blocks);
    add(records);
    add(uint32_t{0});  // record_at
    add(record_bytes);
    add(record_columns);
    add(uint32_t{0});  // first_pair
    add(y);
    add(2 * n_pairs);
    return set;
}

Result<void> StoreProduct::launch(DeviceQueue& queue, const ClKernel& kernel, const ProductShape& shape,
                                  uint32_t column_groups) const {
    const uint32_t groups = (n_pairs + shape.group_pairs() - 1) / shape.group_pairs();
    return queue.launch(kernel, groups, column_groups, shape.items());
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

uint32_t groups_of(uint32_t columns) {
    return columns == kMaxColumns ? kTimedPromptGroups : 1;
}

}  // namespace

uint64_t plane_bytes(const ProductKind& kind, bool image) {
    return tile_count(kind.rows) * tile_bytes(kind.layout, kind.cols, image);
}

Result<TimedProduct> TimedProduct::create(DeviceQueue& queue, const SampleMatrix& sample, const ProductKind& kind,
                                          bool image) {
    TimedProduct timed(queue);
    StoreProduct& product = timed.product_;
    const uint64_t of_tile = tile_bytes(kind.layout, kind.cols, image);
    const auto tiles = static_cast<uint32_t>(std::clamp<uint64_t>(kTimedBytes / of_tile, 1, tile_count(kind.rows)));
    timed.bytes_ = tiles * of_tile;
    const auto n_copies = std::clamp<uint64_t>(kTimedBytes / timed.bytes_, 1, kMostTimedCopies);
    timed.further_copies_.resize(n_copies - 1);
    std::array<std::vector<std::byte>, kPlanes.size()> contents;
    for (size_t p = 0; p < kPlanes.size(); ++p) {
        const auto& sampled = (image ? sample.image_planes : sample.pointer_planes)[p];
        if (!sampled.empty()) contents[p] = repeat(sampled, sampled.size() / sample.tiles * tiles);
    }
    for (size_t copy = 0; copy < n_copies; ++copy) {
        auto planes = make_planes(queue, kTuning, kind.layout, contents, image);
        if (!planes) return planes.error();
        (copy == 0 ? product.planes : timed.further_copies_[copy - 1]) = std::move(*planes);
    }
    product.n_pairs = tiles * kTilePairs;
    product.n_blocks = block_count(kind.cols);
    product.record_bytes = sample.x.row_bytes;
    product.record_columns = sample.x.columns;
    const size_t batch = size_t{kMaxColumns} * groups_of(kMaxColumns);
    const auto records = repeat(sample.x.bytes, batch * sample.x.row_bytes);
    const Allocation wanted[] = {{&product.records, kTuning, records.size()},
                                 {&product.y, kTuning, batch * tiles * kTileRows * sizeof(float)}};
    for (const Allocation& one : wanted) {
        auto buffer = queue.allocate_scratch(one.what, one.bytes);
        if (!buffer) return buffer.error();
        *one.buffer = std::move(*buffer);
    }
    if (auto ok = queue.upload(product.records, 0, records); !ok) return ok.error();
    return timed;
}

Result<std::chrono::nanoseconds> TimedProduct::round(const ClKernel& kernel, const ProductShape& shape,
                                                     uint32_t columns) {
    const auto n = static_cast<uint32_t>(std::clamp<uint64_t>(kRoundBytes / bytes_ / columns, 1, kMostRoundLaunches));
    auto result = product_.bind(kernel);
    const auto begin = Clock::now();
    for (uint32_t i = 0; result && i < n; ++i) {
        next_ = (next_ + 1) % (further_copies_.size() + 1);
        result = set_planes(kernel, next_ == 0 ? product_.planes : further_copies_[next_ - 1]);
        if (result) result = product_.launch(*queue_, kernel, shape, groups_of(columns));
    }
    const auto finished = queue_->finish();  // after an error too: launches may use the buffers
    if (!result) return result.error();
    if (!finished) return finished.error();
    return std::chrono::nanoseconds(Clock::now() - begin) / n;
}

}  // namespace llmd::compute::gpu
