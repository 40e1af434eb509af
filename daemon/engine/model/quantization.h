// The block formats of GGUF tensors and their reference decoding to float. A row is a whole number of blocks.
// Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h.
// All pure functions, callable from any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace llmd::model {

// Values are GGUF's own type ids.
enum class TensorType : uint32_t {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    IQ4_NL = 20,
    IQ4_XS = 23,
    BF16 = 30,
};

// Bytes of a block; none where there are no bytes.
struct BlockField {
    uint16_t at = 0, bytes = 0;

    constexpr bool exists() const { return bytes != 0; }
    constexpr uint32_t end() const { return uint32_t{at} + bytes; }
};

// The integers that quants stand for, before the zero point is subtracted: their bits, signed bytes, or a level.
enum class QuantKind : uint8_t { Unsigned, Signed, Level };

// How a format's block lies in a file: the one description of it. The CPU's kernels and packing, the GPU's layouts and
// the tests' random blocks derive from it; how sub-blocks' scales and quants are spread over their fields is in the
// decoders (quantization.cpp).
struct BlockLayout {
    TensorType type;
    std::string_view name;    // "Q4_0"
    uint32_t block_weights;   // weights in one block; 1: plain numbers, which have none of the rest
    uint32_t block_bytes;     // bytes of one block
    BlockField scale{};       // a half
    BlockField minimum{};     // a half: what is added to a weight, or of which its sub-block subtracts a multiple
    BlockField sub_scales{};  // scales of sub-blocks, which multiply the block's, and their minima
    BlockField quants{};      // the lowest bits of each quant
    BlockField high_bits{};   // the bits above
    uint8_t bits = 0;         // of a quant
    uint8_t zero_point = 0;
    uint8_t scale_weights = 32;     // weights that share a scale
    uint8_t largest_sub_scale = 1;  // by magnitude; of minima too
    QuantKind kind = QuantKind::Unsigned;

    constexpr bool is_plain() const { return bits == 0; }
    constexpr uint32_t n_codes() const { return 1u << bits; }
    // The largest magnitude of what the block's scale multiplies.
    constexpr uint32_t largest() const {
        const uint32_t above = n_codes() - 1 - zero_point;
        const uint32_t quant = kind == QuantKind::Level    ? 127
                               : kind == QuantKind::Signed ? n_codes() / 2
                               : above > zero_point        ? above
                                                           : zero_point;
        return quant * largest_sub_scale;
    }
};

// Every supported format, in the order of their ids.
inline constexpr std::array kBlockLayouts = std::to_array<BlockLayout>({
    {TensorType::F32, "F32", 1, 4},
    {TensorType::F16, "F16", 1, 2},
    {TensorType::Q4_0, "Q4_0", 32, 18, {0, 2}, {}, {}, {2, 16}, {}, 4, 8},
    {TensorType::Q4_1, "Q4_1", 32, 20, {0, 2}, {2, 2}, {}, {4, 16}, {}, 4},
    {TensorType::Q5_0, "Q5_0", 32, 22, {0, 2}, {}, {}, {6, 16}, {2, 4}, 5, 16},
    {TensorType::Q5_1, "Q5_1", 32, 24, {0, 2}, {2, 2}, {}, {8, 16}, {4, 4}, 5},
    {TensorType::Q8_0, "Q8_0", 32, 34, {0, 2}, {}, {}, {2, 32}, {}, 8, 0, 32, 1, QuantKind::Signed},
    {TensorType::Q2_K, "Q2_K", 256, 84, {80, 2}, {82, 2}, {0, 16}, {16, 64}, {}, 2, 0, 16, 15},
    {TensorType::Q3_K, "Q3_K", 256, 110, {108, 2}, {}, {96, 12}, {32, 64}, {0, 32}, 3, 4, 16, 32},
    {TensorType::Q4_K, "Q4_K", 256, 144, {0, 2}, {2, 2}, {4, 12}, {16, 128}, {}, 4, 0, 32, 63},
    {TensorType::Q5_K, "Q5_K", 256, 176, {0, 2}, {2, 2}, {4, 12}, {48, 128}, {16, 32}, 5, 0, 32, 63},
    {TensorType::Q6_K, "Q6_K", 256, 210, {208, 2}, {}, {192, 16}, {0, 128}, {128, 64}, 6, 32, 16, 128},
    {TensorType::IQ4_NL, "IQ4_NL", 32, 18, {0, 2}, {}, {}, {2, 16}, {}, 4, 0, 32, 1, QuantKind::Level},
    {TensorType::IQ4_XS, "IQ4_XS", 256, 136, {0, 2}, {}, {2, 6}, {8, 128}, {}, 4, 0, 32, 32, QuantKind::Level},
    {TensorType::BF16, "BF16", 1, 2},
});

// The levels of QuantKind::Level (kvalues_iq4nl in ggml-common.h).
inline constexpr int8_t kQuantLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// Null when llmd does not support that id.
constexpr const BlockLayout* find_block_layout(uint32_t type_id) {
    for (const BlockLayout& layout : kBlockLayouts) {
        if (static_cast<uint32_t>(layout.type) == type_id) return &layout;
    }
    return nullptr;
}
constexpr const BlockLayout& block_layout(TensorType type) {
    return *find_block_layout(static_cast<uint32_t>(type));
}
// The name of any type id that GGUF defines ("IQ2_XXS"), supported or not, or "type 99".
std::string ggml_type_name(uint32_t type_id);

// The name that general.file_type has for the mixture of a file's types: "Q4_K_M"; empty for a number that is not
// known.
std::string_view file_type_name(uint32_t file_type);

// Bytes of a row of `cols` weights; nullopt when cols is not a multiple of the block.
std::optional<uint64_t> row_bytes(TensorType type, uint64_t cols);

// Decodes one row (or any whole number of blocks): out.size() weights from row_bytes(type, out.size()) bytes.
// The result is the exact value in float arithmetic that the format defines: scale * integer (+ minimum), each
// operation rounded to float once, in that order.
void dequantize(TensorType type, std::span<const std::byte> blocks, std::span<float> out);

// Whether no weight of these blocks is infinite or NaN: a whole number of blocks, of which only what could be so is
// read.
bool are_finite(TensorType type, std::span<const std::byte> blocks);

// IEEE binary16 <-> binary32, exact, subnormals, infinities and NaN included; to_half rounds to nearest, ties to even.
float half_to_float(uint16_t half);
uint16_t float_to_half(float value);

}  // namespace llmd::model
