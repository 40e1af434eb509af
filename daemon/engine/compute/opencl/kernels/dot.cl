// Reading weights. A layout stores them as a structure of arrays (layout.h); LOAD_* reads element `word` of the `words`
// that a row pair has in an entry. `entry` counts the array's entries over all tiles, `at` is the place_of() a pair in its
// tile.
//
// FURTHER_ARRAYS(array) of a layout is array(name, before, bytes) for each array behind the quants: its name, the array
// before it, and the bytes that a pair has in an entry of that one.
//
// Options: IMAGE    1: the arrays are image1d_buffers, one texel an element (layout.h has the formats); 0: they lie in one
//                   buffer, one behind the other, since drivers take longer to enqueue a kernel the more buffers it has
//          SEGMENT  1: the buffer lies in one address segment of 4 GiB (weight_addressing.h), so that 32-bit additions
//                   compute an address: for GPUs that add 64 bits in several instructions

#if SEGMENT
typedef uint4 place_t;  // in elements of 1, 4, 8 and 16 bytes: compilers leave a shift in the loop where it is written
INLINE place_t place_of(uint in_tile) { return in_tile * (uint4)(1, 4, 8, 16); }
#else
typedef uint place_t;
#define place_of(in_tile) (in_tile)
#endif

#if IMAGE
#define WEIGHT_ARG(name, before, bytes) , __read_only image1d_buffer_t name
#define WEIGHT_ARGS __read_only image1d_buffer_t quants FURTHER_ARRAYS(WEIGHT_ARG)
#define FIND_ARRAYS(entries)
#define TEXEL(entry, words, word, at) (int)((entry) * ((words)*TILE_PAIRS) + (at) + (word)*TILE_PAIRS)
#define LOAD_UINT4(name, entry, words, word, at) read_imageui(name, TEXEL(entry, words, word, at))
#define LOAD_UINT2(name, entry, words, word, at) read_imageui(name, TEXEL(entry, words, word, at)).xy
#define LOAD_CHAR4(name, entry, words, word, at) read_imagei(name, TEXEL(entry, words, word, at))
#define LOAD_UCHAR4(name, entry, words, word, at) read_imageui(name, TEXEL(entry, words, word, at))
#define LOAD_NORMALISED(name, texel) read_imagef(name, (int)(texel))
#define LOAD_HALF2(name, entry, words, word, at) read_imagef(name, TEXEL(entry, words, word, at)).xy
#define LOAD_HALF4(name, entry, words, word, at) read_imagef(name, TEXEL(entry, words, word, at))
#else
#define WEIGHT_ARGS __global const uchar* quants
#define ARRAY_BEHIND(name, before, bytes) \
    __global const uchar* const name = before + array_entries * (TILE_PAIRS * (bytes));
// A kernel finds the arrays once, at its start; `entries` are those of all tiles.
#define FIND_ARRAYS(entries)            \
    const uint array_entries = entries; \
    FURTHER_ARRAYS(ARRAY_BEHIND)
#define TILE_WORD(bytes, entry, words, word) (((entry) * (words) + (word)) * (TILE_PAIRS * (bytes)))
#if SEGMENT
INLINE __global const uchar* in_segment(__global const uchar* array, uint offset) {
    const uint2 halves = as_uint2((ulong)array);
    return (__global const uchar*)as_ulong((uint2)(halves.x + offset, halves.y));
}
#define BYTES_TO_4(at) (at).y
#define BYTES_TO_8(at) (at).z
#define BYTES_TO_16(at) (at).w
#define ARRAY_AT(type, bytes, name, entry, words, word, at) \
    (*(__global const type*)in_segment(name, TILE_WORD(bytes, entry, words, word) + BYTES_TO_##bytes(at)))
#else
#define ARRAY_AT(type, bytes, name, entry, words, word, at) \
    ((__global const type*)((name) + TILE_WORD(bytes, entry, words, word)))[at]
#endif
#define LOAD_UINT4(name, entry, words, word, at) ARRAY_AT(uint4, 16, name, entry, words, word, at)
#define LOAD_UINT2(name, entry, words, word, at) ARRAY_AT(uint2, 8, name, entry, words, word, at)
#define LOAD_CHAR4(name, entry, words, word, at) convert_int4(ARRAY_AT(char4, 4, name, entry, words, word, at))
#define LOAD_UCHAR4(name, entry, words, word, at) convert_uint4(ARRAY_AT(uchar4, 4, name, entry, words, word, at))
// This is one load; a vloada_half2 becomes two.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOAD_HALF2(name, entry, words, word, at) convert_float2(as_half2(ARRAY_AT(uint, 4, name, entry, words, word, at)))
#define LOAD_HALF4(name, entry, words, word, at) convert_float4(as_half4(ARRAY_AT(uint2, 8, name, entry, words, word, at)))
#else
#define LOAD_HALF2(name, entry, words, word, at) \
    vloada_half2(0, (__global const half*)&ARRAY_AT(uint, 4, name, entry, words, word, at))
#define LOAD_HALF4(name, entry, words, word, at) \
    vloada_half4(0, (__global const half*)&ARRAY_AT(uint2, 8, name, entry, words, word, at))
#endif
#endif

// The option LAYOUT_* selects what matmul.cl and embed.cl multiply by, as macros over a block (the registers of one pair and
// one block) and the vec4 k (columns 4 k to 4 k + 3 of the part of the block that comes next; a literal, 0 to 3, or 0 or 1
// in a quarter):
//
//     FURTHER_ARRAYS(array)  see above
//     block_t, LOAD_BLOCK(c, block, at)
//     DUAL(c, k)             int4, for each column quant(even row) + 65536 quant(odd row)
//     ROWS(c, k, even, odd)  sets two float4 to the quants of each row, if that is shorter than to make them of DUAL's; or,
//                            in place of DUAL where a layout has no integer quants, to its weights without their scale
//     BYTE_QUANTS(c, k, first, second) sets two uint to the quants as bytes, where a layout has such: first to columns 0 and 2 of
//                            the even row and of the odd one, second to columns 1 and 3; or, if BYTE_QUANTS_BY_ROW, first to the
//                            even row and second to the odd one
//     SCALES(c)              float2, the scales of both rows in the sub-block that vec4 0 is in
//     MINS(c)                float2, what is added to every weight, if HAS_MIN
//     NEXT_QUARTER(c)        goes on to the other quarter of a half
//     NEXT_HALF(c)           goes on to the second half, from the first or from behind its quarters
//     LAYOUT_LOCAL           local memory and what fills it, if any
//     SUB_BLOCKS             parts of a block with a scale of their own, 1 or 2
//     ZERO_POINT             is taken from every quant to keep sums small; weight = scale * (quant - ZERO_POINT), or
//                            scale * quant + min
//     SUM_VEC4S              vec4s whose products of (quant - ZERO_POINT) and a byte up to 127 sum up to 16 bits:
//                            2^15 / (ZERO_POINT * 127) / 4

#ifdef LAYOUT_Q8_0
#define BYTE_QUANTS_BY_ROW 1
#endif

// The layouts of 4 to 6 bits share the low nibbles of a row pair.
#define NIBBLES_FIELDS uint4 quants_0, quants_1;
#define LOAD_NIBBLES(c, block, at)                    \
    c.quants_0 = LOAD_UINT4(quants, block, 2, 0, at); \
    c.quants_1 = LOAD_UINT4(quants, block, 2, 1, at);

#define NIBBLE_WORD(c, k) NIBBLE_WORD_##k(c)
#define NIBBLE_WORD_0(c) c.quants_0.x
#define NIBBLE_WORD_1(c) c.quants_0.y
#define NIBBLE_WORD_2(c) c.quants_0.z
#define NIBBLE_WORD_3(c) c.quants_0.w
#define NEXT_QUARTER_NIBBLES(c) c.quants_0.xy = c.quants_0.zw;
#define NEXT_HALF_NIBBLES(c) c.quants_0 = c.quants_1;

// As bytes, columns 0 and 2 of both rows, or 1 and 3, are in one word.
#define EVEN_NIBBLES(w) ((w) & 0x0f0f0f0fu)
#define ODD_NIBBLES(w) (((w) >> 4) & 0x0f0f0f0fu)
// Column i of a word.
#define NIBBLE(w, i) (((w) >> (4 * (i))) & 0x000f000fu)

#if defined(LAYOUT_Q4_0) || defined(LAYOUT_Q4_1) || defined(LAYOUT_Q4_K)

#define SUB_BLOCKS 1
#define ZERO_POINT 8
#define SUM_VEC4S 8

#define DUAL(c, k)                                                                                   \
    (int4)(NIBBLE(NIBBLE_WORD(c, k), 0), NIBBLE(NIBBLE_WORD(c, k), 1), NIBBLE(NIBBLE_WORD(c, k), 2), \
           NIBBLE(NIBBLE_WORD(c, k), 3))
#define BYTE_QUANTS(c, k, first, second)       \
    {                                          \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)); \
    }
#define ROWS(c, k, even, odd)                                                                    \
    {                                                                                            \
        const float4 first = convert_float4(as_uchar4(EVEN_NIBBLES(NIBBLE_WORD(c, k))));         \
        const float4 second = convert_float4(as_uchar4(ODD_NIBBLES(NIBBLE_WORD(c, k))));         \
        even = (float4)(first.x, second.x, first.y, second.y);                                   \
        odd = (float4)(first.z, second.z, first.w, second.w);                                    \
    }
#define BITS_ARRAYS(array, name) array(name, quants, 2 * 16)
#define BITS_FIELDS NIBBLES_FIELDS
#define LOAD_BITS(c, block, at) LOAD_NIBBLES(c, block, at)
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)

#elif defined(LAYOUT_Q5_0) || defined(LAYOUT_Q5_1) || defined(LAYOUT_Q5_K)

#define SUB_BLOCKS 1
#define ZERO_POINT 16
#define SUM_VEC4S 4

// FIFTH brings the fifth bit of column i (of the 16 that a word of the array holds) to bit 4 of both halves.
#define FIFTH(word, i) (((i) < 4 ? (word) << ((4 - (i)) & 31) : (word) >> (((i)-4) & 31)) & 0x00100010u)
#define FIVE_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | FIFTH(c.fifth.x, 4 * (k) + (i)))
#define DUAL(c, k) (int4)(FIVE_BITS(c, k, 0), FIVE_BITS(c, k, 1), FIVE_BITS(c, k, 2), FIVE_BITS(c, k, 3))
// FIFTHS brings the fifth bits of two columns, the first of them at bit `at` of both halves, to bits 4 and 12.
#define FIFTHS(word, at) (((word) << (4 - (at)) & 0x00100010u) | ((word) << (10 - (at)) & 0x10001000u))
#define BYTE_QUANTS(c, k, first, second)                             \
    {                                                                \
        const uint fifths = c.fifth.x >> (4 * (k));                  \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)) | FIFTHS(fifths, 0); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)) | FIFTHS(fifths, 1); \
    }

#define BITS_ARRAYS(array, name) array(high, quants, 2 * 16) array(name, high, 8)
#define BITS_FIELDS NIBBLES_FIELDS uint2 fifth;
#define LOAD_BITS(c, block, at) \
    LOAD_NIBBLES(c, block, at)  \
    c.fifth = LOAD_UINT2(high, block, 1, 0, at);
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.fifth.x >>= 8;
#define NEXT_HALF(c)     \
    NEXT_HALF_NIBBLES(c) \
    c.fifth.x = c.fifth.y;

#elif defined(LAYOUT_Q6_K)

#define SUB_BLOCKS 2
#define ZERO_POINT 32
#define SUM_VEC4S 2

// HIGH_TWO brings the two high bits of column i (of the 8 that a word of the array holds) to bit 4 of both halves.
#define HIGH_TWO(word, i) \
    (((i) < 2 ? (word) << ((4 - 2 * (i)) & 31) : (word) >> ((2 * (i)-4) & 31)) & 0x00300030u)
#define HIGH_WORD(c, k) ((k) < 2 ? c.high_two.x : c.high_two.y)
#define SIX_BITS(c, k, i) (NIBBLE(NIBBLE_WORD(c, k), i) | HIGH_TWO(HIGH_WORD(c, k), 4 * ((k) % 2) + (i)))
#define DUAL(c, k) (int4)(SIX_BITS(c, k, 0), SIX_BITS(c, k, 1), SIX_BITS(c, k, 2), SIX_BITS(c, k, 3))
// HIGH_TWOS brings the high bits of two columns, the first of them at bit `at` of both halves, to bits 4 and 12.
#define HIGH_TWOS(word, at) (((word) << (4 - (at)) & 0x00300030u) | ((word) << (8 - (at)) & 0x30003000u))
#define BYTE_QUANTS(c, k, first, second)                              \
    {                                                                 \
        const uint highs = HIGH_WORD(c, k) >> (8 * ((k) % 2));        \
        first = EVEN_NIBBLES(NIBBLE_WORD(c, k)) | HIGH_TWOS(highs, 0); \
        second = ODD_NIBBLES(NIBBLE_WORD(c, k)) | HIGH_TWOS(highs, 2); \
    }

#define FURTHER_ARRAYS(array) array(high, quants, 2 * 16) array(scales, high, 16) array(super_scales, scales, 4)
typedef struct {
    NIBBLES_FIELDS
    uint4 high_two;
    int4 sub_scales;
    float2 super_scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                        \
    LOAD_NIBBLES(c, block, at)                          \
    c.high_two = LOAD_UINT4(high, block, 1, 0, at);     \
    c.sub_scales = LOAD_CHAR4(scales, block, 1, 0, at); \
    c.super_scale = LOAD_HALF2(super_scales, (block) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale * convert_float2(c.sub_scales.xy))
#define NEXT_QUARTER(c)     \
    NEXT_QUARTER_NIBBLES(c) \
    c.high_two.x = c.high_two.y;
#define NEXT_HALF(c)               \
    NEXT_HALF_NIBBLES(c)           \
    c.high_two.xy = c.high_two.zw; \
    c.sub_scales.xy = c.sub_scales.zw;

#elif defined(LAYOUT_IQ4_NL) || defined(LAYOUT_IQ4_XS)
// A nibble stands for one of sixteen levels.

#define SUB_BLOCKS 1
#define ZERO_POINT 0

__constant float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
// The table gives two neighbouring columns at once, by the byte that holds them.
#define LAYOUT_LOCAL            \
    __local float2 levels[256]; \
    for (uint i = ITEM; i < 256; i += ITEMS) levels[i] = (float2)(kLevels[i % 16], kLevels[i / 16]);

#ifdef LAYOUT_IQ4_NL
#define FURTHER_ARRAYS(array) array(scales, quants, 2 * 16)
typedef struct {
    NIBBLES_FIELDS
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_NIBBLES(c, block, at)   \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) c.scale
#else
// Two blocks share an element of scales. Rows have an even number of blocks, since 256 columns share a super-block scale.
#define FURTHER_ARRAYS(array) array(scales, quants, 2 * 16) array(super_scales, scales, 2)
typedef struct {
    NIBBLES_FIELDS
    int4 sub_scales;
    float2 super_scale;
    uint is_second;
} block_t;
#define LOAD_BLOCK(c, block, at)                                      \
    LOAD_NIBBLES(c, block, at)                                        \
    c.sub_scales = LOAD_CHAR4(scales, (block) / 2u, 1, 0, at);        \
    c.super_scale = LOAD_HALF2(super_scales, (block) / 8u, 1, 0, at); \
    c.is_second = (block) % 2u;
#define SCALES(c) (c.super_scale * convert_float2(c.is_second != 0 ? c.sub_scales.zw : c.sub_scales.xy))
#endif
#define NEXT_QUARTER(c) NEXT_QUARTER_NIBBLES(c)
#define NEXT_HALF(c) NEXT_HALF_NIBBLES(c)
// The byte is brought to bit 3, where it is an address at once.
#define LEVELS(word, i)                                     \
    *(__local const float2*)((__local const uchar*)levels + \
                             (((i) == 0 ? (word) << 3 : (word) >> ((8 * (i)-3) & 31)) & 0x7f8u))
#define ROWS(c, k, even, odd)                              \
    {                                                      \
        const uint word = NIBBLE_WORD(c, k);               \
        even = (float4)(LEVELS(word, 0), LEVELS(word, 1)); \
        odd = (float4)(LEVELS(word, 2), LEVELS(word, 3));  \
    }

#elif defined(LAYOUT_Q8_0)

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

#elif defined(LAYOUT_F16)
// Weights are read as they are needed; no block has a scale.

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

#endif

#ifdef BITS_ARRAYS
// The scales and minima of the layouts of 4 and 5 bits.

#if defined(LAYOUT_Q4_0) || defined(LAYOUT_Q5_0)
#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales)
typedef struct {
    BITS_FIELDS
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_BITS(c, block, at)      \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) c.scale

#elif defined(LAYOUT_Q4_1) || defined(LAYOUT_Q5_1)
#define HAS_MIN 1
#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales)
typedef struct {
    BITS_FIELDS
    float4 scale_min;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_BITS(c, block, at)      \
    c.scale_min = LOAD_HALF4(scales, block, 1, 0, at);
#define SCALES(c) c.scale_min.xy
#define MINS(c) c.scale_min.zw

#else
// Q4_K, Q5_K: d * scale * quant - dmin * min, every multiplication exact.
#define HAS_MIN 1
#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales) array(super_scales, scales, 4)
typedef struct {
    BITS_FIELDS
    uint4 sub_scales;
    float4 super_scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                         \
    LOAD_BITS(c, block, at)                              \
    c.sub_scales = LOAD_UCHAR4(scales, block, 1, 0, at); \
    c.super_scale = LOAD_HALF4(super_scales, (block) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale.xy * convert_float2(c.sub_scales.xy))
#define MINS(c) (-c.super_scale.zw * convert_float2(c.sub_scales.zw))
#endif
#endif
