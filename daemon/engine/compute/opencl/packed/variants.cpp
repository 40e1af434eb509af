#include "engine/compute/opencl/packed/variants.h"

#include <algorithm>

#include "engine/compute/opencl/packed/activations.h"

namespace llmd::compute::packed {
namespace {

constexpr uint32_t kNvidia = 0x10de;
constexpr uint32_t kMostItems = 256;  // in a work-group, on any device
constexpr uint32_t kManyRows = 8192;  // give groups enough to fill a device with few slices
constexpr uint32_t kSlices = 8;       // of a row where there are fewer
constexpr uint32_t kFewSlices = 4;
// For NVIDIA, measured on an H200, where a token's launches wait for memory and for each other: many items a row, all
// of x staged at once. From kManyColumns on two pairs share an item's work.
constexpr uint32_t kNvidiaMostItems = 512;
constexpr uint32_t kNvidiaSlices = 32;
constexpr uint32_t kNvidiaStagedBytes = 24 * 1024;
constexpr uint32_t kAttentionItems = 64;
constexpr uint32_t kNvidiaAttentionItems = 256;
constexpr uint32_t kManyColumns = 8;
constexpr uint32_t kMaxAttentionHeads = 4;  // whose sums an item keeps in registers: eight spill on an Adreno

}  // namespace

Variants::Variants(const DeviceLimits& device, Precision precision)
    : precision_(precision),
      in_turn_(device.is_cpu),
      is_nvidia_(device.vendor_id == kNvidia),
      most_items_(
          static_cast<uint32_t>(std::min<uint64_t>(device.group_items, is_nvidia_ ? kNvidiaMostItems : kMostItems))) {}

Core Variants::core(Layout layout) const {
    // NVIDIA multiplies 32-bit integers as fast as floats and 24-bit ones slower.
    return has_integer_core(layout) && !is_nvidia_ ? Core::Integer : Core::Float;
}

ProductShape Variants::product_shape(uint32_t rows, uint32_t columns, bool one_output_a_pair) const {
    const bool many_rows = rows >= kManyRows && !(is_nvidia_ && one_output_a_pair);
    ProductShape shape;
    shape.lanes = one_output_a_pair || in_turn_ || many_rows ? kRecordBlock : kRecordBlock / 2;
    if (prefers_images()) {  // two pairs an item share what a turn of the loop costs beside its products
        shape.lanes = kRecordBlock / 2;
        shape.pairs = 2;
    }
    if (is_nvidia_ && !many_rows && columns >= kManyColumns) shape.pairs = 2;
    shape.slices = in_turn_ ? 1 : std::min(many_rows ? kFewSlices : slices(), most_items_ / shape.lanes);
    return shape;
}

uint32_t Variants::slices() const {
    return in_turn_ ? 1 : is_nvidia_ ? kNvidiaSlices : kSlices;
}

uint32_t Variants::staged_bytes() const {
    return is_nvidia_ ? kNvidiaStagedBytes : kStagedBytes;
}

uint32_t Variants::attention_items() const {
    return is_nvidia_ ? kNvidiaAttentionItems : kAttentionItems;
}

uint32_t Variants::attention_heads(uint32_t heads_per_kv, uint32_t head_dim) const {
    const auto fills_blocks = [&](uint32_t heads) { return heads * head_dim % kRecordBlock == 0; };
    uint32_t best = 1;
    for (uint32_t heads = 1; heads <= std::min(heads_per_kv, kMaxAttentionHeads); ++heads) {
        if (heads_per_kv % heads != 0) continue;
        // NVIDIA has more multiprocessors than a small model has heads, and a cache for the keys that they share.
        if (is_nvidia_ && fills_blocks(best)) break;
        if (fills_blocks(heads) || !fills_blocks(best)) best = heads;
    }
    return best;
}

std::string Variants::profile() const {
    return base::concat("packed, ", precision_ == Precision::Fast ? "fast" : "faithful", ", slices ",
                        product_shape(1, 1, false).slices, "/", product_shape(1, 1, true).slices, "/",
                        product_shape(kManyRows, 1, false).slices, "/", product_shape(kManyRows, 1, true).slices,
                        ", attention ", attention_items(), is_nvidia_ ? ", float" : "");
}

}  // namespace llmd::compute::packed
