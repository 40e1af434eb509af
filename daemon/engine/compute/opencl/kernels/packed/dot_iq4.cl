// IQ4_NL (see dot_nibbles.cl): nibbles that stand for one of sixteen levels.

#define SUB_BLOCKS 1
#define CENTRE 0

__constant float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
#define LAYOUT_LOCAL           \
    __local float levels[16]; \
    for (uint i = ITEM; i < 16; i += ITEMS) levels[i] = kLevels[i];

#define PLANE_ARGS PLANE(quants), PLANE(scales)
typedef struct {
    NIBBLES_FIELDS
    float2 scale;
} cell_t;
#define LOAD_CELL(c, cell, at) \
    LOAD_NIBBLES(c, cell, at)  \
    c.scale = PLANE_HALF2(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(c, sub) c.scale
#define LEVEL(word, i) levels[((word) >> (4 * (i))) & 15u]
#define ROWS(c, k, even, odd)                                                         \
    {                                                                                 \
        const uint word = NIBBLE_WORD(c, k);                                          \
        even = (float4)(LEVEL(word, 0), LEVEL(word, 1), LEVEL(word, 2), LEVEL(word, 3)); \
        odd = (float4)(LEVEL(word, 4), LEVEL(word, 5), LEVEL(word, 6), LEVEL(word, 7));  \
    }
