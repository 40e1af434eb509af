// The quants and scales of Q6_K, behind nibbles.cl: weight = d * scale * (quant - ZERO_POINT).

#define SUB_BLOCKS 2
#define ZERO_POINT 32
#define SUM_VEC4S 2

// HIGH_TWO brings the two high bits of column i (of the 8 that a word of the array holds) to bit 4 of both halves.
#define HIGH_TWO(word, i) \
    (((i) < 2 ? (word) << ((4 - 2 * (i)) & 31) : (word) >> ((2 * (i)-4) & 31)) & 0x00300030u)
#define HIGH_WORD(c, k) ((k) < 2 ? c.high_two.x : c.high_two.y)
#define SIX_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | HIGH_TWO(HIGH_WORD(c, k), 4 * ((k) % 2) + (i)))
#define DUAL(c, k) (int4)(SIX_BITS(c, k, 0), SIX_BITS(c, k, 1), SIX_BITS(c, k, 2), SIX_BITS(c, k, 3))
// HIGH_TWOS brings the high bits of two columns, the first of them at bit `at` of both halves, to bits 4 and 12.
#define HIGH_TWOS(word, at) (((word) << (4 - (at)) & 0x00300030u) | ((word) << (8 - (at)) & 0x30003000u))
#define BYTE_QUANTS(c, k, first, second)                              \
    {                                                                 \
        const uint highs = HIGH_WORD(c, k) >> (8 * ((k) % 2));        \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)) | HIGH_TWOS(highs, 0); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)) | HIGH_TWOS(highs, 2); \
    }

#define FURTHER_ARRAYS(array) array(high, quants, 2 * 16) array(scales, high, 16) array(super_scales, scales, 4)
typedef struct {
    NIBBLES_FIELDS
    uint4 high_two;
    int4 sub_scales;
    float2 super_scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                        \
    LOAD_NIBBLES(c, block, at)                          \
    c.high_two = LOAD_UINT4(high, block, 1, 0, at);     \
    c.sub_scales = LOAD_CHAR4(scales, block, 1, 0, at); \
    c.super_scale = LOAD_HALF2(super_scales, (block) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale * convert_float2(c.sub_scales.xy))
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.high_two.x = c.high_two.y;
#define NEXT_HALF(c)               \
    NEXT_HALF_NIBBLES(c)           \
    c.high_two.xy = c.high_two.zw; \
    c.sub_scales.xy = c.sub_scales.zw;
