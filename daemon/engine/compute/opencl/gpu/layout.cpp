#include "engine/compute/opencl/gpu/layout.h"

#include <algorithm>

namespace llmd::compute::gpu {
namespace {

using model::BlockLayout;
using model::TensorType;

// The type whose quants each layout holds as they are, in the order of Layout.
constexpr std::array<TensorType, kLayouts.size()> kTypes = {
    TensorType::Q4_0, TensorType::Q4_1, TensorType::Q5_0,   TensorType::Q5_1,   TensorType::Q8_0, TensorType::Q4_K,
    TensorType::Q5_K, TensorType::Q6_K, TensorType::IQ4_NL, TensorType::IQ4_XS, TensorType::F16,
};

ArrayFormat quants_format(const BlockLayout& block) {
    if (block.is_plain()) return {8, 16, 1};
    return {16, block.quants.bytes * kBlockCols / block.block_weights / 8, 1};
}

ArrayFormat high_format(const BlockLayout& block) {
    if (block.bits <= 4 || !block.high_bits.exists()) return {};
    return {8u * (block.bits - 4), 1, 1};
}

ArrayFormat scales_format(const BlockLayout& block) {
    if (block.is_plain()) return {};
    const uint32_t numbers = block.minimum.exists() ? 2 : 1;  // of each row
    if (!block.sub_scales.exists()) return {4 * numbers, 1, 1};
    return {4, 1, 2 * block.scale_weights / (kBlockCols * numbers)};
}

ArrayFormat super_scales_format(const BlockLayout& block) {
    if (!block.sub_scales.exists()) return {};
    return {block.minimum.exists() ? 8u : 4u, 1, kSuperBlocks};
}

}  // namespace

const BlockLayout& block_of(Layout layout) {
    return model::block_layout(kTypes[static_cast<size_t>(layout)]);
}

Layout layout_for(TensorType type) {
    const auto* const found = std::find(kTypes.begin(), kTypes.end(), type);
    if (found != kTypes.end()) return kLayouts[static_cast<size_t>(found - kTypes.begin())];
    return type == TensorType::Q3_K ? Layout::Q6_K : Layout::F16;
}

bool is_rounded(TensorType type) {
    return layout_for(type) == Layout::F16 && type != TensorType::F16;
}

bool is_reencoded(TensorType type) {
    return is_rounded(type) || type == TensorType::Q3_K;
}

std::string_view layout_name(Layout layout) {
    return block_of(layout).name;
}

ArrayFormat array_format(Layout layout, WeightArray array, bool image) {
    const BlockLayout& block = block_of(layout);
    switch (array) {
        case WeightArray::Quants:
            return image && layout == Layout::Q8_0 ? ArrayFormat{4, 16, 1} : quants_format(block);
        case WeightArray::High:
            return high_format(block);
        case WeightArray::Scales:
            return scales_format(block);
        case WeightArray::SuperScales:
            break;
    }
    return super_scales_format(block);
}

bool has_integer_core(Layout layout) {
    const BlockLayout& block = block_of(layout);
    return !block.is_plain() && block.kind == model::QuantKind::Unsigned;
}

bool has_dot_core(Layout layout) {
    return has_integer_core(layout) || layout == Layout::Q8_0;
}

uint64_t tile_bytes(Layout layout, WeightArray array, uint32_t cols, bool image) {
    const ArrayFormat format = array_format(layout, array, image);
    if (format.element_bytes == 0) return 0;
    const uint32_t entries = (block_count(cols) + format.entry_blocks - 1) / format.entry_blocks;
    return uint64_t{entries} * format.words * format.element_bytes * kTilePairs;
}

uint64_t tile_bytes(Layout layout, uint32_t cols, bool image) {
    uint64_t bytes = 0;
    for (const WeightArray array : kWeightArrays) bytes += tile_bytes(layout, array, cols, image);
    return bytes;
}

}  // namespace llmd::compute::gpu
