// out[i] = norm(x[source of i]) * weight (+ bias): LayerNorm if LAYER_NORM, else RMSNorm.
//
// A work-group normalises one row. Sums are taken per 32 columns and these added in their order, by every item for
// itself, so they depend on nothing but the row. Grid: (1, rows). With `of_outputs` row i is the one that the step names
// as its i-th output. Options: N_EMBD, LAYER_NORM.
//
// The two passes are written out: as two calls of one function with barriers they gave wrong sums now and then on PoCL 3.1
// with several threads; why is not known.
#define BLOCKS ((N_EMBD + 31) / 32)

__kernel GROUP_SIZE void norm(__global const float* x, __global const float* weight, __global const float* bias,
                              uint has_bias, float epsilon, __global const int* step, uint of_outputs,
                              __global float* out) {
    __local float squares[BLOCKS];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    x += (of_outputs ? (uint)step[STEP_OUTPUT_ROW(row)] : row) * N_EMBD;
    out += row * N_EMBD;

    float mean = 0.0f;
#if LAYER_NORM
    __local float sums[BLOCKS];
    for (uint block = item; block < BLOCKS; block += GROUP) {
        float sum = 0.0f;
        for (uint i = 32 * block; i < min(32 * block + 32, (uint)N_EMBD); ++i) sum += x[i];
        sums[block] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint block = 0; block < BLOCKS; ++block) mean += sums[block];
    mean /= N_EMBD;
#endif

    for (uint block = item; block < BLOCKS; block += GROUP) {
        float sum = 0.0f;
        for (uint i = 32 * block; i < min(32 * block + 32, (uint)N_EMBD); ++i) sum += (x[i] - mean) * (x[i] - mean);
        squares[block] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float variance = 0.0f;
    for (uint block = 0; block < BLOCKS; ++block) variance += squares[block];
    variance /= N_EMBD;

    const float scale = 1.0f / sqrt(variance + epsilon);
    for (uint i = item; i < N_EMBD; i += GROUP) {
        const float v = (x[i] - mean) * scale * weight[i];
        out[i] = has_bias ? v + bias[i] : v;
    }
}
