// Q4_0, Q4_1, Q4_K (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 8
#define SUM_QUADS 8

#define DUAL(c, k)                                                                                   \
    (int4)(NIBBLE(NIBBLE_WORD(c, k), 0), NIBBLE(NIBBLE_WORD(c, k), 1), NIBBLE(NIBBLE_WORD(c, k), 2), \
           NIBBLE(NIBBLE_WORD(c, k), 3))
#define BITS_ARGS PLANE(quants)
#define BITS_FIELDS NIBBLES_FIELDS
#define LOAD_BITS(c, cell, at) LOAD_NIBBLES(c, cell, at)
