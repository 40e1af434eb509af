// The quants of Q5_0, Q5_1 and Q5_K, behind nibbles.cl; a file with their scales follows.

#define SUB_BLOCKS 1
#define ZERO_POINT 16
#define SUM_VEC4S 4

// FIFTH brings the fifth bit of column i (of the 16 that a word of the array holds) to bit 4 of both halves.
#define FIFTH(word, i) (((i) < 4 ? (word) << ((4 - (i)) & 31) : (word) >> (((i)-4) & 31)) & 0x00100010u)
#define FIVE_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | FIFTH(c.fifth.x, 4 * (k) + (i)))
#define DUAL(c, k) (int4)(FIVE_BITS(c, k, 0), FIVE_BITS(c, k, 1), FIVE_BITS(c, k, 2), FIVE_BITS(c, k, 3))
// FIFTHS brings the fifth bits of two columns, the first of them at bit `at` of both halves, to bits 4 and 12.
#define FIFTHS(word, at) (((word) << (4 - (at)) & 0x00100010u) | ((word) << (10 - (at)) & 0x10001000u))
#define BYTE_QUANTS(c, k, first, second)                             \
    {                                                                \
        const uint fifths = c.fifth.x >> (4 * (k));                  \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)) | FIFTHS(fifths, 0); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)) | FIFTHS(fifths, 1); \
    }

#define BITS_ARRAYS(array, name) array(high, quants, 2 * 16) array(name, high, 8)
#define BITS_FIELDS NIBBLES_FIELDS uint2 fifth;
#define LOAD_BITS(c, block, at) \
    LOAD_NIBBLES(c, block, at)  \
    c.fifth = LOAD_UINT2(high, block, 1, 0, at);
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.fifth.x >>= 8;
#define NEXT_HALF(c)     \
    NEXT_HALF_NIBBLES(c) \
    c.fifth.x = c.fifth.y;
