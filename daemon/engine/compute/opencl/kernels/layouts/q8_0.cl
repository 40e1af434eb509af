// The quants and scales of Q8_0: weight = d * quant. The bytes are signed.

#define BYTE_QUANTS_BY_ROW 1
#define SUB_BLOCKS 1
#define ZERO_POINT 0
#define FURTHER_ARRAYS(array) array(scales, quants, 4 * 16)

#if IMAGE
// Texels are four signed normalised bytes, quant / 127, and are read as they are needed. Cells are fewer than 2^24;
// compilers leave a mad24 as it is, so that a texel's index is one addition.
typedef struct {
    uint first;
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                      \
    c.first = mad24((block), 16u * TILE_PAIRS, (at)); \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) (c.scale * 127.0f)
#define NEXT_QUARTER(c) c.first += 2u * TILE_PAIRS;
#define NEXT_HALF(c) if (UNROLLED_VEC4S > 2) c.first += 4u * TILE_PAIRS;
#define ROWS(c, k, even, odd)                                            \
    {                                                                    \
        even = LOAD_NORMALISED(quants, c.first + (k)*TILE_PAIRS);        \
        odd = LOAD_NORMALISED(quants, c.first + ((k) + 8) * TILE_PAIRS); \
    }
#else
typedef struct {
    uint4 even_0, even_1, odd_0, odd_1;
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                    \
    c.even_0 = LOAD_UINT4(quants, block, 4, 0, at); \
    c.even_1 = LOAD_UINT4(quants, block, 4, 1, at); \
    c.odd_0 = LOAD_UINT4(quants, block, 4, 2, at);  \
    c.odd_1 = LOAD_UINT4(quants, block, 4, 3, at);  \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) c.scale
#define NEXT_QUARTER(c)        \
    c.even_0.xy = c.even_0.zw; \
    c.odd_0.xy = c.odd_0.zw;
#define NEXT_HALF(c)     \
    c.even_0 = c.even_1; \
    c.odd_0 = c.odd_1;
#define ROWS(c, k, even, odd)                                   \
    {                                                           \
        even = convert_float4(as_char4(VEC4_OF_##k(c.even_0))); \
        odd = convert_float4(as_char4(VEC4_OF_##k(c.odd_0)));   \
    }
#define BYTE_QUANTS(c, k, first, second) \
    {                                  \
        first = VEC4_OF_##k(c.even_0); \
        second = VEC4_OF_##k(c.odd_0); \
    }
#define VEC4_OF_0(vec4s) vec4s.x
#define VEC4_OF_1(vec4s) vec4s.y
#define VEC4_OF_2(vec4s) vec4s.z
#define VEC4_OF_3(vec4s) vec4s.w
#endif
