// F16 (see dot_nibbles.cl): weights are read as they are needed, no block has a scale.

#define SUB_BLOCKS 1
#define CENTRE 0

#define PLANE_ARGS PLANE(quants)
typedef struct {
    uint first;
} cell_t;
#define LOAD_CELL(c, cell, at) c.first = ELEMENT(cell, 16, 0, at);
#define SCALES(c, sub) (float2)(1.0f)
#define ROWS(c, k, even, odd)                                        \
    {                                                                \
        even = PLANE_HALF4(quants, c.first + (k)*TILE_PAIRS);        \
        odd = PLANE_HALF4(quants, c.first + ((k) + 8) * TILE_PAIRS); \
    }
