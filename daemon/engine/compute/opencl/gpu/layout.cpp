#include "engine/compute/opencl/gpu/layout.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "kernel_sources.h"

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

std::array<std::string_view, 3> layout_parts(Layout layout) {
    switch (layout) {
        case Layout::Q4_0:
            return {kernels::kNibblesCl, kernels::kFourBitsCl, kernels::kScaleCl};
        case Layout::Q4_1:
            return {kernels::kNibblesCl, kernels::kFourBitsCl, kernels::kScaleAndMinimumCl};
        case Layout::Q5_0:
            return {kernels::kNibblesCl, kernels::kFiveBitsCl, kernels::kScaleCl};
        case Layout::Q5_1:
            return {kernels::kNibblesCl, kernels::kFiveBitsCl, kernels::kScaleAndMinimumCl};
        case Layout::Q8_0:
            return {kernels::kQ80Cl};
        case Layout::Q4_K:
            return {kernels::kNibblesCl, kernels::kFourBitsCl, kernels::kSuperScalesCl};
        case Layout::Q5_K:
            return {kernels::kNibblesCl, kernels::kFiveBitsCl, kernels::kSuperScalesCl};
        case Layout::Q6_K:
            return {kernels::kNibblesCl, kernels::kQ6KCl};
        case Layout::IQ4_NL:
            return {kernels::kNibblesCl, kernels::kLevelsCl, kernels::kScaleCl};
        case Layout::IQ4_XS:
            return {kernels::kNibblesCl, kernels::kLevelsCl, kernels::kIq4XsCl};
        case Layout::F16:
            break;
    }
    return {kernels::kF16Cl};
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

namespace {

static_assert(std::endian::native == std::endian::little, "words are written as the device reads them");

using BlockQuants = std::array<uint8_t, kBlockCols>;

// These give the integers of one row's block of 32 columns, without their zero point. quantization.cpp has the file's
// layouts.

void nibble_quants(const uint8_t* qs, BlockQuants& quants) {
    for (size_t j = 0; j < 16; ++j) {
        quants[j] = qs[j] & 15;
        quants[j + 16] = qs[j] >> 4;
    }
}

void add_fifth_bits(const uint8_t* bits, BlockQuants& quants) {
    uint32_t fifth;
    std::memcpy(&fifth, bits, sizeof fifth);
    for (size_t j = 0; j < quants.size(); ++j) quants[j] |= static_cast<uint8_t>((fifth >> j & 1) << 4);
}

void q4_k_quants(const uint8_t* qs, size_t sub, BlockQuants& quants) {
    for (size_t j = 0; j < quants.size(); ++j) quants[j] = qs[sub / 2 * 32 + j] >> (sub % 2 * 4) & 15;
}

void q6_k_quants(const uint8_t* block, size_t sub, BlockQuants& quants) {
    constexpr model::BlockLayout kBlock = model::block_layout(TensorType::Q6_K);
    const uint8_t* low = block + kBlock.quants.at + sub / 4 * 64 + sub % 2 * 32;
    const uint8_t* high = block + kBlock.high_bits.at + sub / 4 * 32;
    for (size_t j = 0; j < quants.size(); ++j) {
        quants[j] = static_cast<uint8_t>((low[j] >> (sub % 4 / 2 * 4) & 15) | (high[j] >> (sub % 4 * 2) & 3) << 4);
    }
}

// As a layout of Q6_K holds them, whose zero point is another.
void q3_k_quants(const uint8_t* block, size_t sub, BlockQuants& quants) {
    constexpr model::BlockLayout kBlock = model::block_layout(TensorType::Q3_K);
    constexpr int kHigher = model::block_layout(TensorType::Q6_K).zero_point - kBlock.zero_point;
    const uint8_t* low = block + kBlock.quants.at + sub / 4 * 32;
    const uint8_t* high = block + kBlock.high_bits.at;
    for (size_t j = 0; j < quants.size(); ++j) {
        const int quant = (low[j] >> (sub % 4 * 2) & 3) | (high[j] >> sub & 1) << 2;
        quants[j] = static_cast<uint8_t>(kHigher + quant);
    }
}

void read_quants(TensorType type, const uint8_t* row, uint32_t block, BlockQuants& quants) {
    const model::BlockLayout& layout = model::block_layout(type);
    const size_t sub = block % (layout.block_weights / kBlockCols);
    const uint8_t* at = row + size_t{block} / (layout.block_weights / kBlockCols) * layout.block_bytes;
    switch (type) {
        case TensorType::Q6_K:
            return q6_k_quants(at, sub, quants);
        case TensorType::Q3_K:
            return q3_k_quants(at, sub, quants);
        case TensorType::IQ4_XS:
            return nibble_quants(at + layout.quants.at + sub * 16, quants);
        case TensorType::Q4_K:
            return q4_k_quants(at + layout.quants.at, sub, quants);
        case TensorType::Q5_K:
            q4_k_quants(at + layout.quants.at, sub, quants);
            for (size_t j = 0; j < quants.size(); ++j) {
                quants[j] |= static_cast<uint8_t>((at[layout.high_bits.at + j] >> sub & 1) << 4);
            }
            return;
        default:  // blocks of 32
            nibble_quants(at + layout.quants.at, quants);
            if (layout.high_bits.exists()) add_fifth_bits(at + layout.high_bits.at, quants);
    }
}

// Writes the words of a pair into an array.
struct ArrayWriter {
    std::byte* array;
    ArrayFormat format;
    uint32_t pair;

    void put(uint32_t entry, uint32_t word, const void* element) const {
        std::memcpy(array + ((size_t{entry} * format.words + word) * kTilePairs + pair) * format.element_bytes, element,
                    format.element_bytes);
    }
};

// Puts four low nibbles side by side.
uint32_t four_nibbles(const uint8_t* quants) {
    uint32_t word;
    std::memcpy(&word, quants, sizeof word);
    word &= 0x0f0f0f0f;
    word = (word | word >> 4) & 0x00ff00ff;
    return (word | word >> 8) & 0xffff;
}

// Puts the bits above the nibbles of 16 / width quants side by side.
uint32_t high_bits(const uint8_t* quants, uint32_t width) {
    uint32_t word = 0;
    for (uint32_t j = 0; j < 16 / width; ++j) word |= uint32_t{quants[j]} >> 4 << (j * width);
    return word;
}

void put_quants(const BlockQuants& even, const BlockQuants& odd, uint32_t block, const ArrayWriter& quants,
                const ArrayWriter& high) {
    std::array<uint32_t, 8> words;
    for (size_t i = 0; i < words.size(); ++i) {
        words[i] = four_nibbles(&even[4 * i]) | four_nibbles(&odd[4 * i]) << 16;
    }
    quants.put(block, 0, &words[0]);
    quants.put(block, 1, &words[4]);
    if (high.format.element_bytes == 0) return;
    const uint32_t width = high.format.element_bytes / 8;  // bits above the nibble
    for (size_t i = 0; i < high.format.element_bytes / 4; ++i) {
        const size_t first = i * 16 / width;
        words[i] = high_bits(&even[first], width) | high_bits(&odd[first], width) << 16;
    }
    high.put(block, 0, words.data());
}

// The sub-block scale and minimum of Q4_K and Q5_K; quantization.cpp says how they lie.
struct ScaleMin {
    uint8_t scale, min;
};
ScaleMin k_scale_min(const uint8_t* packed, size_t sub) {
    if (sub < 4) return {static_cast<uint8_t>(packed[sub] & 63), static_cast<uint8_t>(packed[sub + 4] & 63)};
    return {static_cast<uint8_t>((packed[sub + 4] & 15) | packed[sub - 4] >> 6 << 4),
            static_cast<uint8_t>(packed[sub + 4] >> 4 | packed[sub] >> 6 << 4)};
}

uint8_t q3_k_scale(const uint8_t* scales, size_t i) {
    const int quant = (scales[i % 8] >> (i / 8 * 4) & 15) | (scales[8 + i % 4] >> (i / 4 * 2) & 3) << 4;
    return static_cast<uint8_t>(quant - 32);
}

uint8_t iq4_xs_scale(const uint8_t* scales, size_t sub) {
    const int quant = (scales[2 + sub / 2] >> (sub % 2 * 4) & 15) | (scales[sub / 4] >> (sub % 4 * 2) & 3) << 4;
    return static_cast<uint8_t>(quant - 32);
}

struct RowPair {
    const uint8_t* even;
    const uint8_t* odd;
};

// Puts the half-precision numbers at `offset` of both rows' blocks, then those at `offset` + 2 where there are two.
void put_halfs(RowPair at, size_t offset, uint32_t entry, const ArrayWriter& out) {
    std::array<std::array<uint8_t, 2>, 4> halfs;
    for (size_t i = 0; i < out.format.element_bytes / 4; ++i) {
        std::memcpy(&halfs[2 * i], at.even + offset + 2 * i, 2);
        std::memcpy(&halfs[2 * i + 1], at.odd + offset + 2 * i, 2);
    }
    out.put(entry, 0, halfs.data());
}

// Puts the sub-block scales of the entry that `block` begins.
void put_sub_scales(TensorType type, RowPair super, uint32_t block, const ArrayWriter& out) {
    const size_t sub = block % kSuperBlocks;
    const size_t scales_at = model::block_layout(type).sub_scales.at;
    const uint8_t *even = super.even + scales_at, *odd = super.odd + scales_at;
    std::array<uint8_t, 4> bytes{};
    if (type == TensorType::Q4_K || type == TensorType::Q5_K) {
        const ScaleMin of_even = k_scale_min(even, sub), of_odd = k_scale_min(odd, sub);
        bytes = {of_even.scale, of_odd.scale, of_even.min, of_odd.min};
    } else if (type == TensorType::Q6_K) {
        bytes = {even[2 * sub], odd[2 * sub], even[2 * sub + 1], odd[2 * sub + 1]};
    } else if (type == TensorType::IQ4_XS) {
        bytes = {iq4_xs_scale(even, sub), iq4_xs_scale(odd, sub), iq4_xs_scale(even, sub + 1),
                 iq4_xs_scale(odd, sub + 1)};
    } else {
        bytes = {q3_k_scale(even, 2 * sub), q3_k_scale(odd, 2 * sub), q3_k_scale(even, 2 * sub + 1),
                 q3_k_scale(odd, 2 * sub + 1)};
    }
    out.put(block / out.format.entry_blocks, 0, bytes.data());
}

void repack_quants(TensorType type, uint32_t cols, RowPair rows,
                   const std::array<ArrayWriter, kWeightArrays.size()>& out) {
    const auto& [quants, high, scales, super_scales] = out;
    const model::BlockLayout& layout = model::block_layout(type);
    const bool has_super_scales = super_scales.format.element_bytes != 0;
    BlockQuants even, odd;
    for (uint32_t block = 0; block < block_count(cols); ++block) {
        read_quants(type, rows.even, block, even);
        read_quants(type, rows.odd, block, odd);
        put_quants(even, odd, block, quants, high);
        const size_t offset = size_t{has_super_scales ? block / kSuperBlocks : block} * layout.block_bytes;
        const RowPair at = {rows.even + offset, rows.odd + offset};
        if (!has_super_scales) {
            put_halfs(at, layout.scale.at, block, scales);
            continue;
        }
        if (block % scales.format.entry_blocks == 0) put_sub_scales(type, at, block, scales);
        if (block % kSuperBlocks == 0) put_halfs(at, layout.scale.at, block / kSuperBlocks, super_scales);
    }
}

// Puts columns side by side as they are in the file: one row of a block in elements of an array.
void put_row(const void* row, uint32_t block, uint32_t odd, const ArrayWriter& quants) {
    const uint32_t words = quants.format.words / 2;
    const auto* bytes = static_cast<const uint8_t*>(row);
    for (uint32_t i = 0; i < words; ++i) {
        quants.put(block, odd * words + i, bytes + size_t{i} * quants.format.element_bytes);
    }
}

constexpr model::BlockLayout kQ8 = model::block_layout(TensorType::Q8_0);

void repack_q8_0(uint32_t cols, RowPair rows, const ArrayWriter& quants, const ArrayWriter& scales) {
    for (uint32_t block = 0; block < block_count(cols); ++block) {
        const RowPair at = {rows.even + size_t{block} * kQ8.block_bytes, rows.odd + size_t{block} * kQ8.block_bytes};
        put_row(at.even + kQ8.quants.at, block, 0, quants);
        put_row(at.odd + kQ8.quants.at, block, 1, quants);
        put_halfs(at, kQ8.scale.at, block, scales);
    }
}

void repack_f16(TensorType type, uint32_t cols, const uint8_t* row, uint32_t odd, const ArrayWriter& quants) {
    const uint32_t blocks = block_count(cols);
    std::vector<uint16_t> halfs(size_t{blocks} * kBlockCols);
    if (type == TensorType::F16) {
        std::memcpy(halfs.data(), row, size_t{cols} * 2);
    } else {
        std::vector<float> values(cols);
        model::dequantize(type, {reinterpret_cast<const std::byte*>(row), *model::row_bytes(type, cols)}, values);
        std::transform(values.begin(), values.end(), halfs.begin(), model::float_to_half);
    }
    for (uint32_t block = 0; block < blocks; ++block) put_row(&halfs[size_t{block} * kBlockCols], block, odd, quants);
}

}  // namespace

void repack_tile(TensorType type, uint32_t cols, const TileRows& rows, const TileArrays& out, bool image) {
    const Layout layout = layout_for(type);
    const std::vector<std::byte> zeros(*model::row_bytes(type, cols));
    for (uint32_t pair = 0; pair < kTilePairs; ++pair) {
        const auto row = [&](size_t i) {
            return reinterpret_cast<const uint8_t*>(rows[i] != nullptr ? rows[i] : zeros.data());
        };
        const RowPair both = {row(size_t{2} * pair), row(size_t{2} * pair + 1)};
        std::array<ArrayWriter, kWeightArrays.size()> writers;
        for (size_t i = 0; i < writers.size(); ++i) {
            writers[i] = {out[i].data(), array_format(layout, kWeightArrays[i], image), pair};
        }
        if (layout == Layout::F16) {
            repack_f16(type, cols, both.even, 0, writers[0]);
            repack_f16(type, cols, both.odd, 1, writers[0]);
        } else if (layout == Layout::Q8_0) {
            repack_q8_0(cols, both, writers[0], writers[2]);
        } else {
            repack_quants(type, cols, both, writers);
        }
    }
}

bool holds_minus_128(TensorType type, std::span<const std::byte> blocks) {
    if (type != TensorType::Q8_0) return false;
    for (size_t at = 0; at < blocks.size(); at += kQ8.block_bytes) {
        const auto quants = blocks.subspan(at + kQ8.quants.at, kQ8.quants.bytes);
        if (std::find(quants.begin(), quants.end(), std::byte{0x80}) != quants.end()) return true;
    }
    return false;
}

}  // namespace llmd::compute::gpu
