// x += RMSNorm(y) * RESIDUAL_SCALE (an option; without it 1), and x is quantized for what reads it next.
//
// y, [rows][next.width], is what a matmul has left, with zeros past norm_width. post_norm and next_norm are weights, padded
// with zeros: of this norm, and of the next that reads x (ones where a matmul reads it). A group makes EMBED_WIDTH values of
// a row and adds up the row's squares by itself. Needs activations.cl. Grid: (ceil(next.width / EMBED_WIDTH), batch rows).

typedef struct {
    float norm_width, epsilon;
    uint x_at, post_norm_at, next_norm_at;
    quants_t next;
} post_norm_numbers_t;

__kernel GROUP_SIZE void post_norm(__global const float* y, __global uchar* activations,
                                   const post_norm_numbers_t numbers) {
    const quants_t next = numbers.next;
    __local float group_output_x[EMBED_WIDTH];
    __local float group_output[EMBED_WIDTH];
    __local float parts[GROUP];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    y += row * next.width;

    const uint eight = get_group_id(0) * GROUP + item;
    const bool is_here = 8 * eight < next.width;
    // The operands of the end are loaded before anything is waited for.
    const float8 none = (float8)(0.0f);
    const float8 old_x = is_here ? vload8(eight, (__global const float*)(activations + numbers.x_at) + row * next.width) : none;
    const float8 own_y = is_here ? vload8(eight, y) : none;
    const float8 post_weight = is_here ? vload8(eight, (__global const float*)(activations + numbers.post_norm_at)) : none;
    const float8 next_weight = is_here ? vload8(eight, (__global const float*)(activations + numbers.next_norm_at)) : none;

    float squares = 0.0f;
    for (uint i = item; i < next.width / 4; i += GROUP) {
        const float4 v = vload4(i, y), s = v * v;
        squares += (s.x + s.y) + (s.z + s.w);
    }
    parts[item] = squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) parts[item] += parts[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float rs = rsqrt(parts[0] / numbers.norm_width + numbers.epsilon);
#ifdef RESIDUAL_SCALE
    rs *= RESIDUAL_SCALE;
#endif

    if (is_here) {
        const float8 new_x = old_x + own_y * rs * post_weight;
        vstore8(new_x, eight, (__global float*)(activations + numbers.x_at) + row * next.width);
        vstore8(new_x, item, group_output_x);
        vstore8(new_x * next_weight, item, group_output);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_here) {
        write_quantized(activations, NEXT_ROW(row), next.width, eight, group_output + item / 4 * 32);
        if (item % 4 == 0) write_stats(activations, NEXT_ROW(row), next.width, eight / 4, group_output_x + item * 8);
    }
}
