// The block formats of GGUF tensors and their reference decoding to float. A row is a whole number of blocks.
// Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h.
// All pure functions, callable from any thread.
#pragma once

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

struct BlockFormat {
    TensorType type;
    std::string_view name;   // "Q4_0"
    uint32_t block_weights;  // weights in one block
    uint32_t block_bytes;    // bytes of one block
};

// Every supported format, in the order of their ids.
std::span<const BlockFormat> block_formats();
// Null when llmd does not support that id.
const BlockFormat* find_block_format(uint32_t type_id);
const BlockFormat& block_format(TensorType type);
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
