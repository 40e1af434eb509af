// The counter-based noise: its range, and values that every device and later version must keep.
#include "engine/compute/noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace llmd::compute {
namespace {

// mix32 is a bijection, so ids that give any hash can be made by running it backwards.
uint32_t unmix32(uint32_t h) {
    h ^= h >> 16;
    h *= 0x7ed1b41du;  // inverse of 0xc2b2ae35 modulo 2^32
    h ^= h >> 13 ^ h >> 26;
    h *= 0xa5cb9243u;  // inverse of 0x85ebca6b
    h ^= h >> 16;
    return h;
}

TEST(Noise, NeverReachesZeroOrOne) {
    ASSERT_EQ(mix32(unmix32(0xdeadbeefu)), 0xdeadbeefu);
    for (const uint32_t hash : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffe00u, 0xffffffffu}) {
        const float u = uniform_noise(0, unmix32(hash));
        EXPECT_GT(u, 0.0f) << hash;
        EXPECT_LT(u, 1.0f) << hash;
        EXPECT_TRUE(std::isfinite(gumbel_noise(0, unmix32(hash)))) << hash;
    }
}

TEST(Noise, DependsOnEveryBitOfTheSeedAndOnThePosition) {
    const uint32_t key = noise_key(42, 7);
    EXPECT_NE(key, noise_key(42, 8));
    for (int bit = 0; bit < 64; ++bit) EXPECT_NE(key, noise_key(42 ^ (uint64_t{1} << bit), 7)) << bit;
}

TEST(Noise, IsUniform) {
    double mean = 0, square = 0;
    constexpr uint32_t kDraws = 100'000;
    for (uint32_t id = 0; id < kDraws; ++id) {
        const double u = uniform_noise(noise_key(1, 2), id);
        mean += u / kDraws;
        square += u * u / kDraws;
    }
    EXPECT_NEAR(mean, 0.5, 0.005);  // five standard deviations of 1 / sqrt(12 n)
    EXPECT_NEAR(square, 1.0 / 3, 0.005);
}

// Whoever leaves the logarithms out for ids that cannot win must never leave out one that could; and few remain.
TEST(Noise, ItsBoundIsNeverBelowItAndIsOftenSmall) {
    for (const uint32_t hash : {0u, 1u, 0x200u, 0x7fffffffu, 0x80000000u, 0xfffffc00u, 0xfffffe00u, 0xffffffffu}) {
        EXPECT_GE(gumbel_bound(0, unmix32(hash)), gumbel_noise(0, unmix32(hash))) << hash;
    }
    uint32_t n_large = 0;
    constexpr uint32_t kDraws = 200'000;
    for (uint32_t id = 0; id < kDraws; ++id) {
        ASSERT_GE(gumbel_bound(noise_key(1, 2), id), gumbel_noise(noise_key(1, 2), id)) << id;
        n_large += gumbel_bound(noise_key(1, 2), id) > 5 ? 1 : 0;
    }
    EXPECT_LT(n_large, kDraws / 50);  // one in 2^7 has a noise of 7 log 2
}

}  // namespace
}  // namespace llmd::compute
