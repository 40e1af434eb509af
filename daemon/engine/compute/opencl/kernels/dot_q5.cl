// Q5_0, Q5_1, Q5_K (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 16
#define SUM_QUADS 4

// The fifth bit of column i (of the 16 that a word of the plane holds) brought to bit 4 of both halves.
#define FIFTH(word, i) (((i) < 4 ? (word) << ((4 - (i)) & 31) : (word) >> (((i)-4) & 31)) & 0x00100010u)
#define FIVE_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | FIFTH(c.fifth.x, 4 * (k) + (i)))
#define DUAL(c, k) (int4)(FIVE_BITS(c, k, 0), FIVE_BITS(c, k, 1), FIVE_BITS(c, k, 2), FIVE_BITS(c, k, 3))

#define BITS_PLANES(plane, name) plane(high, quants, 2 * 16) plane(name, high, 8)
#define BITS_FIELDS NIBBLES_FIELDS uint2 fifth;
#define LOAD_BITS(c, cell, at) \
    LOAD_NIBBLES(c, cell, at)  \
    c.fifth = PLANE_UINT2(high, cell, 1, 0, at);
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.fifth.x >>= 8;
#define NEXT_HALF(c)     \
    NEXT_HALF_NIBBLES(c) \
    c.fifth.x = c.fifth.y;
