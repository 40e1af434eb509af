// The type of each tensor, as llama-quantize (build 11669) was seen to choose it (tests/lanes/quantizers), and blocks
// as the format's definition makes them: worked by hand where rounding decides, and by error bounds for the rest.
#include "engine/convert/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace llmd::convert {
namespace {

using model::TensorType;

constexpr TensorType kTypes[] = {TensorType::F32,  TensorType::F16,  TensorType::BF16, TensorType::Q8_0,
                                 TensorType::Q6_K, TensorType::Q5_0, TensorType::Q4_0, TensorType::Q4_K};

std::vector<std::byte> quantized(TensorType type, const std::vector<float>& weights) {
    std::vector<std::byte> out(*model::row_bytes(type, weights.size()), std::byte{0xEE});
    quantize(type, weights, out);
    return out;
}

uint16_t scale_of(const std::vector<std::byte>& block) {
    return static_cast<uint16_t>(std::to_integer<unsigned>(block[0]) | std::to_integer<unsigned>(block[1]) << 8);
}

TEST(Quantize, Q8_0RoundsHalvesAwayFromZero) {
    std::vector<float> x(32, 0.0f);
    x[0] = -127;
    x[1] = 2.5f;
    x[2] = -2.5f;
    x[31] = 1.49f;
    const auto block = quantized(TensorType::Q8_0, x);
    ASSERT_EQ(block.size(), 34u);
    EXPECT_EQ(scale_of(block), model::float_to_half(1.0f));
    const auto number = [&](size_t i) { return static_cast<int8_t>(block[2 + i]); };
    EXPECT_EQ(number(0), -127);
    EXPECT_EQ(number(1), 3);
    EXPECT_EQ(number(2), -3);
    EXPECT_EQ(number(31), 1);
}

TEST(Quantize, Q4_0TakesTheSignOfTheLargest) {
    std::vector<float> x(32, 0.0f);
    x[0] = 8;  // becomes -8 with a scale of -1
    x[1] = -7;
    x[16] = 1;
    x[17] = -8;  // as large, but later: one too many for four bits
    const auto block = quantized(TensorType::Q4_0, x);
    ASSERT_EQ(block.size(), 18u);
    EXPECT_EQ(scale_of(block), model::float_to_half(-1.0f));
    EXPECT_EQ(std::to_integer<int>(block[2]), 0 | 7 << 4);
    EXPECT_EQ(std::to_integer<int>(block[3]), 15 | 15 << 4);
    EXPECT_EQ(std::to_integer<int>(block[4]), 8 | 8 << 4);
}

TEST(Quantize, ZerosStayZeros) {
    for (const TensorType type : kTypes) {
        std::vector<float> back(512, NAN);
        model::dequantize(type, quantized(type, std::vector<float>(512, 0.0f)), back);
        EXPECT_EQ(back, std::vector<float>(512, 0.0f));
    }
}

TEST(Quantize, ErrorsStayWithinAStep) {
    std::mt19937 bits(7);
    std::vector<float> x(2560), back(2560);
    for (float& value : x) value = static_cast<float>(bits()) / 4e9f - 0.5f;
    const auto worst = [&](TensorType type) {
        model::dequantize(type, quantized(type, x), back);
        float error = 0;
        for (size_t i = 0; i < x.size(); ++i) error = std::max(error, std::fabs(x[i] - back[i]));
        return error;
    };
    constexpr float kLargest = 0.6f;
    EXPECT_EQ(worst(TensorType::F32), 0);
    EXPECT_LE(worst(TensorType::F16), kLargest * 0x1p-11f);
    EXPECT_LE(worst(TensorType::BF16), kLargest * 0x1p-8f);
    EXPECT_LT(worst(TensorType::Q8_0), kLargest / 127 * 0.52f);
    EXPECT_LT(worst(TensorType::Q6_K), kLargest / 32 * 1.05f);
    EXPECT_LT(worst(TensorType::Q5_0), kLargest / 16 * 1.05f);
    EXPECT_LT(worst(TensorType::Q4_0), kLargest / 8 * 1.05f);
    EXPECT_LT(worst(TensorType::Q4_K), 2 * kLargest / 15);
}

// The blocks that tests/lanes/quantizers compares with llama-quantize (build 11669), tensor by tensor: the same bytes
// on every machine.
TEST(Quantize, BlocksStayWhatLlamaQuantizeMakes) {
    std::mt19937 bits(11);
    std::vector<float> x(8192);
    for (size_t i = 0; i < x.size(); ++i) {
        // Some groups are small beside the others of their block, some have one sign, some are zeros.
        const float size = i / 16 % 7 == 0 ? 1e-4f : 1.0f, shift = i / 32 % 5 == 0 ? 0.5f : 0.0f;
        x[i] = i / 32 % 11 == 0 ? 0.0f : (static_cast<float>(bits()) / 4e9f - 0.5f + shift) * size;
    }
    const auto hash = [&](TensorType type) {  // FNV-1a
        uint64_t value = 0xcbf29ce484222325;
        for (const std::byte byte : quantized(type, x))
            value = (value ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3;
        return value;
    };
    EXPECT_EQ(hash(TensorType::Q8_0), 0x31bb1fb873c92af3u);
    EXPECT_EQ(hash(TensorType::Q6_K), 0x466f424bc92e4843u);
    EXPECT_EQ(hash(TensorType::Q5_0), 0x60f3a510621604du);
    EXPECT_EQ(hash(TensorType::Q4_K), 0x3ee2bc605631d7f4u);
    EXPECT_EQ(hash(TensorType::Q4_0), 0xc31e4e27d5536522u);
}

// --- Types -----------------------------------------------------------------------------------------------------------

constexpr uint32_t kLayers = 24;

TensorType chosen(FileType type, const std::string& name, uint64_t cols, uint32_t layer = 0, bool has_output = true) {
    const bool is_vector = name.ends_with("norm.weight") || name.ends_with("bias");
    return tensor_type(type, {name, is_vector ? 0u : 8u, cols, layer}, kLayers, has_output);
}

TEST(FileType, NamesAreFoundInAnyCase) {
    EXPECT_EQ(find_file_type("q4_k_m"), FileType::Q4_K_M);
    EXPECT_EQ(find_file_type("Q4_K_M"), FileType::Q4_K_M);
    EXPECT_EQ(find_file_type("BF16"), FileType::BF16);
    EXPECT_EQ(find_file_type("q5_k_m"), std::nullopt);
    EXPECT_EQ(find_file_type(""), std::nullopt);
    EXPECT_EQ(file_type_names(), "f32, f16, bf16, q8_0, q4_k_m, q4_0");
}

TEST(FileType, VectorsAndPositionsStayFloats) {
    for (const char* name : {"output_norm.weight", "blk.0.attn_q.bias", "position_embd.weight"}) {
        EXPECT_EQ(chosen(FileType::Q4_K_M, name, 256), TensorType::F32) << name;
        EXPECT_EQ(chosen(FileType::F16, name, 256), TensorType::F32) << name;
    }
}

TEST(FileType, TheOutputHasSixBits) {
    for (const FileType type : {FileType::Q4_0, FileType::Q4_K_M}) {
        EXPECT_EQ(chosen(type, "output.weight", 256), TensorType::Q6_K);
        EXPECT_EQ(chosen(type, "output.weight", 896), TensorType::Q8_0) << "rows are not blocks of 256";
        EXPECT_EQ(chosen(type, "token_embd.weight", 256, 0, false), TensorType::Q6_K) << "it is the output too";
    }
    EXPECT_EQ(chosen(FileType::Q4_0, "token_embd.weight", 256), TensorType::Q4_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "token_embd.weight", 256), TensorType::Q4_K);
    EXPECT_EQ(chosen(FileType::Q8_0, "output.weight", 256), TensorType::Q8_0);
    EXPECT_EQ(chosen(FileType::F16, "output.weight", 256), TensorType::F16);
}

TEST(FileType, SomeLayersDeserveMoreBits) {
    for (const char* name : {"attn_v.weight", "attn_qkv.weight", "ffn_down.weight"}) {
        std::string with_more;
        for (uint32_t layer = 0; layer < kLayers; ++layer) {
            const TensorType type = chosen(FileType::Q4_K_M, "blk." + std::to_string(layer) + "." + name, 256, layer);
            EXPECT_TRUE(type == TensorType::Q6_K || type == TensorType::Q4_K);
            if (type == TensorType::Q6_K) with_more += std::to_string(layer) + " ";
        }
        EXPECT_EQ(with_more, "0 1 2 5 8 11 14 17 20 21 22 23 ") << name;
    }
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.0.ffn_up.weight", 256), TensorType::Q4_K);
    EXPECT_EQ(chosen(FileType::Q4_0, "blk.0.ffn_down.weight", 256), TensorType::Q4_0);
}

TEST(FileType, RowsThatAreNotBlocksGetTheNextTypeThatFits) {
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.9.ffn_up.weight", 896, 9), TensorType::Q5_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.0.ffn_down.weight", 896), TensorType::Q8_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.9.ffn_up.weight", 33, 9), TensorType::F32);
    EXPECT_EQ(chosen(FileType::Q8_0, "blk.9.ffn_up.weight", 33, 9), TensorType::F32);
    EXPECT_EQ(chosen(FileType::Q4_0, "output.weight", 33), TensorType::F32);
}

}  // namespace
}  // namespace llmd::convert
