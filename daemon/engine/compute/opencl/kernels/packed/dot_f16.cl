// F16 (see dot_nibbles.cl): weights are loaded as they are needed, no block has a scale.

#define SUB_BLOCKS 1
#define CENTRE 0

#define PLANE_ARGS PLANE(quants)
#define CELL_DECLARE uint first[PAIRS];
#define CELL_LOAD(j, cell, at) first[j] = ELEMENT(cell, 8, 0, at);
#define SCALES(j, sub) (float2)(1.0f)
// Quad k of a row is one half of a uint4.
#define QUARTER(j, k, row) ((first[j] + ((row)*4 + (k) / 2) * TILE_PAIRS) * 2 + (k) % 2)
#define ROWS(j, k, even, odd) \
    { \
    even = PLANE_HALF4(quants, QUARTER(j, k, 0)); \
    odd = PLANE_HALF4(quants, QUARTER(j, k, 1)); \
    }
