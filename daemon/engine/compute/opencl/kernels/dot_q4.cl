// Q4_0, Q4_1, Q4_K (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 8
#define SUM_QUADS 8

#define DUAL(c, k)                                                                                   \
    (int4)(NIBBLE(NIBBLE_WORD(c, k), 0), NIBBLE(NIBBLE_WORD(c, k), 1), NIBBLE(NIBBLE_WORD(c, k), 2), \
           NIBBLE(NIBBLE_WORD(c, k), 3))
// Columns 0 and 2 of both rows are bytes of the word, columns 1 and 3 those of the word shifted.
#define ROWS(c, k, even, odd)                                                      \
    {                                                                              \
        const float4 first = convert_float4(as_uchar4(NIBBLE_WORD(c, k) & 0x0f0f0f0fu));         \
        const float4 second = convert_float4(as_uchar4((NIBBLE_WORD(c, k) >> 4) & 0x0f0f0f0fu)); \
        even = (float4)(first.x, second.x, first.y, second.y);                                   \
        odd = (float4)(first.z, second.z, first.w, second.w);                                    \
    }
#define BITS_PLANES(plane, name) plane(name, quants, 2 * 16)
#define BITS_FIELDS NIBBLES_FIELDS
#define LOAD_BITS(c, cell, at) LOAD_NIBBLES(c, cell, at)
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)
