// Folds what the chunks of a row's attention left, in their order, and writes the records that the output product reads.
//
// An item takes four columns. Grid: (ceil(columns / MERGE_COLUMNS), batch rows). Options: HEAD_DIM, Q_ROWS.
#define MERGE_COLUMNS (4 * GROUP)
#define LEAF 256
#define PARTIAL (HEAD_DIM / 2 + 1)

__kernel GROUP_SIZE void merge(__global const float2* partials, __global const int* step,
                               __global uchar* activations, NEXT_ARGS) {
    __local float made[MERGE_COLUMNS];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    const uint column = get_group_id(0) * MERGE_COLUMNS + 4 * item;
    const uint chunks = (uint)step[STEP_CHUNKS];
    const uint used = chunks == 1 ? 1 : (uint)step[STEP_POSITION(row)] / LEAF + 1;

    float4 result = (float4)(0.0f);
    if (column < Q_ROWS) {
        float maximum = -INFINITY, sum = 0.0f;
        float4 acc = (float4)(0.0f);
        for (uint chunk = 0; chunk < used; ++chunk) {
            __global const float2* partial =
                partials + ((row * chunks + chunk) * (Q_ROWS / HEAD_DIM) + column / HEAD_DIM) * PARTIAL;
            const uint at = column % HEAD_DIM / 2;
            const float4 chunk_acc = (float4)(partial[at], partial[at + 1]);
            const float2 scales = partial[HEAD_DIM / 2];
            FOLD(maximum, sum, acc, scales.x, scales.y, chunk_acc)
        }
        result = acc * (1.0f / sum);
    }
    vstore4(result, item, made);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint eight = get_group_id(0) * (MERGE_COLUMNS / 8) + item;
    if (item < MERGE_COLUMNS / 8 && 8 * eight < next_columns) {
        write_record(activations, NEXT_ROW(row), next_columns, eight, made + item / 4 * 32);
    }
}
