// Reads texel i of every format that planes have, all of one buffer's first bytes, and writes PROBE_WORDS words an item.

#define PROBE_WORDS 24

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
