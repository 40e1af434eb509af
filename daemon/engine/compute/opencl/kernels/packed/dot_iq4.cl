// IQ4_NL (see dot_nibbles.cl): nibbles that stand for one of sixteen levels.

#define SUB_BLOCKS 1
#define CENTRE 0

__constant float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
#define LAYOUT_LOCAL           \
    __local float levels[16]; \
    for (uint i = ITEM; i < 16; i += ITEMS) levels[i] = kLevels[i];

#define PLANE_ARGS PLANE(quants), PLANE(scales)
#define CELL_DECLARE NIBBLES_DECLARE float2 scale[PAIRS];
#define CELL_LOAD(j, cell, at) \
    NIBBLES_LOAD(j, cell, at)  \
    scale[j] = PLANE_HALF2(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(j, sub) scale[j]
#define LEVEL(w, i) levels[((w) >> (4 * (i))) & 15u]
#define ROWS(j, k, even, odd)                                                         \
    {                                                                                 \
        const uint w = NIBBLE_WORD(j, k);                                             \
        even = (float4)(LEVEL(w, 0), LEVEL(w, 1), LEVEL(w, 2), LEVEL(w, 3));          \
        odd = (float4)(LEVEL(w, 4), LEVEL(w, 5), LEVEL(w, 6), LEVEL(w, 7));           \
    }
