// Prepended to every kernel: what all of them share.
//
// OpenCL C 1.2 without subgroups, without half arithmetic. A work-group has GROUP = 64 items in one dimension; the second
// dimension of the grid is the row of the batch. No contraction by the compiler: where a fused multiply-add may be used,
// the source says mad(), so that the same expression gives the same bits in every kernel variant.
//
// Options: HALF_BY_BITS  1: widen single halfs with integer operations (PoCL's vload_half is slow)
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
// Exponent and mantissa moved into place, with integers but for subnormals: to multiply float subnormals takes a CPU longer
// than everything else here.
static inline uint float_bits_of_half(ushort h) {
    const uint sign = (uint)(h & 0x8000) << 16, magnitude = (uint)(h & 0x7fff) << 13;
    if ((h & 0x7c00) == 0) return sign | as_uint(as_float(magnitude | 0x38800000u) - 0x1p-14f);
    return sign | (magnitude + ((h & 0x7c00) == 0x7c00 ? 0x70000000u : 0x38000000u));
}
#define HALF_BITS(p) float_bits_of_half(*(__global const ushort*)(p))
#define LOAD_HALF(p) as_float(HALF_BITS(p))
#define LOAD_HALF_WIDE(p) as_float16((uint16)(HALF_BITS(p)))
#define LOAD_HALF16(p) vload_half16(0, (__global const half*)(p))
#else
#define LOAD_HALF(p) vload_half(0, (__global const half*)(p))
#define LOAD_HALF_WIDE(p) ((float16)(LOAD_HALF(p)))
#define LOAD_HALF4(i, p) vload_half4((i), (__global const half*)(p))
#define LOAD_HALF16(p) ((float16)(LOAD_HALF4(0, p), LOAD_HALF4(1, p), LOAD_HALF4(2, p), LOAD_HALF4(3, p)))
#endif
