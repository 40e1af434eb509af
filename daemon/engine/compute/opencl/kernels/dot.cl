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

// The sources of layouts/ that follow have what matmul.cl and embed.cl multiply by, as macros over a block (the registers
// of one pair and one block) and the vec4 k (columns 4 k to 4 k + 3 of the part of the block that comes next; a literal,
// 0 to 3, or 0 or 1 in a quarter):
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
