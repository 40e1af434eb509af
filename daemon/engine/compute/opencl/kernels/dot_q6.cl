// Q6_K (see dot_nibbles.cl).

#define SUB_BLOCKS 2
#define CENTRE 32
#define SUM_QUADS 2

// The two high bits of column i (of the 8 that a word of the plane holds) brought to bit 4 of both halves.
#define HIGH_TWO(word, i) \
    (((i) < 2 ? (word) << ((4 - 2 * (i)) & 31) : (word) >> ((2 * (i)-4) & 31)) & 0x00300030u)
#define HIGH_WORD(c, k) ((k) < 2 ? c.high_two.x : c.high_two.y)
#define SIX_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | HIGH_TWO(HIGH_WORD(c, k), 4 * ((k) % 2) + (i)))
#define DUAL(c, k) (int4)(SIX_BITS(c, k, 0), SIX_BITS(c, k, 1), SIX_BITS(c, k, 2), SIX_BITS(c, k, 3))

#define FURTHER_PLANES(plane) plane(high, quants, 2 * 16) plane(scales, high, 16) plane(supers, scales, 4)
typedef struct {
    NIBBLES_FIELDS
    uint4 high_two;
    int4 sub_scales;
    float2 super_scale;
} cell_t;
#define LOAD_CELL(c, cell, at)                                     \
    LOAD_NIBBLES(c, cell, at)                                      \
    c.high_two = PLANE_UINT4(high, cell, 1, 0, at);       \
    c.sub_scales = PLANE_CHAR4(scales, cell, 1, 0, at);   \
    c.super_scale = PLANE_HALF2(supers, (cell) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale * convert_float2(c.sub_scales.xy))
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.high_two.x = c.high_two.y;
#define NEXT_HALF(c)               \
    NEXT_HALF_NIBBLES(c)           \
    c.high_two.xy = c.high_two.zw; \
    c.sub_scales.xy = c.sub_scales.zw;
