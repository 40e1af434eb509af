// The counter-based random numbers of sampling: a hash of (seed, position, id), the same on every device and in
// kernels/ (sample.cl has its twin), so a request that is interrupted and replayed draws what it would have drawn.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace llmd::compute {

// The 32-bit finaliser of MurmurHash3 (Austin Appleby, public domain): a bijection with good avalanche.
constexpr uint32_t mix32(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

// The part of the hash that is the same for every id of one row.
constexpr uint32_t noise_key(uint64_t seed, uint32_t position) {
    const uint32_t low = mix32(static_cast<uint32_t>(seed) ^ 0x9e3779b9u);
    const uint32_t high = mix32(static_cast<uint32_t>(seed >> 32) ^ low);
    return mix32(position ^ high);
}

// 23 random bits.
constexpr uint32_t noise_bits(uint32_t key, uint32_t id) {
    return mix32(id ^ key) >> 9;
}

// Uniform in (0, 1): 23 random bits, centred, so neither end is reached and a float holds it exactly. With 24 bits the
// half would be lost to rounding from 2^23 on, and the largest value would be 1, whose Gumbel noise is infinite.
constexpr float uniform_noise(uint32_t key, uint32_t id) {
    return (static_cast<float>(noise_bits(key, id)) + 0.5f) * 0x1p-23f;
}

// Standard Gumbel noise: the argmax of logit / temperature + gumbel is an exact draw from the softmax (Gumbel 1954;
// Maddison et al. 2014).
inline float gumbel_noise(uint32_t key, uint32_t id) {
    return -std::log(-std::log(uniform_noise(key, id)));
}

// At least gumbel_noise(), without a logarithm: -log(-log u) <= -log(1 - u), because -log u >= 1 - u, and of 1 - u the
// binary exponent is enough. One id in 2^n has a bound of n log 2 or more.
constexpr float gumbel_bound(uint32_t key, uint32_t id) {
    constexpr float kLog2 = 0.693147182f;
    constexpr float kRounding = 1e-3f;                                // of the noise, a float of up to 17
    const uint32_t below_one = (1u << 23) - 1 - noise_bits(key, id);  // 2^23 (1 - u), rounded down
    return static_cast<float>(24 - std::bit_width(below_one)) * kLog2 + kRounding;
}

}  // namespace llmd::compute
