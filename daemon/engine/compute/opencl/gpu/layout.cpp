#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::compute::gpu {
namespace {

using model::TensorType;

struct LayoutFormat {
    std::string_view name;
    std::array<ArrayFormat, kWeightArrays.size()> arrays;
    bool has_integer_core;
};

constexpr ArrayFormat kNibbles = {16, 2, 1};
constexpr ArrayFormat kNone = {};
constexpr ArrayFormat kFifthBits = {8, 1, 1};
constexpr ArrayFormat kTwoHalfs = {4, 1, 1};
constexpr ArrayFormat kFourHalfs = {8, 1, 1};
constexpr ArrayFormat kFourBytes = {4, 1, 1};

constexpr std::array<LayoutFormat, kLayouts.size()> kFormats = {{
    {"Q4_0", {kNibbles, kNone, kTwoHalfs, kNone}, true},
    {"Q4_1", {kNibbles, kNone, kFourHalfs, kNone}, true},
    {"Q5_0", {kNibbles, kFifthBits, kTwoHalfs, kNone}, true},
    {"Q5_1", {kNibbles, kFifthBits, kFourHalfs, kNone}, true},
    {"Q8_0", {{{16, 4, 1}, kNone, kTwoHalfs, kNone}}, false},
    {"Q4_K", {{kNibbles, kNone, kFourBytes, {8, 1, kSuperBlocks}}}, true},
    {"Q5_K", {{kNibbles, kFifthBits, kFourBytes, {8, 1, kSuperBlocks}}}, true},
    {"Q6_K", {{kNibbles, {16, 1, 1}, kFourBytes, {4, 1, kSuperBlocks}}}, true},
    {"IQ4_NL", {kNibbles, kNone, kTwoHalfs, kNone}, false},
    {"IQ4_XS", {{kNibbles, kNone, {4, 1, 2}, {4, 1, kSuperBlocks}}}, false},
    {"F16", {{{8, 16, 1}, kNone, kNone, kNone}}, false},
}};

const LayoutFormat& format_of(Layout layout) {
    return kFormats[static_cast<size_t>(layout)];
}

}  // namespace

Layout layout_for(TensorType type) {
    switch (type) {
        case TensorType::Q4_0:
            return Layout::Q4_0;
        case TensorType::Q4_1:
            return Layout::Q4_1;
        case TensorType::Q5_0:
            return Layout::Q5_0;
        case TensorType::Q5_1:
            return Layout::Q5_1;
        case TensorType::Q8_0:
            return Layout::Q8_0;
        case TensorType::Q4_K:
            return Layout::Q4_K;
        case TensorType::Q5_K:
            return Layout::Q5_K;
        case TensorType::Q3_K:
        case TensorType::Q6_K:
            return Layout::Q6_K;
        case TensorType::IQ4_NL:
            return Layout::IQ4_NL;
        case TensorType::IQ4_XS:
            return Layout::IQ4_XS;
        case TensorType::F32:
        case TensorType::F16:
        case TensorType::BF16:
        case TensorType::Q2_K:
            break;
    }
    return Layout::F16;
}

bool is_rounded(TensorType type) {
    return layout_for(type) == Layout::F16 && type != TensorType::F16;
}

bool is_reencoded(TensorType type) {
    return is_rounded(type) || type == TensorType::Q3_K;
}

std::string_view layout_name(Layout layout) {
    return format_of(layout).name;
}

ArrayFormat array_format(Layout layout, WeightArray array, bool image) {
    if (image && layout == Layout::Q8_0 && array == WeightArray::Quants) return {4, 16, 1};
    return format_of(layout).arrays[static_cast<size_t>(array)];
}

bool has_integer_core(Layout layout) {
    return format_of(layout).has_integer_core;
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
