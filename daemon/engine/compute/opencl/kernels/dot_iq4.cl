// IQ4_NL (see dot_nibbles.cl): nibbles that stand for one of sixteen levels.

#define SUB_BLOCKS 1
#define CENTRE 0

__constant float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
// Two neighbouring columns at once, by the byte that holds them.
#define LAYOUT_LOCAL             \
    __local float2 levels[256]; \
    for (uint i = ITEM; i < 256; i += ITEMS) levels[i] = (float2)(kLevels[i % 16], kLevels[i / 16]);

#define FURTHER_PLANES(plane) plane(scales, quants, 2 * 16)
typedef struct {
    NIBBLES_FIELDS
    float2 scale;
} cell_t;
#define LOAD_CELL(c, cell, at) \
    LOAD_NIBBLES(c, cell, at)  \
    c.scale = PLANE_HALF2(scales, cell, 1, 0, at);
#define SCALES(c) c.scale
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)
// The byte brought to bit 3: an address at once.
#define LEVELS(word, i) \
    *(__local const float2*)((__local const uchar*)levels + (((i) == 0 ? (word) << 3 : (word) >> ((8 * (i)-3) & 31)) & 0x7f8u))
#define ROWS(c, k, even, odd)                                 \
    {                                                         \
        const uint word = NIBBLE_WORD(c, k);                  \
        even = (float4)(LEVELS(word, 0), LEVELS(word, 1)); \
        odd = (float4)(LEVELS(word, 2), LEVELS(word, 3));  \
    }
