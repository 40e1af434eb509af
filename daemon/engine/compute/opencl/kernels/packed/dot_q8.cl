// Q8_0 (see dot_nibbles.cl).

#define SUB_BLOCKS 1
#define CENTRE 0
#define PLANE_ARGS PLANE(quants), PLANE(scales)

#if IMAGE
// Texels of four signed normalised bytes, code / 127.
#define CELL_DECLARE uint first[PAIRS]; float2 scale[PAIRS];
#define CELL_LOAD(j, cell, at)           \
    first[j] = ELEMENT(cell, 16, 0, at); \
    scale[j] = PLANE_HALF2(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(j, sub) (scale[j] * 127.0f)
#define ROWS(j, k, even, odd)                                                 \
    {                                                                         \
        even = PLANE_NORMALISED(quants, first[j] + (k)*TILE_PAIRS);           \
        odd = PLANE_NORMALISED(quants, first[j] + ((k) + 8) * TILE_PAIRS);    \
    }
#else
#define CELL_DECLARE uint4 even_0[PAIRS], even_1[PAIRS], odd_0[PAIRS], odd_1[PAIRS]; float2 scale[PAIRS];
#define CELL_LOAD(j, cell, at)                                \
    even_0[j] = PLANE_UINT4(quants, ELEMENT(cell, 4, 0, at)); \
    even_1[j] = PLANE_UINT4(quants, ELEMENT(cell, 4, 1, at)); \
    odd_0[j] = PLANE_UINT4(quants, ELEMENT(cell, 4, 2, at));  \
    odd_1[j] = PLANE_UINT4(quants, ELEMENT(cell, 4, 3, at));  \
    scale[j] = PLANE_HALF2(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(j, sub) scale[j]

#define ROWS(j, k, even, odd) \
    { \
    even = convert_float4(as_char4(QUAD_OF(k, even_0[j], even_1[j]))); \
    odd = convert_float4(as_char4(QUAD_OF(k, odd_0[j], odd_1[j]))); \
    }
#define QUAD_OF(k, low, high) QUAD_OF_##k(low, high)
#define QUAD_OF_0(low, high) low.x
#define QUAD_OF_1(low, high) low.y
#define QUAD_OF_2(low, high) low.z
#define QUAD_OF_3(low, high) low.w
#define QUAD_OF_4(low, high) high.x
#define QUAD_OF_5(low, high) high.y
#define QUAD_OF_6(low, high) high.z
#define QUAD_OF_7(low, high) high.w
#endif
