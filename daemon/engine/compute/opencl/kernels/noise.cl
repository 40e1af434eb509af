// The random numbers of sampling: the twin of compute/noise.h.
INLINE uint mix32(uint h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
// log(x) of positive normal numbers, off by at most 1.2e-7 of itself, near 1 too, where native functions lose all of it; a
// quarter of the instructions of log(). x = m 2^exponent with m = 1 + f in [sqrt(1/2), sqrt(2)), and
// log(m) = f - f^2 / 2 + f^3 P(f) with a polynomial fitted to the least relative error.
INLINE float log_of_normal(float x) {
    const int exponent = (as_int(x) - 0x3f3504f3) >> 23;
    const float f = as_float(as_int(x) - exponent * 0x800000) - 1.0f;
    float p = mad(0.08700360f, f, -0.14267476f);
    p = mad(p, f, 0.14914785f);
    p = mad(p, f, -0.16577587f);
    p = mad(p, f, 0.19963062f);
    p = mad(p, f, -0.25001338f);
    p = mad(p, f, 0.33333910f);
    p = mad(f * f, mad(p, f, -0.5f), f);
    return mad((float)exponent, 0.69314718f, p);
}
INLINE float gumbel_noise(uint key, uint id) {
    const uint h = mix32(id ^ key) >> 9;
    const float u = ((float)h + 0.5f) * 0x1p-23f;
    return -log_of_normal(-log_of_normal(u));
}
