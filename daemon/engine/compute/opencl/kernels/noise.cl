// The random numbers of sampling: the twin of compute/noise.h. Options: NOISE_LANES  16: of sixteen ids at once; else of one.
#if NOISE_LANES == 16
typedef uint16 noise_ids;
typedef int16 noise_ints;
typedef float16 noise_floats;
#define NOISE_FLOATS convert_float16
#define NOISE_BITS as_int16
#define NOISE_OF_BITS as_float16
#else
typedef uint noise_ids;
typedef int noise_ints;
typedef float noise_floats;
#define NOISE_FLOATS convert_float
#define NOISE_BITS as_int
#define NOISE_OF_BITS as_float
#endif

INLINE noise_ids mix32(noise_ids h) {
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
INLINE noise_floats log_of_normal(noise_floats x) {
    const noise_ints exponent = (NOISE_BITS(x) - 0x3f3504f3) >> 23;
    const noise_floats f = NOISE_OF_BITS(NOISE_BITS(x) - exponent * 0x800000) - 1.0f;
    noise_floats p = mad((noise_floats)(0.08700360f), f, (noise_floats)(-0.14267476f));
    p = mad(p, f, (noise_floats)(0.14914785f));
    p = mad(p, f, (noise_floats)(-0.16577587f));
    p = mad(p, f, (noise_floats)(0.19963062f));
    p = mad(p, f, (noise_floats)(-0.25001338f));
    p = mad(p, f, (noise_floats)(0.33333910f));
    p = mad(f * f, mad(p, f, (noise_floats)(-0.5f)), f);
    return mad(NOISE_FLOATS(exponent), (noise_floats)(0.69314718f), p);
}
INLINE noise_floats gumbel_noise(uint key, noise_ids id) {
    const noise_ids h = mix32(id ^ key) >> 9;
    const noise_floats u = (NOISE_FLOATS(h) + 0.5f) * 0x1p-23f;
    return -log_of_normal(-log_of_normal(u));
}
