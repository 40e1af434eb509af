#include "engine/compute/opencl/autotune/timed_product.h"

#include <algorithm>

namespace llmd::compute::gpu {

using base::Result;
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
