// Reading the planes of packed weights (layout.h).
//
// Options: IMAGE  1: planes are image1d_buffers, one texel an element (layout.h says of which format); 0: global pointers

#if IMAGE
#define PLANE(name) __read_only image1d_buffer_t name
#define PLANE_UINT4(name, i) read_imageui(name, (int)(i))
#define PLANE_UINT2(name, i) read_imageui(name, (int)(i)).xy
#define PLANE_CHAR4(name, i) read_imagei(name, (int)(i))
#define PLANE_UCHAR4(name, i) read_imageui(name, (int)(i))
#define PLANE_NORMALISED(name, i) read_imagef(name, (int)(i))
#define PLANE_HALF2(name, i) read_imagef(name, (int)(i)).xy
#define PLANE_HALF4(name, i) read_imagef(name, (int)(i))
#else
#define PLANE(name) __global const uchar* name
#define PLANE_UINT4(name, i) ((__global const uint4*)(name))[i]
#define PLANE_UINT2(name, i) ((__global const uint2*)(name))[i]
#define PLANE_CHAR4(name, i) convert_int4(((__global const char4*)(name))[i])
#define PLANE_UCHAR4(name, i) convert_uint4(((__global const uchar4*)(name))[i])
#define PLANE_HALF2(name, i) vloada_half2((i), (__global const half*)(name))
#define PLANE_HALF4(name, i) vloada_half4((i), (__global const half*)(name))
#endif

#define TILE_PAIRS 32u
// Index of a word of a plane: `cell` counts the plane's cells over all tiles, `at` is the pair's place in its tile.
#define ELEMENT(cell, words, word, at) (((cell) * (words) + (word)) * TILE_PAIRS + (at))
