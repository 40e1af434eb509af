// F16 (see dot_nibbles.cl): weights are loaded as they are needed, no block has a scale.

#define SUB_BLOCKS 1
#define CENTRE 0

#define PLANE_ARGS PLANE(quants)
#define CELL_DECLARE uint first[PAIRS];
#define CELL_LOAD(j, cell, at) first[j] = ELEMENT(cell, 16, 0, at);
#define SCALES(j, sub) (float2)(1.0f)
#define ROWS(j, k, even, odd)                                             \
    {                                                                     \
        even = PLANE_HALF4(quants, first[j] + (k)*TILE_PAIRS);            \
        odd = PLANE_HALF4(quants, first[j] + ((k) + 8) * TILE_PAIRS);     \
    }
