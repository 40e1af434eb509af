// F16 (see dot_nibbles.cl): weights are read as they are needed, no block has a scale.

#define SUB_BLOCKS 1
#define CENTRE 0

#define FURTHER_PLANES(plane)
typedef struct {
    uint cell;
    place_t at;
} cell_t;
#define LOAD_CELL(c, of, in_tile) \
    c.cell = of;                  \
    c.at = in_tile;
#define SCALES(c) (float2)(1.0f)
#define NEXT_QUARTER(c) c.at += place_of(2u * TILE_PAIRS);
#define NEXT_HALF(c) if (TURN_QUADS > 2) c.at += place_of(4u * TILE_PAIRS);
#define ROWS(c, k, even, odd)                                  \
    {                                                          \
        even = PLANE_HALF4(quants, c.cell, 16, k, c.at);       \
        odd = PLANE_HALF4(quants, c.cell, 16, (k) + 8, c.at);  \
    }
