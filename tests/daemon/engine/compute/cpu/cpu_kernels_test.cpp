// Products are those of the reference decoding in both precisions, with the same bits for any number of rows.
#include "engine/compute/cpu/cpu_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "daemon/engine/compute/random_model.h"
#include "engine/compute/backend.h"
#include "engine/compute/cpu/cpu_weights.h"
#include "engine/compute/cpu/processor.h"

namespace llmd::compute {
namespace {

using model::TensorType;
using test::Noise;

// A matrix as the backend keeps it, and its reference decoding.
struct Problem {
    std::vector<std::byte> blocks;
    std::vector<uint8_t> packed;
    std::vector<float> weights;
    Matrix w;
};

Problem random_matrix(TensorType type, uint32_t rows, uint32_t cols) {
    Noise noise(cols + static_cast<uint32_t>(type));
    Problem p;
    p.blocks = test::random_blocks(type, uint64_t{rows} * cols, 1, noise);
    p.weights.resize(size_t{rows} * cols);
    model::dequantize(type, p.blocks, p.weights);
    p.w = {
        type, rows, cols, p.blocks.size() / rows, is_packed(type), reinterpret_cast<const uint8_t*>(p.blocks.data())};
    if (p.w.is_packed) {
        p.packed.resize(packed_bytes(rows, p.w.row_bytes));
        pack_rows(type, p.w.row_bytes, p.blocks, p.packed.data());
        p.w.data = p.packed.data();
    }
    return p;
}

constexpr Precision kBothPrecisions[] = {Precision::Faithful, Precision::Fast};

// out[column][row] of `n_batch` columns of x, which are a multiple of kActivationPadding floats apart.
std::vector<float> multiply(const CpuKernels& kernels, const Matrix& w, std::span<const float> x, uint32_t n_batch,
                            Precision precision = Precision::Faithful) {
    const auto as = static_cast<size_t>(precision);
    const size_t stride = x.size() / n_batch;
    std::vector<float> out(size_t{n_batch} * w.rows);
    if (!w.is_packed) {
        std::vector<float> scratch(kDecodedRows * stride);
        kernels.multiply(w, 0, w.rows, x.data(), stride, n_batch, out.data(), w.rows, scratch.data());
        return out;
    }
    const size_t quantized_stride = stride / kActivationPadding * kQuantizedBlockBytes;
    std::vector<uint8_t> quantized(n_batch * quantized_stride);
    for (uint32_t c = 0; c < n_batch; ++c) {
        kernels.quantize_activations[as](&x[c * stride], static_cast<uint32_t>(stride), c, n_batch, quantized.data(),
                                         quantized_stride);
    }
    // In two parts, as two threads would.
    for (uint32_t first = 0; first < w.rows; first += kPackedRows) {
        kernels.multiply_packed[as](w, first, std::min(kPackedRows, w.rows - first), quantized.data(), quantized_stride,
                                    n_batch, &out[first], w.rows);
    }
    return out;
}

constexpr uint32_t kRows = 21;  // a whole group of packed rows and a part of one
constexpr uint32_t kMany = 9;   // rows of the batch, some of which some sets of instructions keep among each other

TEST(CpuKernels, AProductWithAUnitVectorIsTheReferenceDecoding) {
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (const model::BlockLayout& format : model::kBlockLayouts) {
            // Plain numbers may end anywhere.
            const uint32_t cols = format.block_weights == 1 ? 45 : 512;
            const Problem p = random_matrix(format.type, kRows, cols);
            float largest = 0;
            for (const float weight : p.weights) largest = std::max(largest, std::abs(weight));
            // The scale of a packed product is quantized; a wrong code is off by far more.
            const float tolerance = p.w.is_packed ? 1e-6f * largest : 0;
            std::vector<float> x((cols + kActivationPadding - 1) / kActivationPadding * kActivationPadding);
            for (uint32_t k = 0; k < cols; ++k) {
                x[k] = 1;
                const auto out = multiply(kernels, p.w, x, 1);
                for (uint32_t r = 0; r < kRows; ++r) {
                    ASSERT_NEAR(out[r], p.weights[r * cols + k], tolerance)
                        << kernels.isa << ' ' << format.name << " row " << r << " weight " << k;
                }
                x[k] = 0;
            }
        }
    }
}

// Those of one machine fuse alike or not at all, so that they agree too.
TEST(CpuKernels, EveryInstructionSetAndColumnCountGivesTheSameBits) {
    constexpr uint32_t kColumns = 19;
    constexpr uint32_t kCols =
        1024 + 768;  // more sub-blocks than are unpacked at once, and a part of a second such chunk
    for (const model::BlockLayout& format : model::kBlockLayouts) {
        const Problem p = random_matrix(format.type, kRows, kCols);
        Noise noise(1);
        std::vector<float> x(size_t{kColumns} * kCols);
        for (float& value : x) value = static_cast<float>(noise.uniform());
        for (const Precision precision : kBothPrecisions) {
            std::vector<float> want;
            for (const CpuKernels& kernels : usable_cpu_kernels()) {
                for (uint32_t n = 1; n <= kColumns; ++n) {
                    std::vector<float> out;
                    for (uint32_t c = 0; c < kColumns; c += n) {
                        const uint32_t count = std::min(n, kColumns - c);
                        const auto some = multiply(kernels, p.w, std::span(x).subspan(size_t{c} * kCols, count * kCols),
                                                   count, precision);
                        out.insert(out.end(), some.begin(), some.end());
                    }
                    if (want.empty()) want = out;
                    EXPECT_EQ(std::memcmp(out.data(), want.data(), out.size() * sizeof(float)), 0)
                        << kernels.isa << ' ' << format.name << ", " << n << " columns";
                }
            }
        }
    }
}

// Against the sum in double precision of what is quantized by no more than half a step of a block's largest.
TEST(CpuKernels, APackedProductErrsByTheRoundingOfActivationsOnly) {
    constexpr uint32_t kCols = 4096;
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (const model::BlockLayout& format : model::kBlockLayouts) {
            if (!is_packed(format.type)) continue;
            const Problem p = random_matrix(format.type, kRows, kCols);
            Noise noise(3);
            std::vector<float> x(kCols);
            // Blocks of very different sizes.
            for (uint32_t k = 0; k < kCols; ++k) {
                x[k] = static_cast<float>(noise.uniform() * std::exp2(static_cast<double>(k / 32 % 20)));
            }
            for (const Precision precision : kBothPrecisions) {
                const double steps = precision == Precision::Fast ? 127 : 32639;
                const auto out = multiply(kernels, p.w, x, 1, precision);
                double most = 0;  // of the bound
                for (uint32_t r = 0; r < kRows; ++r) {
                    double want = 0, bound = 0;
                    for (uint32_t k = 0; k < kCols; ++k) {
                        const double weight = p.weights[r * kCols + k];
                        want += weight * double{x[k]};
                        bound += std::abs(weight) * std::exp2(k / 32 % 20) * (0.5 / steps + 1e-6);
                    }
                    EXPECT_NEAR(out[r], want, bound) << kernels.isa << ' ' << format.name << " row " << r;
                    most = std::max(most, std::abs(out[r] - want) / bound);
                }
                EXPECT_GT(most, 1e-3) << kernels.isa << ' ' << format.name << ": not the precision that was asked for";
            }
        }
    }
}

// Quants and activations that are all as large as they get add up to more than any others: nothing overflows.
TEST(CpuKernels, TheLargestProductsAddUpExactly) {
    constexpr uint32_t kCols = 256;
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (const TensorType type : {TensorType::Q8_0, TensorType::Q6_K, TensorType::Q5_0, TensorType::Q4_0}) {
            for (const int byte : {0x00, 0x80, 0x7f, 0xff}) {
                Problem p = random_matrix(type, kPackedRows, kCols);
                const model::BlockLayout& format = model::block_layout(type);
                const bool is_super = format.block_weights == 256;
                for (size_t i = 0; i < p.blocks.size(); ++i) {
                    const size_t at = i % format.block_bytes;
                    const bool is_scale = is_super ? at >= 192 : at < 2;
                    if (!is_scale) p.blocks[i] = std::byte(byte);
                }
                model::dequantize(type, p.blocks, p.weights);
                std::fill(p.packed.begin(), p.packed.end(), uint8_t{0});
                pack_rows(type, p.w.row_bytes, p.blocks, p.packed.data());
                for (const float sign : {1.0f, -1.0f}) {
                    for (const Precision precision : kBothPrecisions) {
                        const auto out =
                            multiply(kernels, p.w, std::vector<float>(kMany * kCols, sign), kMany, precision);
                        for (uint32_t i = 0; i < out.size(); ++i) {
                            const uint32_t r = i % kPackedRows;
                            double want = 0, size = 0;
                            for (uint32_t k = 0; k < kCols; ++k) {
                                want += sign * double{p.weights[r * kCols + k]};
                                size += std::abs(double{p.weights[r * kCols + k]});
                            }
                            EXPECT_NEAR(out[i], want, 1e-5 * size) << kernels.isa << ' ' << format.name << ' ' << byte;
                        }
                    }
                }
            }
        }
    }
}

TEST(CpuKernels, ActivationsThatAreNotFiniteMakeNoFiniteProduct) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const Problem p = random_matrix(TensorType::Q4_0, kRows, 64);
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
            std::vector<float> x(64, 0.5f);
            x[40] = bad;
            for (const float value : multiply(kernels, p.w, x, 1)) EXPECT_FALSE(std::isfinite(value)) << kernels.isa;
        }
        // Other rows of the batch do not suffer.
        std::vector<float> x(kMany * 64, 0.5f);
        x[64 + 40] = kInfinity;
        const auto out = multiply(kernels, p.w, x, kMany);
        for (uint32_t i = 0; i < out.size(); ++i) {
            EXPECT_EQ(std::isfinite(out[i]), i / kRows != 1) << kernels.isa << " row " << i / kRows;
        }
        // A scale whose inverse no float holds is as good as none.
        for (const uint32_t n : {1u, kMany}) {
            const auto zeros = multiply(kernels, p.w, std::vector<float>(n * 64, 1e-44f), n);
            for (const float value : zeros) EXPECT_EQ(value, 0) << kernels.isa;
        }
    }
}

TEST(CpuKernels, NormsActivationsAndExponentialsGiveTheSameBits) {
    Noise noise(2);
    std::vector<float> x(1000), weight(1000), bias(1000);
    for (auto* values : {&x, &weight, &bias}) {
        for (float& value : *values) value = static_cast<float>(30 * noise.uniform());
    }
    std::vector<std::vector<float>> want;
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        std::vector<std::vector<float>> got(4, std::vector<float>(1000));
        kernels.norm(model::Norm::LayerNorm, 1e-5f, x.data(), weight.data(), bias.data(), 999, got[0].data());
        kernels.norm(model::Norm::RmsNorm, 1e-5f, x.data(), weight.data(), nullptr, 999, got[1].data());
        got[2] = got[3] = x;
        kernels.activate(model::Activation::SwiGlu, weight.data(), got[2].data(), 1000);
        kernels.activate(model::Activation::Gelu, nullptr, got[3].data(), 1000);
        got.push_back({kernels.exp_sum(x.data(), 1000, 30)});
        if (want.empty()) want = got;
        EXPECT_EQ(got, want) << kernels.isa;
    }
}

// One value so large that the ones after it vanish when each 32 are added to it, and would not if they were added to
// each other first.
TEST(CpuKernels, NormsAddSumsOf32ValuesInTheirOrder) {
    constexpr uint32_t kSize = 32 * 100 + 5;
    std::vector<float> x(kSize, 1), weight(kSize, 1), out(kSize);
    x[0] = 0x1p15f;
    const float scale = 1.0f / std::sqrt(0x1p30f / kSize);
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        kernels.norm(model::Norm::RmsNorm, 0, x.data(), weight.data(), nullptr, kSize, out.data());
        EXPECT_EQ(out[1], scale) << kernels.isa;
    }
}

TEST(CpuKernels, HalvesAreThoseOfTheReference) {
    std::vector<float> x = {0,     -0.0f, 65504, 65519.99f, 65520, 1e30f, -std::numeric_limits<float>::infinity(),
                            6e-8f, 2e-8f};
    Noise noise(4);
    while (x.size() < 1003) {
        x.push_back(static_cast<float>(noise.uniform() * std::exp2(40 * noise.uniform())));
    }
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        std::vector<uint16_t> out(x.size());
        kernels.to_halves(x.data(), static_cast<uint32_t>(x.size()), out.data());
        for (size_t i = 0; i < x.size(); ++i)
            EXPECT_EQ(out[i], model::float_to_half(x[i])) << kernels.isa << ' ' << x[i];
    }
}

TEST(CpuKernels, TheExponentialIsAccurate) {
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        constexpr int kSteps = 6277;
        for (int step = 0; step <= kSteps; ++step) {
            const float x = -86.0f * static_cast<float>(step) / kSteps;
            const double want = std::exp(double{x});
            EXPECT_NEAR(kernels.exp_sum(&x, 1, 0) / want, 1, 2.5e-7) << kernels.isa << ' ' << x;
        }
        const float nan = std::nanf("");
        EXPECT_TRUE(std::isnan(kernels.exp_sum(&nan, 1, 0)));
    }
}

}  // namespace
}  // namespace llmd::compute
