// The decoders equal the reference decoding, and every instruction set that this machine has gives the same bits.
#include "engine/compute/cpu/cpu_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "daemon/engine/compute/random_model.h"

namespace llmd::compute {
namespace {

using model::TensorType;
using test::Noise;

struct Problem {
    std::vector<std::byte> blocks;
    Matrix w;
};

Problem random_matrix(TensorType type, uint32_t rows, uint32_t cols) {
    Noise noise(cols + static_cast<uint32_t>(type));
    Problem p;
    p.blocks = test::random_blocks(type, uint64_t{rows} * cols, 1, noise);
    p.w = {type, rows, cols, p.blocks.size() / rows, reinterpret_cast<const uint8_t*>(p.blocks.data())};
    return p;
}

TEST(CpuKernels, AProductWithAUnitVectorIsTheReferenceDecoding) {
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (const model::BlockFormat& format : model::block_formats()) {
            // Plain numbers may end anywhere.
            const uint32_t cols = format.block_weights == 1 ? 45 : 512;
            const uint32_t stride = (cols + kActivationPadding - 1) / kActivationPadding * kActivationPadding;
            const Problem p = random_matrix(format.type, 3, cols);
            std::vector<float> want(3 * cols);
            model::dequantize(format.type, p.blocks, want);
            std::vector<float> x(stride), out(3), scratch(size_t{kDecodedRows} * stride);
            for (uint32_t k = 0; k < cols; ++k) {
                x[k] = 1;
                kernels.multiply(p.w, 0, 3, x.data(), stride, 1, out.data(), 3, scratch.data());
                for (uint32_t r = 0; r < 3; ++r) {
                    ASSERT_EQ(out[r], want[r * cols + k]) << kernels.isa << ' ' << format.name << " weight " << k;
                }
                x[k] = 0;
            }
        }
    }
}

TEST(CpuKernels, EveryInstructionSetAndColumnCountGivesTheSameBits) {
    constexpr uint32_t kRows = 13, kColumns = 9, kCols = 768;
    for (const model::BlockFormat& format : model::block_formats()) {
        const Problem p = random_matrix(format.type, kRows, kCols);
        Noise noise(1);
        std::vector<float> x(size_t{kColumns} * kCols), scratch(size_t{kDecodedRows} * kCols);
        for (float& value : x) value = static_cast<float>(noise.uniform());
        std::vector<float> want;
        for (const CpuKernels& kernels : usable_cpu_kernels()) {
            for (uint32_t n = 1; n <= kColumns; ++n) {
                std::vector<float> out(kColumns * kRows);
                for (uint32_t c = 0; c < kColumns; c += n) {
                    kernels.multiply(p.w, 0, kRows, &x[size_t{c} * kCols], kCols, std::min(n, kColumns - c),
                                     &out[c * kRows], kRows, scratch.data());
                }
                if (want.empty()) want = out;
                EXPECT_EQ(std::memcmp(out.data(), want.data(), out.size() * sizeof(float)), 0)
                    << kernels.isa << ' ' << format.name << ", " << n << " columns";
            }
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

TEST(CpuKernels, TheExponentialIsAccurate) {
    for (const CpuKernels& kernels : usable_cpu_kernels()) {
        for (float x = -86; x <= 0; x += 0.0137f) {
            const double want = std::exp(double{x});
            EXPECT_NEAR(kernels.exp_sum(&x, 1, 0) / want, 1, 2.5e-7) << kernels.isa << ' ' << x;
        }
        const float nan = std::nanf("");
        EXPECT_TRUE(std::isnan(kernels.exp_sum(&nan, 1, 0)));
    }
}

}  // namespace
}  // namespace llmd::compute
