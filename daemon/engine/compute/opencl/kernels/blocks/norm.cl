// out[i] = norm(x[source of i]) * weight (+ bias): LayerNorm if LAYER_NORM, else RMSNorm.
//
// Sums have sixteen lanes; what does not fill sixteen is added at the end. Grid: (1, rows). With `of_outputs` row i is the
// one that the step names as its i-th output. Options: N_EMBD, LAYER_NORM.
#define WHOLE (N_EMBD / 16)

static inline void normalise(__global const float* x, __global const float* weight, __global const float* bias,
                             uint has_bias, float epsilon, NORMED_SPACE float* out) {
    float mean = 0.0f;
#if LAYER_NORM
    float16 sums = 0.0f;
    for (uint i = 0; i < WHOLE; ++i) sums += vload16(i, x);
    mean = lane_sum(sums);
    for (uint i = 16 * WHOLE; i < N_EMBD; ++i) mean += x[i];
    mean /= N_EMBD;
#endif

    float16 squares = 0.0f;
    for (uint i = 0; i < WHOLE; ++i) {
        const float16 v = vload16(i, x) - mean;
        squares += v * v;
    }
    float variance = lane_sum(squares);
    for (uint i = 16 * WHOLE; i < N_EMBD; ++i) variance += (x[i] - mean) * (x[i] - mean);
    variance /= N_EMBD;

    const float scale = 1.0f / sqrt(variance + epsilon);
    for (uint i = 0; i < WHOLE; ++i) {
        const float16 v = (vload16(i, x) - mean) * scale * vload16(i, weight);
        vstore16(has_bias ? v + vload16(i, bias) : v, i, out);
    }
    for (uint i = 16 * WHOLE; i < N_EMBD; ++i) {
        const float v = (x[i] - mean) * scale * weight[i];
        out[i] = has_bias ? v + bias[i] : v;
    }
}

#ifndef NORMED_ROWS  // there norm_product.cl has its own
__kernel ONE_ITEM void norm(__global const float* x, __global const float* weight, __global const float* bias,
                            uint has_bias, float epsilon, __global const int* step, uint of_outputs,
                            __global float* out) {
    const uint row = get_group_id(1);
    x += (of_outputs ? (uint)step[STEP_OUTPUT_ROW(row)] : row) * N_EMBD;
    normalise(x, weight, bias, has_bias, epsilon, out + row * N_EMBD);
}
#endif
