#include "engine/model/quantization.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace llmd::model {
namespace {

// Ids without a name here were used by formats that GGUF has dropped.
constexpr std::array<std::string_view, 43> kTypeNames = {
    "F32",        "F16",        "Q4_0",       "Q4_1",  "Q4_2",     "Q4_3",     "Q5_0",     "Q5_1",    "Q8_0",
    "Q8_1",       "Q2_K",       "Q3_K",       "Q4_K",  "Q5_K",     "Q6_K",     "Q8_K",     "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS",    "IQ1_S",      "IQ4_NL",     "IQ3_S", "IQ2_S",    "IQ4_XS",   "I8",       "I16",     "I32",
    "I64",        "F64",        "IQ1_M",      "BF16",  "Q4_0_4_4", "Q4_0_4_8", "Q4_0_8_8", "TQ1_0",   "TQ2_0",
    "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4", "NVFP4",    "Q1_0",     "Q2_0",
};
// Types of a fork of llama.cpp, for weights under a Hadamard transform.
constexpr uint32_t kFirstPtq = 142, kLastPtq = 143;

// llama_ftype in llama.h: what llama-quantize was asked for. Numbers without a name are no more in use.
constexpr std::array<std::string_view, 42> kFileTypes = {
    "F32",    "F16",     "Q4_0",   "Q4_1",   "",       "",          "",       "Q8_0",  "Q5_0",    "Q5_1",   "Q2_K",
    "Q3_K_S", "Q3_K_M",  "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S",    "Q5_K_M", "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S",
    "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",  "IQ3_M",     "IQ2_S",  "IQ2_M", "IQ4_XS",  "IQ1_M",  "BF16",
    "",       "",        "",       "TQ1_0",  "TQ2_0",  "MXFP4_MOE", "NVFP4",  "Q1_0",  "Q2_0",
};

uint16_t read_u16(const uint8_t* p) {
    return static_cast<uint16_t>(p[0] | p[1] << 8);
}
uint32_t read_u32(const uint8_t* p) {
    return static_cast<uint32_t>(read_u16(p)) | uint32_t{read_u16(p + 2)} << 16;
}
float read_half(const uint8_t* p) {
    return half_to_float(read_u16(p));
}

// Blocks of 32: byte j of `qs` holds weight j in its low and weight j + 16 in its high nibble; the fifth bit of weight
// j is bit j of `qh`.

void decode_q4_0(const uint8_t* block, float* out) {
    const float d = read_half(block);
    for (int j = 0; j < 16; ++j) {
        const int q = block[2 + j];
        out[j] = d * static_cast<float>((q & 15) - 8);
        out[j + 16] = d * static_cast<float>((q >> 4) - 8);
    }
}

void decode_q4_1(const uint8_t* block, float* out) {
    const float d = read_half(block);
    const float min = read_half(block + 2);
    for (int j = 0; j < 16; ++j) {
        const int q = block[4 + j];
        out[j] = d * static_cast<float>(q & 15) + min;
        out[j + 16] = d * static_cast<float>(q >> 4) + min;
    }
}

void decode_q5_0(const uint8_t* block, float* out) {
    const float d = read_half(block);
    const uint32_t qh = read_u32(block + 2);
    for (int j = 0; j < 16; ++j) {
        const int q = block[6 + j];
        const int low = (q & 15) | static_cast<int>(qh >> j & 1) << 4;
        const int high = q >> 4 | static_cast<int>(qh >> (j + 16) & 1) << 4;
        out[j] = d * static_cast<float>(low - 16);
        out[j + 16] = d * static_cast<float>(high - 16);
    }
}

void decode_q5_1(const uint8_t* block, float* out) {
    const float d = read_half(block);
    const float min = read_half(block + 2);
    const uint32_t qh = read_u32(block + 4);
    for (int j = 0; j < 16; ++j) {
        const int q = block[8 + j];
        const int low = (q & 15) | static_cast<int>(qh >> j & 1) << 4;
        const int high = q >> 4 | static_cast<int>(qh >> (j + 16) & 1) << 4;
        out[j] = d * static_cast<float>(low) + min;
        out[j + 16] = d * static_cast<float>(high) + min;
    }
}

void decode_q8_0(const uint8_t* block, float* out) {
    const float d = read_half(block);
    for (int j = 0; j < 32; ++j) out[j] = d * static_cast<float>(static_cast<int8_t>(block[2 + j]));
}

void decode_iq4_nl(const uint8_t* block, float* out) {
    const float d = read_half(block);
    for (int j = 0; j < 16; ++j) {
        const uint8_t q = block[2 + j];
        out[j] = d * static_cast<float>(kQuantLevels[q & 15]);
        out[j + 16] = d * static_cast<float>(kQuantLevels[q >> 4]);
    }
}

// Blocks of 256 in sub-blocks of 16 or 32 weights with a small scale each. The two-bit parts of Q2_K and Q3_K: byte j
// of each half's 32 bytes holds weights j, j + 32, j + 64, j + 96 of that half, lowest bits first.

// 16 bytes of scale (low nibble) and minimum (high nibble); 64 bytes of two-bit weights; d; dmin.
void decode_q2_k(const uint8_t* block, float* out) {
    const uint8_t* scales = block;
    const uint8_t* qs = block + 16;
    const float d = read_half(block + 80);
    const float d_min = read_half(block + 82);
    for (size_t sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(scales[sub] & 15);
        const float min = d_min * static_cast<float>(scales[sub] >> 4);
        const uint8_t* q = qs + sub / 8 * 32 + sub % 2 * 16;
        const size_t shift = sub % 8 / 2 * 2;
        for (size_t j = 0; j < 16; ++j) out[sub * 16 + j] = scale * static_cast<float>(q[j] >> shift & 3) - min;
    }
}

// 32 bytes of third bits (set: no 4 is subtracted), bit k of byte j for weight 32 k + j; 64 bytes of two-bit weights;
// 12 bytes of sixteen 6-bit scales biased by 32: low nibbles in bytes 0-7, scale s and s + 8 sharing one, and the two
// high bits of scale s in byte 8 + s % 4; d.
void decode_q3_k(const uint8_t* block, float* out) {
    const uint8_t* high_bits = block;
    const uint8_t* qs = block + 32;
    const uint8_t* scales = block + 96;
    const float d = read_half(block + 108);
    for (size_t sub = 0; sub < 16; ++sub) {
        const int low = scales[sub % 8] >> (sub / 8 * 4) & 15;
        const int high = scales[8 + sub % 4] >> (sub / 4 * 2) & 3;
        const float scale = d * static_cast<float>((low | high << 4) - 32);
        const uint8_t* q = qs + sub / 8 * 32 + sub % 2 * 16;
        const uint8_t* h = high_bits + sub % 2 * 16;
        const size_t shift = sub % 8 / 2 * 2;
        for (size_t j = 0; j < 16; ++j) {
            const int value = (q[j] >> shift & 3) - ((h[j] >> (sub / 2) & 1) != 0 ? 0 : 4);
            out[sub * 16 + j] = scale * static_cast<float>(value);
        }
    }
}

struct ScaleMin {
    float scale;
    float min;
};

// Sub-block `sub` of eight in the 12 bytes of 6-bit scales and minima of Q4_K and Q5_K: the first four scales and
// minima in the low six bits of bytes 0-3 and 4-7; the last four in a nibble each of bytes 8-11, their high two bits
// above the first four.
ScaleMin k_scale_min(const uint8_t* packed, size_t sub) {
    if (sub < 4) return {static_cast<float>(packed[sub] & 63), static_cast<float>(packed[sub + 4] & 63)};
    const int scale = (packed[sub + 4] & 15) | packed[sub - 4] >> 6 << 4;
    const int min = packed[sub + 4] >> 4 | packed[sub] >> 6 << 4;
    return {static_cast<float>(scale), static_cast<float>(min)};
}

// d; dmin; 12 bytes of scales and minima; 128 bytes of nibbles: 32 bytes hold sub-block 2i in their low and 2i + 1 in
// their high nibbles.
void decode_q4_k(const uint8_t* block, float* out) {
    const float d = read_half(block);
    const float d_min = read_half(block + 2);
    for (size_t sub = 0; sub < 8; ++sub) {
        const ScaleMin packed = k_scale_min(block + 4, sub);
        const float scale = d * packed.scale;
        const float min = d_min * packed.min;
        const uint8_t* q = block + 16 + sub / 2 * 32;
        const size_t shift = sub % 2 * 4;
        for (size_t j = 0; j < 32; ++j) out[sub * 32 + j] = scale * static_cast<float>(q[j] >> shift & 15) - min;
    }
}

// As Q4_K with 32 bytes of fifth bits before the nibbles: bit `sub` of byte j.
void decode_q5_k(const uint8_t* block, float* out) {
    const float d = read_half(block);
    const float d_min = read_half(block + 2);
    const uint8_t* high_bits = block + 16;
    for (size_t sub = 0; sub < 8; ++sub) {
        const ScaleMin packed = k_scale_min(block + 4, sub);
        const float scale = d * packed.scale;
        const float min = d_min * packed.min;
        const uint8_t* q = block + 48 + sub / 2 * 32;
        const size_t shift = sub % 2 * 4;
        for (size_t j = 0; j < 32; ++j) {
            const int value = (q[j] >> shift & 15) | (high_bits[j] >> sub & 1) << 4;
            out[sub * 32 + j] = scale * static_cast<float>(value) - min;
        }
    }
}

// d; 2 bytes of high and 4 of low bits of the sub-blocks' 6-bit scales, which are biased by 32: a bit pair and a nibble
// each, the first sub-block's lowest; 128 bytes of nibbles, each sub-block's 16 as in IQ4_NL.
void decode_iq4_xs(const uint8_t* block, float* out) {
    const float d = read_half(block);
    for (size_t sub = 0; sub < 8; ++sub) {
        const int low = block[4 + sub / 2] >> (sub % 2 * 4) & 15;
        const int high = block[2 + sub / 4] >> (sub % 4 * 2) & 3;
        const float scale = d * static_cast<float>((low | high << 4) - 32);
        const uint8_t* q = block + 8 + sub * 16;
        for (size_t j = 0; j < 16; ++j) {
            out[sub * 32 + j] = scale * static_cast<float>(kQuantLevels[q[j] & 15]);
            out[sub * 32 + j + 16] = scale * static_cast<float>(kQuantLevels[q[j] >> 4]);
        }
    }
}

// 128 bytes of low nibbles; 64 bytes of high bit pairs; sixteen signed scales; d. Each half of 128 weights has four
// groups of 32: groups 0 and 1 are the low nibbles of the half's 64 bytes, 2 and 3 the high ones; bit pair g of byte j
// of the half's 32 belongs to weight j of group g.
void decode_q6_k(const uint8_t* block, float* out) {
    const float d = read_half(block + 208);
    for (size_t group = 0; group < 8; ++group) {
        const size_t half = group / 4;
        const uint8_t* low = block + half * 64 + group % 2 * 32;
        const uint8_t* high = block + 128 + half * 32;
        const size_t low_shift = group % 4 / 2 * 4;
        const size_t high_shift = group % 4 * 2;
        for (size_t j = 0; j < 32; ++j) {
            const float scale = d * static_cast<float>(static_cast<int8_t>(block[192 + group * 2 + j / 16]));
            const int value = (low[j] >> low_shift & 15) | (high[j] >> high_shift & 3) << 4;
            out[group * 32 + j] = scale * static_cast<float>(value - 32);
        }
    }
}

void decode_blocks(void (*decode)(const uint8_t*, float*), const BlockLayout& format, const uint8_t* in,
                   std::span<float> out) {
    for (size_t i = 0; i < out.size(); i += format.block_weights, in += format.block_bytes) decode(in, out.data() + i);
}

template <typename Word>
Word word_at(std::span<const std::byte> bytes, size_t at) {
    Word word;
    std::memcpy(&word, &bytes[at], sizeof word);
    return word;
}

// Whether the exponent of each T, one every `stride` bytes, has a bit that is not set: one that has none carries into
// the sign's place when its lowest bit is added. Neighbours are added as one word, since this is read beside the hash
// of a file, which takes as little time.
template <typename T>
bool have_exponents(std::span<const std::byte> bytes, size_t first, size_t stride, T exponent) {
    constexpr uint64_t kEach = ~uint64_t{0} / std::numeric_limits<T>::max();
    constexpr T kSign = std::numeric_limits<T>::max() / 2 + 1;
    const auto lowest = static_cast<T>(exponent & (~exponent + 1));
    uint64_t carries = 0;
    size_t at = first;
    if (stride == sizeof(T)) {
        for (; at + sizeof carries <= bytes.size(); at += sizeof carries) {
            carries |= (word_at<uint64_t>(bytes, at) & kEach * exponent) + kEach * lowest;
        }
    }
    for (; at < bytes.size(); at += stride) carries |= (uint64_t{word_at<T>(bytes, at)} & exponent) + lowest;
    return (carries & kEach * kSign) == 0;
}

}  // namespace

std::string ggml_type_name(uint32_t type_id) {
    if (type_id < kTypeNames.size()) return std::string(kTypeNames[type_id]);
    return (type_id >= kFirstPtq && type_id <= kLastPtq ? "PTQ, type " : "type ") + std::to_string(type_id);
}

std::string_view file_type_name(uint32_t file_type) {
    return file_type < kFileTypes.size() ? kFileTypes[file_type] : std::string_view();
}

std::optional<uint64_t> row_bytes(TensorType type, uint64_t cols) {
    const BlockLayout& format = block_layout(type);
    if (cols % format.block_weights != 0) return std::nullopt;
    return cols / format.block_weights * format.block_bytes;
}

void dequantize(TensorType type, std::span<const std::byte> blocks, std::span<float> out) {
    const auto* in = reinterpret_cast<const uint8_t*>(blocks.data());
    const BlockLayout& format = block_layout(type);
    switch (type) {
        case TensorType::F32:
            for (size_t i = 0; i < out.size(); ++i) out[i] = std::bit_cast<float>(read_u32(in + 4 * i));
            return;
        case TensorType::F16:
            for (size_t i = 0; i < out.size(); ++i) out[i] = read_half(in + 2 * i);
            return;
        case TensorType::BF16:
            for (size_t i = 0; i < out.size(); ++i) out[i] = std::bit_cast<float>(uint32_t{read_u16(in + 2 * i)} << 16);
            return;
        case TensorType::Q4_0:
            return decode_blocks(decode_q4_0, format, in, out);
        case TensorType::Q4_1:
            return decode_blocks(decode_q4_1, format, in, out);
        case TensorType::Q5_0:
            return decode_blocks(decode_q5_0, format, in, out);
        case TensorType::Q5_1:
            return decode_blocks(decode_q5_1, format, in, out);
        case TensorType::Q8_0:
            return decode_blocks(decode_q8_0, format, in, out);
        case TensorType::Q2_K:
            return decode_blocks(decode_q2_k, format, in, out);
        case TensorType::Q3_K:
            return decode_blocks(decode_q3_k, format, in, out);
        case TensorType::Q4_K:
            return decode_blocks(decode_q4_k, format, in, out);
        case TensorType::Q5_K:
            return decode_blocks(decode_q5_k, format, in, out);
        case TensorType::Q6_K:
            return decode_blocks(decode_q6_k, format, in, out);
        case TensorType::IQ4_NL:
            return decode_blocks(decode_iq4_nl, format, in, out);
        case TensorType::IQ4_XS:
            return decode_blocks(decode_iq4_xs, format, in, out);
    }
}

bool are_finite(TensorType type, std::span<const std::byte> blocks) {
    constexpr uint16_t kHalf = 0x7c00;
    if (type == TensorType::F32) return have_exponents(blocks, 0, sizeof(float), 0x7f800000u);
    if (type == TensorType::BF16) return have_exponents(blocks, 0, sizeof(uint16_t), uint16_t{0x7f80});
    const BlockLayout& layout = block_layout(type);
    const auto is_finite = [&](BlockField half) { return have_exponents(blocks, half.at, layout.block_bytes, kHalf); };
    // A number of F16 lies where a block has its scale.
    return is_finite(layout.scale) && (!layout.minimum.exists() || is_finite(layout.minimum));
}

float half_to_float(uint16_t half) {
    const uint32_t sign = uint32_t{half & 0x8000u} << 16;
    const uint32_t exponent = half >> 10 & 31;
    const uint32_t mantissa = half & 0x3ff;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    // Zero and subnormals: mantissa * 2^-24, exact in binary32.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

uint16_t float_to_half(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffffu;
    // A NaN keeps the top of its payload, and its quiet bit so that it does not become an infinity.
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    // 65520 and more round to infinity: the largest half is 65504 and the next would be 65536.
    if (magnitude >= 0x477ff000u) return sign | 0x7c00;
    const uint32_t exponent = magnitude >> 23;
    // Bits of the 24-bit significand that a half has no room for: 13, and one more for each step below 2^-14.
    const uint32_t drop = exponent >= 113 ? 13 : std::min(126 - exponent, 25u);
    const uint32_t significand = (magnitude & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);
    const uint32_t kept = significand >> drop;
    const uint32_t rest = significand & ((1u << drop) - 1);
    const uint32_t halfway = 1u << (drop - 1);
    const uint32_t rounded = kept + (rest > halfway || (rest == halfway && kept % 2 == 1) ? 1 : 0);
    // A carry out of the mantissa moves into the exponent by itself; normal numbers have their hidden bit in `kept`.
    const uint32_t biased = exponent >= 113 ? rounded + ((exponent - 113) << 10) : rounded;
    return static_cast<uint16_t>(sign | biased);
}

}  // namespace llmd::model
