// Sampling requests and noise, for the kernels that choose tokens.
//
// Requests: REQUEST_WORDS words an output (sample_exchange.h). Noise: the twin of compute/noise.h.
#define REQUEST_WORDS 72
#define REQUEST_TEMPERATURE 0
#define REQUEST_KEY 1
#define REQUEST_PENALTY 2
#define REQUEST_WANTS_CANDIDATES 3
#define REQUEST_PENALTY_COUNT 4
#define REQUEST_PENALTY_IDS 8

#define NO_ID 0xffffffffu

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
