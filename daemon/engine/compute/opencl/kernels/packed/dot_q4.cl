// Q4_0, Q4_1, Q4_K (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 8
#define SUM_QUADS 8

#define DUAL(j, k)                                                                                          \
    (int4)(NIBBLE(NIBBLE_WORD(j, k), 0), NIBBLE(NIBBLE_WORD(j, k), 1), NIBBLE(NIBBLE_WORD(j, k), 2), \
           NIBBLE(NIBBLE_WORD(j, k), 3))
#define BITS_ARGS PLANE(quants)
#define BITS_DECLARE NIBBLES_DECLARE
#define BITS_LOAD(j, cell, at) NIBBLES_LOAD(j, cell, at)
