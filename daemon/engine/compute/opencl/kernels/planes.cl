// Reading the planes of packed weights (layout.h): word `word` of the `words` that a pair has in a cell. `cell` counts the
// plane's cells over all tiles, `at` is the place_of() a pair in its tile.
//
// A layout's FURTHER_PLANES(plane) is plane(name, before, bytes) for each plane behind the quants: the one before it, and
// what a pair has in a cell of that one.
//
// Options: IMAGE   1: planes are image1d_buffers, one texel an element (layout.h says of which format); 0: they lie in one
//                  buffer, one behind the other, since drivers take longer to enqueue a kernel the more buffers it has
//          WINDOW  1: the buffer does not lie across a border of 4 GiB (window_probe.h), so that an address is found by
//                  additions of 32 bits: for GPUs that add 64 bits in pieces

#define TILE_PAIRS 32u

#if WINDOW
typedef uint4 place_t;  // in elements of 1, 4, 8 and 16 bytes: compilers leave a shift in the loop where it is written
INLINE place_t place_of(uint in_tile) { return in_tile * (uint4)(1, 4, 8, 16); }
#else
typedef uint place_t;
#define place_of(in_tile) (in_tile)
#endif

#if IMAGE
#define PLANE_ARG(name, before, bytes) , __read_only image1d_buffer_t name
#define PLANE_ARGS __read_only image1d_buffer_t quants FURTHER_PLANES(PLANE_ARG)
#define FIND_PLANES(cells)
#define TEXEL(cell, words, word, at) (int)((cell) * ((words)*TILE_PAIRS) + (at) + (word)*TILE_PAIRS)
#define PLANE_UINT4(name, cell, words, word, at) read_imageui(name, TEXEL(cell, words, word, at))
#define PLANE_UINT2(name, cell, words, word, at) read_imageui(name, TEXEL(cell, words, word, at)).xy
#define PLANE_CHAR4(name, cell, words, word, at) read_imagei(name, TEXEL(cell, words, word, at))
#define PLANE_UCHAR4(name, cell, words, word, at) read_imageui(name, TEXEL(cell, words, word, at))
#define PLANE_NORMALISED(name, texel) read_imagef(name, (int)(texel))
#define PLANE_HALF2(name, cell, words, word, at) read_imagef(name, TEXEL(cell, words, word, at)).xy
#define PLANE_HALF4(name, cell, words, word, at) read_imagef(name, TEXEL(cell, words, word, at))
#else
#define PLANE_ARGS __global const uchar* quants
#define PLANE_BEHIND(name, before, bytes) \
    __global const uchar* const name = before + plane_cells * (TILE_PAIRS * (bytes));
// Once, at the start: of the cells of all tiles.
#define FIND_PLANES(cells)          \
    const uint plane_cells = cells; \
    FURTHER_PLANES(PLANE_BEHIND)
#define TILE_WORD(bytes, cell, words, word) (((cell) * (words) + (word)) * (TILE_PAIRS * (bytes)))
#if WINDOW
INLINE __global const uchar* in_window(__global const uchar* plane, uint offset) {
    const uint2 halves = as_uint2((ulong)plane);
    return (__global const uchar*)as_ulong((uint2)(halves.x + offset, halves.y));
}
#define BYTES_TO_4(at) (at).y
#define BYTES_TO_8(at) (at).z
#define BYTES_TO_16(at) (at).w
#define PLANE_AT(type, bytes, name, cell, words, word, at) \
    (*(__global const type*)in_window(name, TILE_WORD(bytes, cell, words, word) + BYTES_TO_##bytes(at)))
#else
#define PLANE_AT(type, bytes, name, cell, words, word, at) \
    ((__global const type*)((name) + TILE_WORD(bytes, cell, words, word)))[at]
#endif
#define PLANE_UINT4(name, cell, words, word, at) PLANE_AT(uint4, 16, name, cell, words, word, at)
#define PLANE_UINT2(name, cell, words, word, at) PLANE_AT(uint2, 8, name, cell, words, word, at)
#define PLANE_CHAR4(name, cell, words, word, at) convert_int4(PLANE_AT(char4, 4, name, cell, words, word, at))
#define PLANE_UCHAR4(name, cell, words, word, at) convert_uint4(PLANE_AT(uchar4, 4, name, cell, words, word, at))
// One load: what vloada_half2 becomes is two.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define PLANE_HALF2(name, cell, words, word, at) convert_float2(as_half2(PLANE_AT(uint, 4, name, cell, words, word, at)))
#define PLANE_HALF4(name, cell, words, word, at) convert_float4(as_half4(PLANE_AT(uint2, 8, name, cell, words, word, at)))
#else
#define PLANE_HALF2(name, cell, words, word, at) \
    vloada_half2(0, (__global const half*)&PLANE_AT(uint, 4, name, cell, words, word, at))
#define PLANE_HALF4(name, cell, words, word, at) \
    vloada_half4(0, (__global const half*)&PLANE_AT(uint2, 8, name, cell, words, word, at))
#endif
#endif
