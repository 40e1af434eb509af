// The questions that a device is asked before a model is computed on it. The option names the one kernel of the program.

#ifdef PROBE_CHAIN
// One link of a chain of dependent launches: to[i] = from[neighbour of i] + 1. A driver that omits the barrier between
// the launches of one submission shows values of an older link. Grid: (CHAIN_SIZE / GROUP, 1).
__kernel GROUP_SIZE void chain(__global const uint* from, __global uint* to) {
    const uint i = get_group_id(0) * GROUP + get_local_id(0);
    to[i] = from[(i + 4099) % CHAIN_SIZE] + 1;
}
#endif

#ifdef PROBE_IMAGES
// Reads texel i of every format that weights have, all from one buffer's first bytes, and writes PROBE_WORDS words an item.

__kernel GROUP_SIZE void probe_images(__read_only image1d_buffer_t uint4s, __read_only image1d_buffer_t uint2s,
                                      __read_only image1d_buffer_t half4s, __read_only image1d_buffer_t half2s,
                                      __read_only image1d_buffer_t char4s, __read_only image1d_buffer_t uchar4s,
                                      __read_only image1d_buffer_t normalised, __global uint* out) {
    const int i = (int)get_global_id(0);
    out += PROBE_WORDS * i;
    vstore4(read_imageui(uint4s, i), 0, out);
    vstore4(as_uint4(read_imagef(half4s, i)), 1, out);
    vstore4(as_uint4(read_imagei(char4s, i)), 2, out);
    vstore4(read_imageui(uchar4s, i), 3, out);
    vstore4(as_uint4(read_imagef(normalised, i)), 4, out);
    vstore2(read_imageui(uint2s, i).xy, 10, out);
    vstore2(as_uint2(read_imagef(half2s, i).xy), 11, out);
}
#endif

#ifdef PROBE_BUILT_INS
// Computes built-in functions of one argument an item: each has GROUP arguments in `values`, and then GROUP results.
#define PROBE(n, expression)                          \
    {                                                 \
        const float x = values[(n) * GROUP + item];   \
        values[(n) * GROUP + item] = (float)(expression); \
    }
__kernel GROUP_SIZE void probe_built_ins(__global float* values) {
    const uint item = get_local_id(0);
    PROBE(0, exp(x))
    PROBE(1, log(x))
    PROBE(2, tanh(x))
    PROBE(3, rsqrt(x))
    PROBE(4, native_exp(x))
    PROBE(5, native_recip(x))
    PROBE(6, mad(x, x, 1.0f))
    PROBE(7, fmax(x, 0.5f))
    PROBE(8, convert_int_rte(x))
    PROBE(9, mul24((int)x, 3))
    PROBE(10, mad24((int)x, 3, 1))
    PROBE(11, popcount((uint)x))
}
#endif

#ifdef PROBE_SEGMENT
// The upper halves of the addresses of an array's first and last byte.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void probe_segment(__global const uchar* array, __global uint* upper, uint last) {
    upper[0] = as_uint2((ulong)array).y;
    upper[1] = as_uint2((ulong)(array + last)).y;
}
#endif
