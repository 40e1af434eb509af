// Q6_K (see dot_nibbles.cl).

#define SUB_BLOCKS 2
#define CENTRE 32
#define SUM_QUADS 2

// The two high bits of column c (of the 8 that a word of the plane holds) brought to bit 4 of both halves.
#define HIGH_TWO(h, c) (((c) < 2 ? (h) << ((4 - 2 * (c)) & 31) : (h) >> ((2 * (c)-4) & 31)) & 0x00300030u)
#define HIGH_WORD(j, k) ((k) < 2 ? high_two[j].x : (k) < 4 ? high_two[j].y : (k) < 6 ? high_two[j].z : high_two[j].w)
#define SIX_BITS(j, k, i) (NIBBLE(NIBBLE_WORD(j, k), i) | HIGH_TWO(HIGH_WORD(j, k), 4 * ((k) % 2) + (i)))
#define DUAL(j, k) (int4)(SIX_BITS(j, k, 0), SIX_BITS(j, k, 1), SIX_BITS(j, k, 2), SIX_BITS(j, k, 3))

#define PLANE_ARGS PLANE(quants), PLANE(high), PLANE(scales), PLANE(supers)
#define CELL_DECLARE NIBBLES_DECLARE uint4 high_two[PAIRS]; int4 sub_scales[PAIRS]; float2 super_scale[PAIRS];
#define CELL_LOAD(j, cell, at)                                            \
    NIBBLES_LOAD(j, cell, at)                                             \
    high_two[j] = PLANE_UINT4(high, ELEMENT(cell, 1, 0, at));              \
    sub_scales[j] = PLANE_CHAR4(scales, ELEMENT(cell, 1, 0, at));   \
    super_scale[j] = PLANE_HALF2(supers, ELEMENT((cell) / 8u, 1, 0, at));
#define SCALES(j, sub) (super_scale[j] * convert_float2((sub) == 0 ? sub_scales[j].xy : sub_scales[j].zw))
