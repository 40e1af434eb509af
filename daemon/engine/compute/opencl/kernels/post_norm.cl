// x += RMSNorm(y) * RESIDUAL_SCALE (an option; without it 1), and x is quantized for what reads it next.
//
// y, [rows][next_width], is what a matmul has left, with zeros past norm_width. post_norm and next_norm are weights, padded
// with zeros: of this norm, and of the next that reads x (ones where a matmul reads it). A group makes EMBED_WIDTH values of
// a row and adds up the row's squares by itself. Needs activations.cl. Grid: (ceil(next_width / EMBED_WIDTH), batch rows).

__kernel GROUP_SIZE void post_norm(__global const float* y, float norm_width, float epsilon,
                                   __global uchar* activations, uint x_at, uint post_norm_at, uint next_norm_at,
                                   NEXT_ARGS) {
    __local float made_x[EMBED_WIDTH];
    __local float made[EMBED_WIDTH];
    __local float parts[GROUP];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    y += row * next_width;

    float squares = 0.0f;
    for (uint i = item; i < next_width / 4; i += GROUP) {
        const float4 v = vload4(i, y), s = v * v;
        squares += (s.x + s.y) + (s.z + s.w);
    }
    parts[item] = squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) parts[item] += parts[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float rs = rsqrt(parts[0] / norm_width + epsilon);
#ifdef RESIDUAL_SCALE
    rs *= RESIDUAL_SCALE;
#endif

    const uint eight = get_group_id(0) * GROUP + item;
    const bool is_here = 8 * eight < next_width;
    if (is_here) {
        for (uint i = 8 * item; i < 8 * item + 8; ++i) {
            const uint col = get_group_id(0) * EMBED_WIDTH + i;
            const float old_x = ACTIVATION(const float, x_at, row * next_width + col);
            const float new_x = old_x + y[col] * rs * ACTIVATION(const float, post_norm_at, col);
            ACTIVATION(float, x_at, row * next_width + col) = new_x;
            made_x[i] = new_x;
            made[i] = new_x * ACTIVATION(const float, next_norm_at, col);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_here) {
        write_quantized(activations, NEXT_ROW(row), next_width, eight, made + item / 4 * 32);
        if (item % 4 == 0) write_stats(activations, NEXT_ROW(row), next_width, eight / 4, made_x + item * 8);
    }
}
