#include "engine/convert/quantize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace llmd::convert {

namespace {

using model::TensorType;

// --- Types -----------------------------------------------------------------------------------------------------------

struct FileTypeRow {
    FileType type;
    std::string_view name;
    TensorType matrices;  // of most of them
};

constexpr std::array kFileTypes = {
    FileTypeRow{FileType::F32, "f32", TensorType::F32},        FileTypeRow{FileType::F16, "f16", TensorType::F16},
    FileTypeRow{FileType::BF16, "bf16", TensorType::BF16},     FileTypeRow{FileType::Q8_0, "q8_0", TensorType::Q8_0},
    FileTypeRow{FileType::Q4_K_M, "q4_k_m", TensorType::Q4_K}, FileTypeRow{FileType::Q4_0, "q4_0", TensorType::Q4_0},
};

// True for the first and the last eighth of the layers, and for every third between.
bool deserves_more_bits(uint32_t layer, uint32_t n_layers) {
    const uint32_t eighth = n_layers / 8;
    return layer < eighth || layer >= 7 * n_layers / 8 || (layer - eighth) % 3 == 2;
}

TensorType wanted_type(FileType file, TensorType matrices, const TensorShape& tensor, uint32_t n_layers,
                       bool has_output) {
    const bool is_quantized = model::block_layout(matrices).block_weights > 1;
    if (tensor.name == (has_output ? "output.weight" : "token_embd.weight")) {
        return is_quantized && matrices != TensorType::Q8_0 ? TensorType::Q6_K : matrices;
    }
    if (file != FileType::Q4_K_M) return matrices;
    const auto is = [&](std::string_view name) { return tensor.name.ends_with(name); };
    const bool may_have_more = is("attn_v.weight") || is("attn_qkv.weight") || is("ffn_down.weight");
    return may_have_more && deserves_more_bits(tensor.layer, n_layers) ? TensorType::Q6_K : matrices;
}

// Returns the type to use instead if rows are not whole blocks.
TensorType next_type(TensorType type) {
    switch (type) {
        case TensorType::Q4_K:
            return TensorType::Q5_0;
        case TensorType::Q6_K:
            return TensorType::Q8_0;
        default:
            return TensorType::F32;
    }
}

// --- Blocks ----------------------------------------------------------------------------------------------------------
// All sums and multiplications are in the reference's order: another order rounds differently.

constexpr size_t kBlock = 32;
constexpr size_t kSuperBlock = 256;
constexpr size_t kSubBlocks = kSuperBlock / kBlock;  // of Q4_K
constexpr int kMostQ4K = 15;
constexpr size_t kSixteen = 16;            // weights that share a scale of Q6_K
constexpr float kLeastMagnitude = 1e-15f;  // below it a group of Q6_K counts as zeros

using Quants = std::array<uint8_t, kSuperBlock>;

void put_half(std::byte* out, float value) {
    const uint16_t half = model::float_to_half(value);
    std::memcpy(out, &half, sizeof half);
}

float as_half(float value) {
    return model::half_to_float(model::float_to_half(value));
}

// Returns 0 for scales that are so small that they are zero in F16 anyway.
float inverse_of(float scale) {
    return std::fabs(scale) >= std::numeric_limits<float>::min() ? 1.0f / scale : 0.0f;
}

// Rounds to the nearest integer, ties to even, for magnitudes below 2^22: after adding 1.5 * 2^23 the integer is in the
// low bits.
int nearest(float value) {
    return static_cast<int>(std::bit_cast<uint32_t>(value + 12582912.0f) & 0x7fffff) - 0x400000;
}

// Returns the value with the largest magnitude, the first of several.
float extreme_of(std::span<const float> x) {
    float extreme = 0;
    for (const float value : x) {
        if (std::fabs(value) > std::fabs(extreme)) extreme = value;
    }
    return extreme;
}

uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <uint16_t (*narrow)(float)>
void narrow_all(std::span<const float> weights, std::byte* out) {
    for (size_t i = 0; i < weights.size(); ++i) {
        const uint16_t bits = narrow(weights[i]);
        std::memcpy(out + i * sizeof bits, &bits, sizeof bits);
    }
}

// --- Blocks of 32 ----------------------------------------------------------------------------------------------------

// A scale of 1/127 of the largest magnitude, then 32 signed bytes.
void quantize_q8_0(const float* x, std::byte* out) {
    // The bits of magnitudes have the order of their values, and the maximum of integers is vectorized.
    int32_t largest = 0;
    for (size_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::bit_cast<int32_t>(std::fabs(x[i])));
    const float scale = std::bit_cast<float>(largest) / 127.0f;
    const float inverse = inverse_of(scale);
    put_half(out, scale);
    for (size_t i = 0; i < kBlock; ++i) {
        const float value = x[i] * inverse;
        const int towards_zero = static_cast<int>(value);
        const float rest = value - static_cast<float>(towards_zero);
        out[2 + i] = static_cast<std::byte>(towards_zero + (rest >= 0.5f) - (rest <= -0.5f));  // halves away from zero
    }
}

// A scale of -1/8 of the value with the largest magnitude; quants 0..15 with a zero point of 8.
void quantize_q4_0(const float* x, std::byte* out) {
    const float scale = extreme_of({x, kBlock}) / -8.0f;
    const float inverse = inverse_of(scale);
    put_half(out, scale);
    const auto quant = [&](float value) {
        return std::min(15, static_cast<int>(static_cast<int8_t>(value * inverse + 8.5f)));
    };
    for (size_t i = 0; i < kBlock / 2; ++i) {
        out[2 + i] = static_cast<std::byte>(quant(x[i]) | quant(x[i + kBlock / 2]) << 4);
    }
}

// Like Q4_0 with quants 0..31 and a zero point of 16; the fifth bits come first, then the nibbles.
void quantize_q5_0(const float* x, std::byte* out) {
    const float scale = extreme_of({x, kBlock}) / -16.0f;
    const float inverse = inverse_of(scale);
    put_half(out, scale);
    const auto quant = [&](float value) {
        return static_cast<uint32_t>(std::min(31, static_cast<int>(static_cast<int8_t>(value * inverse + 16.5f))));
    };
    uint32_t fifth = 0;
    for (size_t i = 0; i < kBlock / 2; ++i) {
        const uint32_t low = quant(x[i]), high = quant(x[i + kBlock / 2]);
        out[6 + i] = static_cast<std::byte>((low & 15) | (high & 15) << 4);
        fifth |= low >> 4 << i | high >> 4 << (i + kBlock / 2);
    }
    std::memcpy(out + 2, &fifth, sizeof fifth);
}

// --- Blocks of 256 ---------------------------------------------------------------------------------------------------

struct ScaleMin {
    float scale, min;
};

// Returns the scale and the minimum with which 32 quants 0..15 have the least squared error, weighted with the
// magnitudes. The minimum is subtracted and not negative. The candidates are scales for which the range is 14 to 16
// quants wide; each gives quants, and these give the best scale and minimum by linear regression.
ScaleMin fit_range(const float* x, uint8_t* quants) {
    float sum_of_squares = 0;
    for (size_t i = 0; i < kBlock; ++i) sum_of_squares += x[i] * x[i];
    const float mean = std::sqrt(sum_of_squares / kBlock);
    std::array<float, kBlock> weights{};
    float least = x[0], most = x[0], sum_w = 0, sum_x = 0;
    for (size_t i = 0; i < kBlock; ++i) {
        weights[i] = mean + std::fabs(x[i]);
        least = std::min(least, x[i]);
        most = std::max(most, x[i]);
        sum_w += weights[i];
        sum_x += weights[i] * x[i];
    }
    least = std::min(least, 0.0f);
    if (least == most) {
        std::fill_n(quants, kBlock, uint8_t{0});
        return {0, -least};
    }
    const auto n_most = static_cast<float>(kMostQ4K);
    ScaleMin best{1 / (n_most / (most - least)), least};
    const auto quant = [&](float inverse, float value) {
        return static_cast<uint8_t>(std::clamp(nearest(inverse * (value - best.min)), 0, kMostQ4K));
    };
    const auto error_of = [&](const uint8_t* candidates, const ScaleMin& at) {
        float error = 0;
        for (size_t i = 0; i < kBlock; ++i) {
            const float difference = at.scale * static_cast<float>(candidates[i]) + at.min - x[i];
            error += weights[i] * (difference * difference);
        }
        return error;
    };
    for (size_t i = 0; i < kBlock; ++i) quants[i] = quant(n_most / (most - least), x[i]);
    float best_error = error_of(quants, best);
    for (int step = 0; step <= 20; ++step) {
        // The reference starts each step from the best minimum so far.
        const float inverse = (-1.0f + 0.1f * static_cast<float>(step) + n_most) / (most - best.min);
        std::array<uint8_t, kBlock> candidates{};
        for (size_t i = 0; i < kBlock; ++i) candidates[i] = quant(inverse, x[i]);
        float sum_l = 0, sum_l2 = 0, sum_xl = 0;
        for (size_t i = 0; i < kBlock; ++i) {
            const float l = candidates[i];
            sum_l += weights[i] * l;
            sum_l2 += weights[i] * l * l;
            sum_xl += weights[i] * l * x[i];
        }
        const float determinant = sum_w * sum_l2 - sum_l * sum_l;
        if (!(determinant > 0)) continue;
        ScaleMin fitted{(sum_w * sum_xl - sum_x * sum_l) / determinant,
                        (sum_l2 * sum_x - sum_l * sum_xl) / determinant};
        if (fitted.min > 0) fitted = {sum_xl / sum_l2, 0};
        if (const float error = error_of(candidates.data(), fitted); error < best_error) {
            std::copy(candidates.begin(), candidates.end(), quants);
            best_error = error;
            best = fitted;
        }
    }
    return {best.scale, -best.min};
}

// Packs eight scales and minima of six bits into twelve bytes.
void put_scales(const std::array<uint8_t, kSubBlocks>& scales, const std::array<uint8_t, kSubBlocks>& mins,
                std::byte* out) {
    for (size_t i = 0; i < 4; ++i) {
        out[i] = static_cast<std::byte>(scales[i] | scales[i + 4] >> 4 << 6);
        out[i + 4] = static_cast<std::byte>(mins[i] | mins[i + 4] >> 4 << 6);
        out[i + 8] = static_cast<std::byte>((scales[i + 4] & 15) | (mins[i + 4] & 15) << 4);
    }
}

void quantize_q4_k(const float* x, std::byte* out) {
    Quants quants{};
    std::array<ScaleMin, kSubBlocks> fitted{};
    float most_scale = 0, most_min = 0;
    for (size_t sub = 0; sub < kSubBlocks; ++sub) {
        fitted[sub] = fit_range(x + sub * kBlock, &quants[sub * kBlock]);
        most_scale = std::max(most_scale, fitted[sub].scale);
        most_min = std::max(most_min, fitted[sub].min);
    }
    const float inverse_scale = most_scale > 0 ? 63.0f / most_scale : 0.0f;
    const float inverse_min = most_min > 0 ? 63.0f / most_min : 0.0f;
    std::array<uint8_t, kSubBlocks> scales{}, mins{};
    for (size_t sub = 0; sub < kSubBlocks; ++sub) {
        scales[sub] = static_cast<uint8_t>(std::min(63, nearest(inverse_scale * fitted[sub].scale)));
        mins[sub] = static_cast<uint8_t>(std::min(63, nearest(inverse_min * fitted[sub].min)));
    }
    put_half(out, most_scale / 63.0f);
    put_half(out + 2, most_min / 63.0f);
    put_scales(scales, mins, out + 4);
    // The quants are computed again for the scales as they are stored.
    const float d = as_half(most_scale / 63.0f), d_min = as_half(most_min / 63.0f);
    for (size_t sub = 0; sub < kSubBlocks; ++sub) {
        const float scale = d * static_cast<float>(scales[sub]), min = d_min * static_cast<float>(mins[sub]);
        if (scale == 0) continue;
        for (size_t i = sub * kBlock; i < (sub + 1) * kBlock; ++i) {
            quants[i] = static_cast<uint8_t>(std::clamp(nearest((x[i] + min) / scale), 0, kMostQ4K));
        }
    }
    for (size_t i = 0; i < kSuperBlock / 2; ++i) {
        const size_t at = i / kBlock * 2 * kBlock + i % kBlock;
        out[16 + i] = static_cast<std::byte>(quants[at] | quants[at + kBlock] << 4);
    }
}

// Returns the scale, of either sign, with which 16 quants 0..63 with a zero point of 32 have the least squared error,
// weighted with the squares.
float fit_signed(const float* x, uint8_t* quants) {
    constexpr int kMost = 32;
    const float extreme = extreme_of({x, kSixteen});
    std::fill_n(quants, kSixteen, uint8_t{0});
    if (std::fabs(extreme) < kLeastMagnitude) return 0;
    float scale = 0, best = 0;
    const auto try_inverse = [&](float inverse, bool is_first) {
        std::array<uint8_t, kSixteen> candidates{};
        for (size_t i = 0; i < kSixteen; ++i) {
            candidates[i] = static_cast<uint8_t>(std::clamp(nearest(inverse * x[i]), -kMost, kMost - 1) + kMost);
        }
        float sum_xl = 0, sum_l2 = 0;
        for (size_t i = 0; i < kSixteen; ++i) {
            const auto l = static_cast<float>(candidates[i] - kMost);
            const float weight = x[i] * x[i];
            sum_xl += weight * x[i] * l;
            sum_l2 += weight * l * l;
        }
        if (!is_first && !(sum_l2 > 0 && sum_xl * sum_xl > best * sum_l2)) return;
        std::copy(candidates.begin(), candidates.end(), quants);
        scale = sum_l2 != 0 ? sum_xl / sum_l2 : 0.0f;
        best = scale * sum_xl;
    };
    try_inverse(-kMost / extreme, true);
    for (int step = -9; step <= 9; ++step) {
        if (step != 0) try_inverse(-(kMost + 0.1f * static_cast<float>(step)) / extreme, false);
    }
    return scale;
}

void quantize_q6_k(const float* x, std::byte* out) {
    std::array<float, kSuperBlock / kSixteen> fitted{};
    Quants quants{};
    for (size_t group = 0; group < fitted.size(); ++group) {
        fitted[group] = fit_signed(x + group * kSixteen, &quants[group * kSixteen]);
    }
    const float most = extreme_of(fitted);
    std::fill_n(out, model::block_layout(TensorType::Q6_K).block_bytes, std::byte{0});
    if (std::fabs(most) < kLeastMagnitude) return;
    const float inverse = -128.0f / most;
    put_half(out + 208, 1 / inverse);
    const float d = as_half(1 / inverse);
    for (size_t group = 0; group < fitted.size(); ++group) {
        const auto quantized_scale = static_cast<int8_t>(std::min(127, nearest(inverse * fitted[group])));
        out[192 + group] = static_cast<std::byte>(quantized_scale);
        const float scale = d * static_cast<float>(quantized_scale);
        if (scale == 0) continue;
        for (size_t i = group * kSixteen; i < (group + 1) * kSixteen; ++i) {
            quants[i] = static_cast<uint8_t>(std::clamp(nearest(x[i] / scale), -32, 31) + 32);
        }
    }
    for (size_t half = 0; half < 2; ++half) {
        for (size_t i = 0; i < kBlock; ++i) {
            const uint8_t* at = &quants[half * 128 + i];
            out[half * 64 + i] = static_cast<std::byte>((at[0] & 15) | (at[64] & 15) << 4);
            out[half * 64 + 32 + i] = static_cast<std::byte>((at[32] & 15) | (at[96] & 15) << 4);
            out[128 + half * 32 + i] =
                static_cast<std::byte>(at[0] >> 4 | at[32] >> 4 << 2 | at[64] >> 4 << 4 | at[96] >> 4 << 6);
        }
    }
}

}  // namespace

std::optional<FileType> find_file_type(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const FileTypeRow& row : kFileTypes) {
        if (row.name == lower) return row.type;
    }
    return std::nullopt;
}

std::string file_type_names() {
    return base::listed(kFileTypes, &FileTypeRow::name);
}

TensorType tensor_type(FileType type, const TensorShape& tensor, uint32_t n_layers, bool has_output) {
    if (tensor.rows == 0 || tensor.name == "position_embd.weight") return TensorType::F32;
    const auto row = std::find_if(kFileTypes.begin(), kFileTypes.end(), [&](const auto& r) { return r.type == type; });
    TensorType chosen = wanted_type(type, row->matrices, tensor, n_layers, has_output);
    while (tensor.cols % model::block_layout(chosen).block_weights != 0) chosen = next_type(chosen);
    return chosen;
}

float largest_weight(TensorType type) {
    switch (type) {
        case TensorType::F32:
            return std::numeric_limits<float>::max();
        case TensorType::BF16:
            return 0x1.fep127f;
        default:
            return 65504;
    }
}

void quantize(TensorType type, std::span<const float> weights, std::span<std::byte> out) {
    const model::BlockLayout& format = model::block_layout(type);
    const auto blocks_of = [&](void (*quantize_block)(const float*, std::byte*)) {
        std::byte* to = out.data();
        for (size_t i = 0; i < weights.size(); i += format.block_weights, to += format.block_bytes) {
            quantize_block(&weights[i], to);
        }
    };
    switch (type) {
        case TensorType::F32:
            std::memcpy(out.data(), weights.data(), weights.size_bytes());
            return;
        case TensorType::F16:
            return narrow_all<model::float_to_half>(weights, out.data());
        case TensorType::BF16:
            return narrow_all<to_bf16>(weights, out.data());
        case TensorType::Q8_0:
            return blocks_of(quantize_q8_0);
        case TensorType::Q5_0:
            return blocks_of(quantize_q5_0);
        case TensorType::Q4_0:
            return blocks_of(quantize_q4_0);
        case TensorType::Q4_K:
            return blocks_of(quantize_q4_k);
        case TensorType::Q6_K:
            return blocks_of(quantize_q6_k);
        default:
            return;  // no file type has it
    }
}

}  // namespace llmd::convert
