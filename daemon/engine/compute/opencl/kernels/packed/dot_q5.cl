// Q5_0, Q5_1, Q5_K (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 16
#define SUM_QUADS 4

// The fifth bit of column c (of the 16 that a word of the plane holds) brought to bit 4 of both halves.
#define FIFTH(h, c) (((c) < 4 ? (h) << ((4 - (c)) & 31) : (h) >> (((c)-4) & 31)) & 0x00100010u)
#define FIFTH_WORD(j, k) ((k) < 4 ? fifth[j].x : fifth[j].y)
#define FIVE_BITS(j, k, i) (NIBBLE(NIBBLE_WORD(j, k), i) | FIFTH(FIFTH_WORD(j, k), 4 * ((k) % 4) + (i)))
#define DUAL(j, k) (int4)(FIVE_BITS(j, k, 0), FIVE_BITS(j, k, 1), FIVE_BITS(j, k, 2), FIVE_BITS(j, k, 3))

#define BITS_ARGS PLANE(quants), PLANE(high)
#define BITS_DECLARE NIBBLES_DECLARE uint2 fifth[PAIRS];
#define BITS_LOAD(j, cell, at) \
    NIBBLES_LOAD(j, cell, at)  \
    fifth[j] = PLANE_UINT2(high, ELEMENT(cell, 1, 0, at));
