// Decoding of GGUF blocks, one type a program: WEIGHT_TYPE is GGUF's type id.
// Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h.
//
// A row is cut into units of 32 consecutive weights, whatever its block size, so that a row of few big blocks can still be
// shared by many work-items. decode_unit() gives the weights [32 u, 32 u + 16) and [32 u + 16, 32 u + 32) of a row,
// with the value that the host's reference dequantisation has, bit for bit (every product below is exact in float).
// Blocks begin at even addresses only: bytes are read as such or as pairs.
//
// The products decode the units of a block in one unrolled loop, which computes what they share once: so scales are made all
// together.
//
// Options: WEIGHT_TYPE.

// Single halfs are widened by hand, as PoCL's vload_half is slow: exponent and mantissa moved into place, with integers but
// for subnormals, since to multiply float subnormals takes a CPU longer than everything else here.
static inline uint float_bits_of_half(short h) {
    const uint moved = ((uint)(int)h << 13) & 0x8fffe000u;
    if ((h & 0x7c00) == 0) {
        return (moved & 0x80000000u) | as_uint(as_float((moved & 0x7fffffffu) | 0x38800000u) - 0x1p-14f);
    }
    return moved + ((h & 0x7c00) == 0x7c00 ? 0x70000000u : 0x38000000u);
}
#define HALF_BITS(p) float_bits_of_half(*(__global const short*)(p))
#define LOAD_HALF(p) as_float(HALF_BITS(p))
// One test for nearly all. Where some of the blocks are large it is slower, as compilers then do the same work again.
static inline uint float_bits_of_usual_half(short h) {
    if (((uint)(h + 0x400) & 0x7800u) != 0) return (((uint)(int)h << 13) & 0x8fffe000u) + 0x38000000u;
    return float_bits_of_half(h);
}
#define LOAD_HALF_WIDE(p) as_float16((uint16)(float_bits_of_usual_half(*(__global const short*)(p))))
#define LOAD_HALF16(p) vload_half16(0, (__global const half*)(p))

#define BYTES16(p) as_uchar16(vload8(0, (__global const ushort*)(p)))

static inline float16 sixteen(uchar16 v) { return convert_float16(v); }

// Small integers as floats: they stand in the last places of 2^23 or, counted in sixteenths, of 2^19. Fewer operations
// than to shift and to convert, and exact.
#define ONES(bits, offset) (as_float16((bits) | 0x4b000000u) - (0x1p23f + (offset)))
#define SIXTEENTHS(bits, offset) (as_float16((bits) | 0x49000000u) - (0x1p19f + (offset)))

#if WEIGHT_TYPE == 0  // F32
#define SINGLE_WEIGHTS 1
static inline float decode_one(__global const uchar* row, uint i) { return ((__global const float*)row)[i]; }
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    *low = vload16(2 * unit, (__global const float*)row);
    *high = vload16(2 * unit + 1, (__global const float*)row);
}

#elif WEIGHT_TYPE == 1  // F16
#define SINGLE_WEIGHTS 1
static inline float decode_one(__global const uchar* row, uint i) { return LOAD_HALF(row + 2 * i); }
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    *low = LOAD_HALF16(row + 64 * unit);
    *high = LOAD_HALF16(row + 64 * unit + 32);
}

#elif WEIGHT_TYPE == 30  // BF16: the upper half of a float
#define SINGLE_WEIGHTS 1
static inline float decode_one(__global const uchar* row, uint i) {
    return as_float((uint)((__global const ushort*)row)[i] << 16);
}
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    *low = as_float16(convert_uint16(vload16(2 * unit, (__global const ushort*)row)) << 16);
    *high = as_float16(convert_uint16(vload16(2 * unit + 1, (__global const ushort*)row)) << 16);
}

#elif WEIGHT_TYPE == 2  // Q4_0: half d, 16 bytes: low nibbles are the weights 0..15, high nibbles 16..31; d (q - 8)
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 18 * unit;
    const float16 d = LOAD_HALF_WIDE(block);
    const uint16 q = convert_uint16(BYTES16(block + 2));
    *low = ONES(q & 0x0fu, 8.0f) * d;
    *high = SIXTEENTHS(q & 0xf0u, 8.0f) * d;
}

#elif WEIGHT_TYPE == 3  // Q4_1: half d, half m, nibbles as Q4_0; d q + m
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 20 * unit;
    const float d = LOAD_HALF(block), m = LOAD_HALF(block + 2);
    const uchar16 q = BYTES16(block + 4);
    *low = sixteen(q & (uchar16)15) * d + m;
    *high = sixteen(q >> (uchar16)4) * d + m;
}

#elif WEIGHT_TYPE == 6 || WEIGHT_TYPE == 7
// Q5_0: half d, 32 bits with each weight's fifth bit, nibbles; d (q - 16).  Q5_1: half d, half m, the same; d q + m
#if WEIGHT_TYPE == 6
#define Q5_HEAD 2
#else
#define Q5_HEAD 4
#endif
static inline float16 five_bits(uchar16 nibbles, uint fifth) {
    const uint16 place = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return convert_float16(convert_uint16(nibbles) | ((((uint16)(fifth) >> place) & 1u) << 4));
}
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + (Q5_HEAD + 20) * unit;
    const float d = LOAD_HALF(block);
    __global const ushort* bits = (__global const ushort*)(block + Q5_HEAD);
    const uchar16 q = BYTES16(block + Q5_HEAD + 4);
    const float16 a = five_bits(q & (uchar16)15, bits[0]);
    const float16 b = five_bits(q >> (uchar16)4, bits[1]);
#if WEIGHT_TYPE == 6
    *low = (a - 16.0f) * d;
    *high = (b - 16.0f) * d;
#else
    const float m = LOAD_HALF(block + 2);
    *low = a * d + m;
    *high = b * d + m;
#endif
}

#elif WEIGHT_TYPE == 8  // Q8_0: half d, 32 signed bytes; d q
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 34 * unit;
    const float16 d = LOAD_HALF_WIDE(block);
    *low = convert_float16(as_char16(BYTES16(block + 2))) * d;
    *high = convert_float16(as_char16(BYTES16(block + 18))) * d;
}

#elif WEIGHT_TYPE == 20  // IQ4_NL: as Q4_0, the nibble being an index into a table
__constant float kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static inline float16 iq4_values(uchar16 q) {
    return (float16)(kIq4Values[q.s0], kIq4Values[q.s1], kIq4Values[q.s2], kIq4Values[q.s3], kIq4Values[q.s4],
                     kIq4Values[q.s5], kIq4Values[q.s6], kIq4Values[q.s7], kIq4Values[q.s8], kIq4Values[q.s9],
                     kIq4Values[q.sa], kIq4Values[q.sb], kIq4Values[q.sc], kIq4Values[q.sd], kIq4Values[q.se],
                     kIq4Values[q.sf]);
}
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 18 * unit;
    const float d = LOAD_HALF(block);
    const uchar16 q = BYTES16(block + 2);
    *low = iq4_values(q & (uchar16)15) * d;
    *high = iq4_values(q >> (uchar16)4) * d;
}

#elif WEIGHT_TYPE == 10
// Q2_K, 256 weights: 16 bytes of 4-bit scale (low) and 4-bit minimum (high), one for 16 weights; 64 bytes of 2-bit
// weights; half d, half dmin. Unit k of a half takes the bits 2k of that half's 32 bytes. d scale q - dmin minimum
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 84 * (unit / 8);
    const uint part = unit % 8 / 4, k = unit % 4;
    const float d = LOAD_HALF(block + 80), dmin = LOAD_HALF(block + 82);
    const uint s0 = block[8 * part + 2 * k], s1 = block[8 * part + 2 * k + 1];
    const uchar16 shift = (uchar16)((uchar)(2 * k));
    *low = sixteen((BYTES16(block + 16 + 32 * part) >> shift) & (uchar16)3) * (d * (float)(s0 & 15)) -
           dmin * (float)(s0 >> 4);
    *high = sixteen((BYTES16(block + 32 + 32 * part) >> shift) & (uchar16)3) * (d * (float)(s1 & 15)) -
            dmin * (float)(s1 >> 4);
}

#elif WEIGHT_TYPE == 11
// Q3_K, 256 weights: 32 bytes whose bit u is the third bit of unit u; 64 bytes of 2-bit weights as in Q2_K; 12 bytes of
// 16 6-bit scales: nibbles in the first 8, their upper two bits in the last 4; half d. d (scale - 32) (q - 4)
static inline float q3_scale(__global const uchar* scales, uint i) {
    const uint low = i < 8 ? scales[i] & 15u : (uint)scales[i - 8] >> 4;
    const uint high = ((uint)scales[8 + i % 4] >> (2 * (i / 4))) & 3u;
    return (float)(int)(low | (high << 4)) - 32.0f;
}
static inline float16 q3_weights(uchar16 q, uchar16 third, uint k, uint bit) {
    const uchar16 low = (q >> (uchar16)((uchar)(2 * k))) & (uchar16)3;
    const uchar16 high = ((third >> (uchar16)((uchar)bit)) & (uchar16)1) << (uchar16)2;
    return sixteen(low | high) - 4.0f;
}
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 110 * (unit / 8);
    const uint u = unit % 8, part = u / 4, k = u % 4;
    const float d = LOAD_HALF(block + 108);
    *low = q3_weights(BYTES16(block + 32 + 32 * part), BYTES16(block), k, u) *
           (d * q3_scale(block + 96, 8 * part + 2 * k));
    *high = q3_weights(BYTES16(block + 48 + 32 * part), BYTES16(block + 16), k, u) *
            (d * q3_scale(block + 96, 8 * part + 2 * k + 1));
}

#elif WEIGHT_TYPE == 12 || WEIGHT_TYPE == 13
// Q4_K and Q5_K, 256 weights: half d, half dmin; 12 bytes of eight 6-bit scales and eight 6-bit minima; in Q5_K 32 bytes
// whose bit u is the fifth bit of unit u; 128 bytes of nibbles: units 2i and 2i + 1 are the low and high nibbles of
// 32 bytes. d scale q - dmin minimum
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    const uint u = unit % 8;
#if WEIGHT_TYPE == 12
    __global const uchar* block = row + 144 * (unit / 8);
    __global const uchar* nibbles = block + 16 + 32 * (u / 2);
#else
    __global const uchar* block = row + 176 * (unit / 8);
    __global const uchar* nibbles = block + 48 + 32 * (u / 2);
#endif
    __global const uchar* s = block + 4;
    const uchar4 s0 = vload4(0, s), s1 = vload4(1, s), s2 = vload4(2, s);
    const uchar16 six_bits = (uchar16)(s0 & (uchar4)63, (s2 & (uchar4)15) | ((s0 >> (uchar4)6) << (uchar4)4),
                                       s1 & (uchar4)63, (s2 >> (uchar4)4) | ((s1 >> (uchar4)6) << (uchar4)4));
    float scales[16];
    vstore16(convert_float16(six_bits) * (float16)((float8)(LOAD_HALF(block)), (float8)(LOAD_HALF(block + 2))), 0, scales);
    const float d = scales[u], m = scales[8 + u];
#if WEIGHT_TYPE == 12
    const uint16 a = convert_uint16(BYTES16(nibbles)), b = convert_uint16(BYTES16(nibbles + 16));
    *low = (u % 2 ? SIXTEENTHS(a & 0xf0u, 0.0f) : ONES(a & 0x0fu, 0.0f)) * d - m;
    *high = (u % 2 ? SIXTEENTHS(b & 0xf0u, 0.0f) : ONES(b & 0x0fu, 0.0f)) * d - m;
#else
    const uchar16 shift = (uchar16)((uchar)(4 * (u % 2))), bit = (uchar16)((uchar)u);
    const uchar16 a = ((BYTES16(nibbles) >> shift) & (uchar16)15) |
                      ((BYTES16(block + 16) >> bit) & (uchar16)1) << (uchar16)4;
    const uchar16 b = ((BYTES16(nibbles + 16) >> shift) & (uchar16)15) |
                      ((BYTES16(block + 32) >> bit) & (uchar16)1) << (uchar16)4;
    *low = sixteen(a) * d - m;
    *high = sixteen(b) * d - m;
#endif
}

#elif WEIGHT_TYPE == 14
// Q6_K, 256 weights in two parts of 128: 64 bytes of nibbles a part, 32 bytes of 2-bit pieces a part, 16 signed scales
// (one for 16 weights), half d. Unit k of a part: nibbles 32 (k % 2), low for k < 2; pieces at bits 2k. d scale (q - 32)
static inline float16 q6_weights(uchar16 nibbles, uchar16 pieces, uint k) {
    const uint16 n = convert_uint16(nibbles), p = convert_uint16(pieces) << (k % 2 ? 2u : 4u);
    return k < 2 ? ONES((n & 0x0fu) | (p & 0x30u), 32.0f) : SIXTEENTHS((n & 0xf0u) | (p & 0x300u), 32.0f);
}
static inline void decode_unit(__global const uchar* row, uint unit, float16* low, float16* high) {
    __global const uchar* block = row + 210 * (unit / 8);
    const uint part = unit % 8 / 4, k = unit % 4;
    __global const uchar* nibbles = block + 64 * part + 32 * (k % 2);
    __global const uchar* pieces = block + 128 + 32 * part;
    float scales[16];
    vstore16(convert_float16(vload16(0, (__global const char*)(block + 192))) * LOAD_HALF(block + 208), 0, scales);
    const float d_low = scales[8 * part + 2 * k], d_high = scales[8 * part + 2 * k + 1];
    *low = q6_weights(BYTES16(nibbles), BYTES16(pieces), k) * d_low;
    *high = q6_weights(BYTES16(nibbles + 16), BYTES16(pieces + 16), k) * d_high;
}
#endif
