// Prepended to every kernel: what all of them share.
//
// OpenCL C 1.2 without subgroups, without half arithmetic. A work-group has GROUP = 64 items in one dimension; the second
// dimension of the grid is the row of the batch. No contraction by the compiler: where a fused multiply-add may be used,
// the source says mad(), so that the same expression gives the same bits in every kernel variant.
//
// Options: HALF_BY_BITS  1: widen halfs with integer operations (needs float subnormals; PoCL's vload_half is slow)
//          MAX_ROWS, MAX_PAGES  sizes of the step buffer and of one slot's page table
#pragma OPENCL FP_CONTRACT OFF

#define GROUP 64
#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// The step buffer, written by the host at begin(): STEP_HEADER words, STEP_ROW_WORDS words a row, then the row index of
// each output. A token of -1 is the one sampled last in the row's slot.
#define STEP_HEADER 4
#define STEP_OUTPUT_COUNT 0
#define STEP_ROW_COUNT 1
#define STEP_CHUNKS 2  // groups that share a row's attention (packed/attention.cl)
#define STEP_ROW_WORDS 4
#define STEP_TOKEN(row) (STEP_HEADER + STEP_ROW_WORDS * (row))
#define STEP_POSITION(row) (STEP_TOKEN(row) + 1)
#define STEP_SLOT(row) (STEP_TOKEN(row) + 2)
#define STEP_IS_LAST_OUTPUT(row) (STEP_TOKEN(row) + 3)  // of the row's slot in this batch
#define STEP_OUTPUT_ROW(output) (STEP_HEADER + STEP_ROW_WORDS * MAX_ROWS + (output))

#define PAGE_TOKENS 32

#if HALF_BY_BITS
// Exponent and mantissa moved into place and rescaled: exact, subnormals included. All exponent bits set stays infinite
// or NaN.
static inline float half_bits_to_float(ushort h) {
    const float finite = as_float(((uint)(h & 0x7fff) << 13) | ((uint)(h & 0x8000) << 16)) * 0x1p112f;
    return (h & 0x7c00) == 0x7c00 ? as_float(((uint)(h & 0x8000) << 16) | 0x7f800000u | ((uint)(h & 0x3ff) << 13))
                                  : finite;
}
static inline float4 half4_bits_to_float4(ushort4 h) {
    const uint4 u = convert_uint4(h);
    const uint4 sign = (u & 0x8000u) << 16;
    const uint4 magnitude = (u & 0x7fffu) << 13;
    const float4 finite = as_float4(magnitude | sign) * 0x1p112f;
    return select(finite, as_float4(sign | magnitude | 0x7f800000u), (u & 0x7c00u) == 0x7c00u);
}
#define LOAD_HALF(p) half_bits_to_float(*(__global const ushort*)(p))
#define LOAD_HALF4(i, p) half4_bits_to_float4(vload4((i), (__global const ushort*)(p)))
#else
#define LOAD_HALF(p) vload_half(0, (__global const half*)(p))
#define LOAD_HALF4(i, p) vload_half4((i), (__global const half*)(p))
#endif
