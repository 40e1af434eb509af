// All kernels share this source; it is put before every program, behind the macros of constants.h.
//
// The kernels are OpenCL C 1.2 without subgroups and without half arithmetic. A work-group has GROUP items in one
// dimension; the second dimension of the grid is the row of the batch. The compiler contracts nothing: where a fused
// multiply-add may be used, the source says mad(), so that the same expression gives the same bits whichever kernel is chosen.
//
// Options: MAX_ROWS, MAX_PAGES  rows of the step buffer, pages of one slot's table
//          TABLES_AT            the word of the step buffer at which the tables of the layer's pool begin
#pragma OPENCL FP_CONTRACT OFF

// Some drivers do not inline by themselves: CallsFunctions in runtime/quirks.cpp.
#define INLINE static inline __attribute__((always_inline))

// A loop behind ROLLED stays one. The option NO_LOOP_HINTS comes with UnrollsNothing in runtime/quirks.cpp.
#ifdef NO_LOOP_HINTS
#define ROLLED
#else
#define ROLLED _Pragma("unroll 1")
#endif

#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// The step buffer: constants.h has its layout. STEP_CHUNKS groups share a row's attention (attention.cl).
#define STEP_ROW(row) (STEP_HEADER + STEP_ROW_WORDS * (row))
#define STEP_TOKEN(row) (STEP_ROW(row) + ROW_TOKEN)
#define STEP_POSITION(row) (STEP_ROW(row) + ROW_POSITION)
#define STEP_SLOT(row) (STEP_ROW(row) + ROW_SLOT)
#define STEP_IS_LAST_OUTPUT(row) (STEP_ROW(row) + ROW_IS_LAST_OUTPUT)  // of the row's slot in this batch
#define STEP_OUTPUT_ROW(output) (STEP_HEADER + STEP_ROW_WORDS * MAX_ROWS + (output))
#define STEP_PAGES(slot) (TABLES_AT + (uint)(slot)*MAX_PAGES)
