// Blocks as the format's definition makes them: worked by hand for what rounding decides, and by error bounds for the
// rest.
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

// What tests/lanes/quantizers compares with llama-quantize (build 11669), tensor by tensor: the same bytes on every
// machine.
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

}  // namespace
}  // namespace llmd::convert
