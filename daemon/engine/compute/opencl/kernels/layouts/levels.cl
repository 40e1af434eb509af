// The quants of IQ4_NL and IQ4_XS, behind nibbles.cl: a nibble stands for one of sixteen levels. A file with their scales
// follows.

#define SUB_BLOCKS 1
#define ZERO_POINT 0

__constant float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
// The table gives two neighbouring columns at once, by the byte that holds them.
#define LAYOUT_LOCAL            \
    __local float2 levels[256]; \
    for (uint i = ITEM; i < 256; i += ITEMS) levels[i] = (float2)(kLevels[i % 16], kLevels[i / 16]);

#define BITS_ARRAYS(array, name) array(name, quants, 2 * 16)
#define BITS_FIELDS NIBBLES_FIELDS
#define LOAD_BITS(c, block, at) LOAD_NIBBLES(c, block, at)
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)
// The byte is brought to bit 3, where it is an address at once.
#define LEVELS(word, i)                                     \
    *(__local const float2*)((__local const uchar*)levels + \
                             (((i) == 0 ? (word) << 3 : (word) >> ((8 * (i)-3) & 31)) & 0x7f8u))
#define ROWS(c, k, even, odd)                              \
    {                                                      \
        const uint word = NIBBLE_WORD(c, k);               \
        even = (float4)(LEVELS(word, 0), LEVELS(word, 1)); \
        odd = (float4)(LEVELS(word, 2), LEVELS(word, 3));  \
    }
