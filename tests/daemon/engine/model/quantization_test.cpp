// Block formats: sizes, names, and decoding, checked against small formulas, against vectors from an independent
// decoder, and half precision against arithmetic.
#include "engine/model/quantization.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using Bytes = std::vector<std::byte>;

void store_u16(Bytes& bytes, size_t at, uint16_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<float> decode(TensorType type, const Bytes& blocks) {
    const BlockLayout& format = block_layout(type);
    std::vector<float> out(blocks.size() / format.block_bytes * format.block_weights);
    dequantize(type, blocks, out);
    return out;
}

TEST(BlockLayouts, AreListedInTheOrderOfTheirIds) {
    ASSERT_EQ(kBlockLayouts.size(), 15u);
    for (size_t i = 1; i < kBlockLayouts.size(); ++i) {
        EXPECT_LT(kBlockLayouts[i - 1].type, kBlockLayouts[i].type);
    }
    for (const BlockLayout& format : kBlockLayouts) {
        EXPECT_EQ(find_block_layout(static_cast<uint32_t>(format.type)), &format);
        EXPECT_EQ(&block_layout(format.type), &format);
        EXPECT_EQ(ggml_type_name(static_cast<uint32_t>(format.type)), format.name);
    }
}

TEST(BlockLayouts, UnsupportedTypesHaveNamesToo) {
    EXPECT_EQ(find_block_layout(16), nullptr);
    EXPECT_EQ(find_block_layout(99), nullptr);
    EXPECT_EQ(ggml_type_name(16), "IQ2_XXS");
    EXPECT_EQ(ggml_type_name(21), "IQ3_S");
    EXPECT_EQ(ggml_type_name(34), "TQ1_0");
    EXPECT_EQ(ggml_type_name(39), "MXFP4");
    EXPECT_EQ(ggml_type_name(99), "type 99");
}

TEST(BlockLayouts, RowBytesWantWholeBlocks) {
    EXPECT_EQ(row_bytes(TensorType::F32, 3), 12u);
    EXPECT_EQ(row_bytes(TensorType::Q4_0, 64), 36u);
    EXPECT_EQ(row_bytes(TensorType::Q6_K, 512), 420u);
    EXPECT_EQ(row_bytes(TensorType::Q4_0, 33), std::nullopt);
    EXPECT_EQ(row_bytes(TensorType::Q4_K, 128), std::nullopt);
}

TEST(Dequantize, PlainFloats) {
    const std::vector<float> values = {0, 1, -2.5f, 65504, 0x1p-24f};
    Bytes f32(20), f16(10), bf16(10);
    for (size_t i = 0; i < values.size(); ++i) {
        std::memcpy(f32.data() + 4 * i, &values[i], 4);
        store_u16(f16, 2 * i, float_to_half(values[i]));
        store_u16(bf16, 2 * i, static_cast<uint16_t>(std::bit_cast<uint32_t>(values[i]) >> 16));
    }
    EXPECT_EQ(decode(TensorType::F32, f32), values);
    EXPECT_EQ(decode(TensorType::F16, f16), values);
    EXPECT_EQ(decode(TensorType::BF16, bf16), (std::vector<float>{0, 1, -2.5f, 65280, 0x1p-24f}));
}

// Weight j is the low nibble of byte j, weight j + 16 the high one.
TEST(Dequantize, NibblesOfThe32Formats) {
    Bytes q4_0(18), q4_1(20), iq4_nl(18);
    store_u16(q4_0, 0, 0x3800);  // 0.5
    store_u16(q4_1, 0, 0x3800);
    store_u16(q4_1, 2, 0xc000);  // -2
    store_u16(iq4_nl, 0, 0x3800);
    for (size_t j = 0; j < 16; ++j) {
        const auto byte = static_cast<std::byte>(j | (15 - j) << 4);
        q4_0[2 + j] = q4_1[4 + j] = iq4_nl[2 + j] = byte;
    }
    const auto a = decode(TensorType::Q4_0, q4_0);
    const auto b = decode(TensorType::Q4_1, q4_1);
    const auto c = decode(TensorType::IQ4_NL, iq4_nl);
    for (size_t j = 0; j < 16; ++j) {
        EXPECT_EQ(a[j], 0.5f * (static_cast<float>(j) - 8));
        EXPECT_EQ(a[j + 16], 0.5f * (7 - static_cast<float>(j)));
        EXPECT_EQ(b[j], 0.5f * static_cast<float>(j) - 2);
        EXPECT_EQ(b[j + 16], 0.5f * static_cast<float>(15 - j) - 2);
        EXPECT_EQ(c[j], c[31 - j]);
        if (j > 0) {
            EXPECT_GT(c[j], c[j - 1]);
        }
    }
    EXPECT_EQ(c[0], -63.5f);
    EXPECT_EQ(c[15], 56.5f);
}

TEST(Dequantize, FifthBitsAndSignedBytes) {
    Bytes q5_0(22), q5_1(24), q8_0(34);
    store_u16(q5_0, 0, 0x3c00);  // 1
    store_u16(q5_1, 0, 0x3c00);
    const uint32_t fifth = 0x80010002;  // weights 1, 16 and 31
    std::memcpy(q5_0.data() + 2, &fifth, 4);
    std::memcpy(q5_1.data() + 4, &fifth, 4);
    store_u16(q8_0, 0, 0x3c00);
    q8_0[2] = std::byte{0x80};
    q8_0[33] = std::byte{0x7f};
    const auto a = decode(TensorType::Q5_0, q5_0);
    const auto b = decode(TensorType::Q5_1, q5_1);
    for (size_t j = 0; j < 32; ++j) {
        const bool set = j == 1 || j == 16 || j == 31;
        EXPECT_EQ(a[j], set ? 0.0f : -16.0f) << j;
        EXPECT_EQ(b[j], set ? 16.0f : 0.0f) << j;
    }
    const auto c = decode(TensorType::Q8_0, q8_0);
    EXPECT_EQ(c[0], -128.0f);
    EXPECT_EQ(c[1], 0.0f);
    EXPECT_EQ(c[31], 127.0f);
}

// Two blocks of every quantized format. Byte i is the top byte of x[i+1] = x[i] * 1664525 + 1013904223 mod 2^32 with
// x[0] = the type's id; then the scale of block b is the half 0x2e66 + b (about 0.1), the minimum's 0x3555 + b (about
// 0.333). `hash` is FNV-1a over the little-endian bytes of all decoded floats with -0 as +0, `samples` are the weights
// at 0, n/7, n/4 + 1, n/2 - 1, n/2, 3n/4 + 5, n - 1. Expected values come from the `gguf` Python package's decoder.
struct Golden {
    TensorType type;
    uint32_t hash;
    std::array<float, 7> samples;
};

// clang-format off
constexpr std::array<Golden, 12> kGolden = {{
    {TensorType::Q4_0, 0x7009b269u, {-0x1.998p-1f, 0x1.332p-2f, 0x1.332p-2f, -0x1.332p-2f, 0x0p+0f, -0x1.335p-1f, -0x1.99cp-4f}},
    {TensorType::Q4_1, 0xf06a8c0au, {0x1.11p-1f, 0x1.a20800p+0f, 0x1.a20800p+0f, 0x1.776p-1f, 0x1.a24c00p+0f, 0x1.d58400p+0f, 0x1.558p-2f}},
    {TensorType::Q5_0, 0xfb9d75f8u, {0x1.665p+0f, 0x1.7fe800p+0f, 0x1.998p-3f, -0x1.998p-3f, 0x1.802400p+0f, -0x1.99cp+0f, -0x1.668800p+0f}},
    {TensorType::Q5_1, 0xba809e16u, {0x1.bbap-2f, 0x1.842c00p+1f, 0x1.d53800p+0f, 0x1.6ed800p+0f, 0x1.9e0600p+1f, 0x1.aad400p+1f, 0x1.557800p+0f}},
    {TensorType::Q8_0, 0x1bb3da56u, {0x1.e64800p+2f, 0x1.5fea00p+2f, -0x1.acb200p+2f, 0x1.731c00p+2f, 0x1.79bd00p+3f, -0x1.99cp-4f, -0x1.2ce900p+3f}},
    {TensorType::Q2_K, 0x93990b9du, {0x1.332p-2f, 0x1.332p+1f, -0x1.332p-1f, -0x1.554p-1f, -0x1.08b400p+1f, -0x1.558p-2f, -0x1.08ac00p+0f}},
    {TensorType::Q3_K, 0x5e6ef6d1u, {-0x1.032300p+3f, -0x1.ffep-2f, 0x1.998p-2f, 0x1.ffep-1f, -0x1.19b400p+0f, 0x0p+0f, -0x1.802400p+3f}},
    {TensorType::Q4_K, 0x2fe9273bu, {0x1.af5c80p+4f, -0x1.3edb00p+4f, -0x1.fb9c00p+2f, 0x1.813d40p+5f, 0x1.d79b00p+4f, 0x1.c42800p+1f, -0x1.647100p+2f}},
    {TensorType::Q5_K, 0x42a5ca66u, {0x1.ffep+0f, -0x1.953c00p+2f, -0x1.aa9p+0f, 0x1.7ba400p+4f, 0x1.523980p+4f, -0x1.de1f00p+3f, -0x1.b36d00p+3f}},
    {TensorType::Q6_K, 0xe5da41c8u, {-0x1.425240p+5f, -0x1.26ba60p+7f, 0x1.9cb300p+3f, 0x1.afe500p+6f, -0x1.0ce600p+2f, 0x1.e82dc0p+4f, 0x1.702280p+4f}},
    {TensorType::IQ4_NL, 0x0a42e651u, {-0x1.9fe600p+2f, 0x1.698300p+3f, -0x1.198800p+1f, 0x1.4cb800p+0f, 0x1.99cp-4f, -0x1.4cec00p+3f, -0x1.4cec00p+3f}},
    {TensorType::IQ4_XS, 0x88cdfd83u, {0x1.17ee80p+5f, -0x1.37ec80p+4f, -0x1.35eca0p+6f, -0x1.831b00p+4f, -0x1.401e00p+2f, 0x1.30e960p+5f, 0x1.c9c480p+4f}},
}};
// clang-format on

// Each byte of a block is in one field.
TEST(BlockLayouts, HaveNoGapsAndTellWhatTheirNumbersReach) {
    for (const BlockLayout& layout : kBlockLayouts) {
        SCOPED_TRACE(layout.name);
        if (layout.is_plain()) continue;
        std::vector<int> held(layout.block_bytes);
        for (const BlockField& field :
             {layout.scale, layout.minimum, layout.sub_scales, layout.quants, layout.high_bits}) {
            ASSERT_LE(field.end(), layout.block_bytes);
            for (uint32_t at = field.at; at < field.end(); ++at) ++held[at];
        }
        EXPECT_EQ(held, std::vector<int>(layout.block_bytes, 1));
        EXPECT_EQ(layout.bits * layout.block_weights, 8 * (layout.quants.bytes + layout.high_bits.bytes));
    }
    EXPECT_EQ(block_layout(TensorType::Q4_0).largest(), 8u);
    EXPECT_EQ(block_layout(TensorType::Q5_1).largest(), 31u);
    EXPECT_EQ(block_layout(TensorType::Q8_0).largest(), 128u);
    EXPECT_EQ(block_layout(TensorType::Q3_K).largest(), 128u);
    EXPECT_EQ(block_layout(TensorType::Q6_K).largest(), 4096u);
    EXPECT_EQ(block_layout(TensorType::IQ4_XS).largest(), 32u * 127);
}

TEST(Dequantize, MatchesAnIndependentDecoderBitForBit) {
    for (const Golden& golden : kGolden) {
        const BlockLayout& format = block_layout(golden.type);
        Bytes blocks(size_t{2} * format.block_bytes);
        auto x = static_cast<uint32_t>(golden.type);
        for (std::byte& byte : blocks) {
            x = x * 1664525u + 1013904223u;
            byte = static_cast<std::byte>(x >> 24);
        }
        for (uint16_t b = 0; b < 2; ++b) {
            const size_t block = size_t{b} * format.block_bytes;
            store_u16(blocks, block + format.scale.at, static_cast<uint16_t>(0x2e66 + b));
            if (format.minimum.exists()) {
                store_u16(blocks, block + format.minimum.at, static_cast<uint16_t>(0x3555 + b));
            }
        }
        const std::vector<float> weights = decode(golden.type, blocks);
        const size_t n = weights.size();
        const std::array<size_t, 7> at = {0, n / 7, n / 4 + 1, n / 2 - 1, n / 2, 3 * n / 4 + 5, n - 1};
        for (size_t i = 0; i < at.size(); ++i) {
            EXPECT_EQ(weights[at[i]], golden.samples[i]) << format.name << " weight " << at[i];
        }
        uint32_t hash = 0x811c9dc5;
        for (const float weight : weights) {
            const auto bits = std::bit_cast<uint32_t>(weight + 0.0f);
            for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 0xff)) * 0x01000193u;
        }
        EXPECT_EQ(hash, golden.hash) << format.name;
    }
}

// The tests' own random blocks are centred and of the wanted size, in every format.
TEST(RandomBlocks, HaveTheWantedMagnitude) {
    for (const BlockLayout& format : kBlockLayouts) {
        test::RandomBits bits(3);
        const auto weights = decode(format.type, test::random_blocks(format.type, 4096, 0.5f, bits));
        double sum = 0;
        for (const float weight : weights) {
            ASSERT_TRUE(std::isfinite(weight)) << format.name;
            ASSERT_LE(std::fabs(weight), 0.55f) << format.name;
            sum += weight;
        }
        EXPECT_NEAR(sum / 4096, 0, 0.03) << format.name;
    }
}

TEST(AreFinite, OneWeightThatIsNotIsFound) {
    for (const BlockLayout& format : kBlockLayouts) {
        SCOPED_TRACE(format.name);
        test::RandomBits bits(3);
        const Bytes blocks = test::random_blocks(format.type, 1024, 0.5f, bits);
        EXPECT_TRUE(are_finite(format.type, blocks));
        EXPECT_TRUE(are_finite(format.type, {}));
        const bool is_float = format.type == TensorType::F32;
        // The upper half of a float, which bfloat16 is.
        const uint32_t widened = is_float || format.type == TensorType::BF16 ? 0x7f80u : 0;
        const uint32_t minimum = format.minimum.exists() ? format.minimum.at : format.scale.at;
        for (const uint32_t place : {uint32_t{format.scale.at}, minimum}) {
            for (const uint32_t half : {0x7c00u, 0xfc00u, 0x7e00u, 0xfdffu}) {  // infinities and NaN
                Bytes broken = blocks;
                const size_t at = broken.size() - format.block_bytes + place + (is_float ? 2 : 0);
                store_u16(broken, at, static_cast<uint16_t>(half | widened));
                EXPECT_FALSE(are_finite(format.type, broken)) << place << ' ' << half;
            }
        }
    }
}

// Neighbours are looked at together.
TEST(Finite, EachOfAFewFloatsIsLookedAt) {
    for (const TensorType type : {TensorType::F32, TensorType::F16, TensorType::BF16}) {
        const size_t bytes = block_layout(type).block_bytes;
        const uint16_t infinite = type == TensorType::F16 ? 0xfc00 : 0xff80;
        const uint16_t largest = type == TensorType::F16 ? 0xfbff : 0xff7f;
        for (size_t n = 1; n <= 17; ++n) {
            Bytes blocks(n * bytes, std::byte{0xff});
            const auto set = [&](size_t at, uint16_t value) { store_u16(blocks, (at + 1) * bytes - 2, value); };
            for (size_t i = 0; i < n; ++i) set(i, largest);
            EXPECT_TRUE(are_finite(type, blocks));
            for (size_t i = 0; i < n; ++i) {
                set(i, infinite);
                EXPECT_FALSE(are_finite(type, blocks)) << n << ' ' << i;
                set(i, largest);
            }
        }
    }
}

double half_value(uint16_t half) {
    const int exponent = half >> 10 & 31;
    const double magnitude =
        exponent == 0 ? std::ldexp(half & 0x3ff, -24) : std::ldexp((half & 0x3ff) | 0x400, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, EveryValueConvertsExactlyAndBack) {
    for (uint32_t i = 0; i < 0x10000; ++i) {
        const auto half = static_cast<uint16_t>(i);
        const float value = half_to_float(half);
        if ((half & 0x7c00) == 0x7c00) {
            if ((half & 0x3ff) == 0) {
                EXPECT_TRUE(std::isinf(value));
                EXPECT_EQ(float_to_half(value), half);
            } else {
                EXPECT_TRUE(std::isnan(value));
                EXPECT_EQ(float_to_half(value), half | 0x0200) << "a NaN keeps its payload and becomes quiet";
            }
            continue;
        }
        ASSERT_EQ(value, half_value(half)) << half;
        ASSERT_EQ(std::signbit(value), (half & 0x8000) != 0) << half;
        ASSERT_EQ(float_to_half(value), half);
    }
}

// Between each two neighbours: just under the middle rounds down, just over it up, the middle to the even one.
TEST(Half, RoundsToNearestTiesToEven) {
    for (uint16_t half = 0; half < 0x7bff; ++half) {
        const auto next = static_cast<uint16_t>(half + 1);
        const auto middle = static_cast<float>((half_value(half) + half_value(next)) / 2);  // exact in binary32
        ASSERT_EQ(float_to_half(middle), half % 2 == 0 ? half : next) << half;
        ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0f)), half) << half;
        ASSERT_EQ(float_to_half(std::nextafter(middle, 1e6f)), next) << half;
        ASSERT_EQ(float_to_half(-std::nextafter(middle, 1e6f)), next | 0x8000) << half;
    }
    EXPECT_EQ(float_to_half(std::nextafter(65520.0f, 0.0f)), 0x7bff);
    EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7c00);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0);
    EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

}  // namespace
}  // namespace llmd::model
