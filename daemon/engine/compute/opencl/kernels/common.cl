// What all kernels share; it is put before every program.
//
// The kernels are OpenCL C 1.2 without subgroups and without half arithmetic. A work-group has GROUP = 64 items in one
// dimension; the second dimension of the grid is the row of the batch. The compiler contracts nothing: where a fused
// multiply-add may be used, the source says mad(), so that the same expression gives the same bits in every kernel variant.
//
// Options: MAX_ROWS, MAX_PAGES  rows of the step buffer, pages of one slot's table
//          TABLES_AT            the word of the step buffer at which the tables begin
#pragma OPENCL FP_CONTRACT OFF

// Mesa's llvmpipe does not inline functions by itself, and fails to find private memory for nested calls.
#define INLINE static inline __attribute__((always_inline))

#define GROUP 64
#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// The step buffer, written by the host at begin(): STEP_HEADER words, STEP_ROW_WORDS words a row, then the row index of
// each output, padded to a multiple of 8 with words that may be read. A token of -1 stands for the one sampled last in the
// row's slot. The page table of each slot follows; set_pages() changes one at a time.
#define STEP_HEADER 4
#define STEP_OUTPUT_COUNT 0
#define STEP_ROW_COUNT 1
#define STEP_CHUNKS 2  // groups that share a row's attention (attention.cl)
#define STEP_ROW_WORDS 4
#define STEP_TOKEN(row) (STEP_HEADER + STEP_ROW_WORDS * (row))
#define STEP_POSITION(row) (STEP_TOKEN(row) + 1)
#define STEP_SLOT(row) (STEP_TOKEN(row) + 2)
#define STEP_IS_LAST_OUTPUT(row) (STEP_TOKEN(row) + 3)  // of the row's slot in this batch
#define STEP_OUTPUT_ROW(output) (STEP_HEADER + STEP_ROW_WORDS * MAX_ROWS + (output))

#define STEP_PAGES(slot) (TABLES_AT + (uint)(slot)*MAX_PAGES)

#define PAGE_TOKENS 32
