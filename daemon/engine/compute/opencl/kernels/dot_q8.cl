// Q8_0 (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 0
#define FURTHER_PLANES(plane) plane(scales, quants, 4 * 16)

#if IMAGE
// Texels of four signed normalised bytes, code / 127, read as they are needed.
// Cells are fewer than 2^24; compilers leave what mad24 gives as it is, so a texel's index is one addition.
typedef struct {
    uint first;
    float2 scale;
} cell_t;
#define LOAD_CELL(c, cell, at)                      \
    c.first = mad24((cell), 16u * TILE_PAIRS, (at)); \
    c.scale = PLANE_HALF2(scales, cell, 1, 0, at);
#define SCALES(c) (c.scale * 127.0f)
#define NEXT_QUARTER(c) c.first += 2u * TILE_PAIRS;
#define NEXT_HALF(c) if (TURN_QUADS > 2) c.first += 4u * TILE_PAIRS;
#define ROWS(c, k, even, odd)                                             \
    {                                                                     \
        even = PLANE_NORMALISED(quants, c.first + (k)*TILE_PAIRS);        \
        odd = PLANE_NORMALISED(quants, c.first + ((k) + 8) * TILE_PAIRS); \
    }
#else
typedef struct {
    uint4 even_0, even_1, odd_0, odd_1;
    float2 scale;
} cell_t;
#define LOAD_CELL(c, cell, at)                               \
    c.even_0 = PLANE_UINT4(quants, cell, 4, 0, at); \
    c.even_1 = PLANE_UINT4(quants, cell, 4, 1, at); \
    c.odd_0 = PLANE_UINT4(quants, cell, 4, 2, at);  \
    c.odd_1 = PLANE_UINT4(quants, cell, 4, 3, at);  \
    c.scale = PLANE_HALF2(scales, cell, 1, 0, at);
#define SCALES(c) c.scale
#define NEXT_QUARTER(c)          \
    c.even_0.xy = c.even_0.zw; \
    c.odd_0.xy = c.odd_0.zw;
#define NEXT_HALF(c)     \
    c.even_0 = c.even_1; \
    c.odd_0 = c.odd_1;
#define ROWS(c, k, even, odd)                                                \
    {                                                                        \
        even = convert_float4(as_char4(QUAD_OF_##k(c.even_0)));  \
        odd = convert_float4(as_char4(QUAD_OF_##k(c.odd_0)));    \
    }
#define QUAD_OF_0(quads) quads.x
#define QUAD_OF_1(quads) quads.y
#define QUAD_OF_2(quads) quads.z
#define QUAD_OF_3(quads) quads.w
#endif
