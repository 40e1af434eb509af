// The upper halves of the addresses of a plane's first and last byte.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void probe_window(__global const uchar* plane, uint last, __global uint* upper) {
    upper[0] = as_uint2((ulong)plane).y;
    upper[1] = as_uint2((ulong)(plane + last)).y;
}
