// The quants of F16 are the weights. They are read as they are needed; no block has a scale.

#define SUB_BLOCKS 1
#define ZERO_POINT 0

#define FURTHER_ARRAYS(array)
typedef struct {
    uint block;
    place_t at;
} block_t;
#define LOAD_BLOCK(c, of, in_tile) \
    c.block = of;                  \
    c.at = in_tile;
#define SCALES(c) (float2)(1.0f)
#define NEXT_QUARTER(c) c.at += place_of(2u * TILE_PAIRS);
#define NEXT_HALF(c) if (UNROLLED_VEC4S > 2) c.at += place_of(4u * TILE_PAIRS);
#define ROWS(c, k, even, odd)                                 \
    {                                                         \
        even = LOAD_HALF4(quants, c.block, 16, k, c.at);      \
        odd = LOAD_HALF4(quants, c.block, 16, (k) + 8, c.at); \
    }
