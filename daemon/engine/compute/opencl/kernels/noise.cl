// The random numbers of sampling: the twin of compute/noise.h.
static inline uint mix32(uint h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
static inline float gumbel_noise(uint key, uint id) {
    const uint h = mix32(id ^ key) >> 9;
    const float u = ((float)h + 0.5f) * 0x1p-23f;
    return -log(-log(u));
}
