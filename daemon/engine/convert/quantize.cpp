#include "engine/convert/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace llmd::convert {
namespace {

using model::TensorType;

constexpr size_t kBlock = 32;

void put_scale(std::byte* out, float scale) {
    const uint16_t half = model::float_to_half(scale);
    std::memcpy(out, &half, sizeof half);
}

// A scale of 1/127 of the largest magnitude, then 32 signed bytes.
void quantize_q8_0(std::span<const float, kBlock> x, std::byte* out) {
    float largest = 0;
    for (const float value : x) largest = std::max(largest, std::fabs(value));
    const float scale = largest / 127.0f;
    const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
    put_scale(out, scale);
    for (size_t i = 0; i < kBlock; ++i) {
        out[2 + i] = static_cast<std::byte>(static_cast<int8_t>(std::round(x[i] * inverse)));
    }
}

// A scale of -1/8 of the value with the largest magnitude, then 16 bytes of two numbers 0..15, 8 too large, whose low
// halves are the first 16 values.
void quantize_q4_0(std::span<const float, kBlock> x, std::byte* out) {
    float largest = 0, extreme = 0;
    for (const float value : x) {
        if (std::fabs(value) > largest) {
            largest = std::fabs(value);
            extreme = value;
        }
    }
    const float scale = extreme / -8.0f;
    const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
    put_scale(out, scale);
    const auto number = [&](float value) {
        return std::min(15, static_cast<int>(static_cast<int8_t>(value * inverse + 8.5f)));
    };
    for (size_t i = 0; i < kBlock / 2; ++i) {
        out[2 + i] = static_cast<std::byte>(number(x[i]) | number(x[i + kBlock / 2]) << 4);
    }
}

}  // namespace

bool can_quantize(TensorType type) {
    return type == TensorType::F32 || type == TensorType::Q8_0 || type == TensorType::Q4_0;
}

void quantize(TensorType type, std::span<const float> weights, std::span<std::byte> out) {
    if (type == TensorType::F32) {
        std::memcpy(out.data(), weights.data(), weights.size_bytes());
        return;
    }
    const size_t block_bytes = model::block_format(type).block_bytes;
    for (size_t i = 0, at = 0; i < weights.size(); i += kBlock, at += block_bytes) {
        const std::span<const float, kBlock> block(weights.subspan(i).first<kBlock>());
        type == TensorType::Q8_0 ? quantize_q8_0(block, &out[at]) : quantize_q4_0(block, &out[at]);
    }
}

}  // namespace llmd::convert
