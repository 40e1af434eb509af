// The counter-based random numbers of sampling: a hash of (seed, position, id), the same on every device and in
// kernels/ (sample.cl has its twin), so a request that is interrupted and replayed draws what it would have drawn.
#pragma once

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

// Uniform in (0, 1): 23 random bits, centred, so neither end is reached and a float holds it exactly. With 24 bits the
// half would be lost to rounding from 2^23 on, and the largest value would be 1, whose Gumbel noise is infinite.
constexpr float uniform_noise(uint32_t key, uint32_t id) {
    const uint32_t h = mix32(id ^ key) >> 9;
    return (static_cast<float>(h) + 0.5f) * 0x1p-23f;
}

// Standard Gumbel noise: the argmax of logit / temperature + gumbel is an exact draw from the softmax (Gumbel 1954;
// Maddison et al. 2014).
inline float gumbel_noise(uint32_t key, uint32_t id) {
    return -std::log(-std::log(uniform_noise(key, id)));
}

}  // namespace llmd::compute
