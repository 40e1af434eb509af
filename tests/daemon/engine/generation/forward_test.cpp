#include "engine/generation/forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

namespace llmd::generation {
namespace {

std::vector<float> embedding(const OutputNorm& norm, std::span<const float> rows) {
    Pooling pooling(norm);
    pooling.add(rows);
    const auto out = pooling.embedding();
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::vector<float>();
}

void expect_near(const std::vector<float>& got, const std::vector<double>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << "column " << i;
}

// Worked out by hand: rows 3, 4 and 5, -12 have root mean squares 5 / sqrt(2) and 13 / sqrt(2).
TEST(Pooling, IsTheMeanBehindTheRmsNormScaledToLengthOne) {
    const OutputNorm norm = {model::Norm::RmsNorm, 0, {2, 1}, {}};
    const double a = 2 * (3.0 / 5 + 5.0 / 13), b = 4.0 / 5 - 12.0 / 13;
    const double length = std::sqrt(a * a + b * b);
    expect_near(embedding(norm, std::vector<float>{3, 4, 5, -12}), {a / length, b / length});
}

// The row 1, 3, 8 has the mean 4 and the variance 26 / 3.
TEST(Pooling, ALayerNormTakesTheMeanAwayAndAddsItsBias) {
    const OutputNorm norm = {model::Norm::LayerNorm, 0, {1, 2, 1}, {0.5f, 0, -1}};
    const double scale = 1 / std::sqrt(26.0 / 3);
    const double a = -3 * scale + 0.5, b = -1 * scale * 2, c = 4 * scale - 1;
    const double length = std::sqrt(a * a + b * b + c * c);
    expect_near(embedding(norm, std::vector<float>{1, 3, 8}), {a / length, b / length, c / length});
}

TEST(Pooling, MayBeTheFirstOrLastRowWhateverTheChunks) {
    const OutputNorm norm = {model::Norm::RmsNorm, 0, {1, 1}, {}};
    const std::vector<float> rows = {3, 4, 1, 1, 5, -12};
    for (const auto& [type, a, b] : {std::tuple{model::PoolingType::First, 3 / 5.0, 4 / 5.0},
                                     std::tuple{model::PoolingType::Last, 5 / 13.0, -12 / 13.0}}) {
        for (const size_t n_first : {2u, 4u, 6u}) {
            Pooling pooling(norm, type);
            pooling.add(std::span(rows).first(n_first));
            pooling.add(std::span(rows).subspan(n_first));
            expect_near(*pooling.embedding(), {a, b});
        }
    }
}

TEST(Pooling, TheNormsEpsilonCounts) {
    const OutputNorm norm = {model::Norm::RmsNorm, 3, {1, 1}, {1, 0}};
    // 1, 1 becomes 1/2, 1/2, and with the bias 3/2, 1/2.
    expect_near(embedding(norm, std::vector<float>{1, 1}), {3 / std::sqrt(10.0), 1 / std::sqrt(10.0)});
}

TEST(Pooling, ChunksChangeNoBit) {
    const OutputNorm norm = {model::Norm::LayerNorm, 1e-5f, {0.3f, 1.7f, 0.9f, -1}, {0.1f, 0.2f, 0.3f, 0.4f}};
    std::vector<float> rows;
    for (int i = 0; i < 4 * 97; ++i) rows.push_back(std::sin(static_cast<float>(i * i)));
    const auto whole = embedding(norm, rows);
    for (const size_t chunk : {1u, 7u, 32u}) {
        Pooling pooling(norm);
        std::span<const float> rest = rows;
        while (!rest.empty()) {
            const size_t n = std::min(rest.size(), chunk * 4);
            pooling.add(rest.first(n));
            rest = rest.subspan(n);
        }
        EXPECT_EQ(*pooling.embedding(), whole) << "chunks of " << chunk;
    }
}

TEST(Pooling, WhatHasNoDirectionIsAnError) {
    const OutputNorm norm = {model::Norm::RmsNorm, 1e-5f, {1, 1}, {}};
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 0.0f}) {
        Pooling pooling(norm);
        pooling.add(std::vector<float>{bad, 0});
        const auto out = pooling.embedding();
        ASSERT_FALSE(out) << bad;
        EXPECT_EQ(out.error().code, base::ErrorCode::DeviceError);
    }
}

}  // namespace
}  // namespace llmd::generation
