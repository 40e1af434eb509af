// The quants of Q4_0, Q4_1 and Q4_K, behind nibbles.cl; a file with their scales follows.

#define SUB_BLOCKS 1
#define ZERO_POINT 8
#define SUM_VEC4S 8

#define DUAL(c, k)                                                                                   \
    (int4)(NIBBLE(NIBBLE_WORD(c, k), 0), NIBBLE(NIBBLE_WORD(c, k), 1), NIBBLE(NIBBLE_WORD(c, k), 2), \
           NIBBLE(NIBBLE_WORD(c, k), 3))
#define BYTE_QUANTS(c, k, first, second)       \
    {                                          \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)); \
    }
#define ROWS(c, k, even, odd)                                                                    \
    {                                                                                            \
        const float4 first = convert_float4(as_uchar4(EVEN_NIBBLES(NIBBLE_WORD(c, k))));         \
        const float4 second = convert_float4(as_uchar4(ODD_NIBBLES(NIBBLE_WORD(c, k))));         \
        even = (float4)(first.x, second.x, first.y, second.y);                                   \
        odd = (float4)(first.z, second.z, first.w, second.w);                                    \
    }
#define BITS_ARRAYS(array, name) array(name, quants, 2 * 16)
#define BITS_FIELDS NIBBLES_FIELDS
#define LOAD_BITS(c, block, at) LOAD_NIBBLES(c, block, at)
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)
