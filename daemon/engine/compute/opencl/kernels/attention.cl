// out[row][head] = softmax(q . K / sqrt(HEAD_DIM)) V over the positions 0..position of the row's slot.
//
// A work-group takes one query head of one row. It walks leaves of LEAF absolute positions; each gives (maximum, sum,
// weighted V), and these are folded left to right. Within a leaf an item scores the positions item, item + GROUP, ...;
// for V the items form HEAD_DIM / 4 columns of four dimensions times V_GROUPS groups of positions. Every order depends on
// the row's position and HEAD_DIM only. Keys and values: see rope_kv.cl. Grid: (query heads, batch rows).
// Options: HEAD_DIM, Q_ROWS, KV_ROWS.
#define LEAF 256
#define V_COLUMNS (HEAD_DIM / 4)
#define V_GROUPS (GROUP / V_COLUMNS)

// The maximum or the sum of one value an item, by a fixed tree; the same in every item.
static inline float group_max(float v, __local float* scratch) {
    const uint item = get_local_id(0);
    scratch[item] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) scratch[item] = fmax(scratch[item], scratch[item + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}
static inline float group_sum(float v, __local float* scratch) {
    const uint item = get_local_id(0);
    scratch[item] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) scratch[item] += scratch[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__kernel GROUP_SIZE void attention(__global const float* qkv, __global const int* step,
                                   __global const uint* page_tables, __global const ushort* keys,
                                   __global const ushort* values, float scale, __global float* out) {
    __local float4 query[V_COLUMNS];
    __local float weights[LEAF];
    __local float scratch[GROUP];
    __local float4 v_parts[GROUP];
    const uint item = get_local_id(0);
    const uint head = get_group_id(0);
    const uint row = get_group_id(1);
    const uint kv_head = head / (Q_ROWS / KV_ROWS);
    const uint count = (uint)step[STEP_POSITION(row)] + 1;
    __global const uint* pages = page_tables + (uint)step[STEP_SLOT(row)] * MAX_PAGES;

    for (uint i = item; i < V_COLUMNS; i += GROUP) {
        query[i] = vload4(i, qkv + row * (Q_ROWS + 2 * KV_ROWS) + head * HEAD_DIM) * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint v_column = item % V_COLUMNS;
    const uint v_group = item / V_COLUMNS;
    float maximum = -INFINITY, sum = 0.0f;
    float4 acc = (float4)(0.0f);  // of v_column, in the items of v_group 0
    for (uint leaf = 0; leaf < count; leaf += LEAF) {
        const uint in_leaf = min(count - leaf, (uint)LEAF);

        float leaf_max = -INFINITY;
        for (uint i = item; i < in_leaf; i += GROUP) {
            const uint position = leaf + i;
            __global const ushort* k = keys + pages[position / PAGE_TOKENS] * (KV_ROWS * PAGE_TOKENS) +
                                       kv_head * (PAGE_TOKENS * HEAD_DIM);
            float4 products = (float4)(0.0f);
            for (uint c = 0; c < V_COLUMNS; ++c) {
                products = mad(query[c], LOAD_HALF4(c * PAGE_TOKENS + position % PAGE_TOKENS, k), products);
            }
            const float score = (products.x + products.y) + (products.z + products.w);
            weights[i] = score;
            // Not fmax: a NaN must go on to the result.
            leaf_max = score > leaf_max ? score : leaf_max;
        }
        leaf_max = group_max(leaf_max, scratch);

        float leaf_sum = 0.0f;
        for (uint i = item; i < in_leaf; i += GROUP) {
            const float weight = exp(weights[i] - leaf_max);
            weights[i] = weight;
            leaf_sum += weight;
        }
        leaf_sum = group_sum(leaf_sum, scratch);

        float4 part = (float4)(0.0f);
        if (v_group < V_GROUPS) {
            for (uint i = v_group; i < in_leaf; i += V_GROUPS) {
                const uint position = leaf + i;
                __global const ushort* v = values + pages[position / PAGE_TOKENS] * (KV_ROWS * PAGE_TOKENS) +
                                           (kv_head * PAGE_TOKENS + position % PAGE_TOKENS) * HEAD_DIM;
                part = mad((float4)(weights[i]), LOAD_HALF4(v_column, v), part);
            }
        }
        v_parts[item] = part;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint g = 1; g < V_GROUPS; ++g) part += v_parts[(g * V_COLUMNS + item) % GROUP];

        const float new_max = fmax(maximum, leaf_max);
        const float old_scale = exp(maximum - new_max);
        const float leaf_scale = exp(leaf_max - new_max);
        sum = sum * old_scale + leaf_sum * leaf_scale;
        acc = acc * old_scale + part * leaf_scale;
        maximum = new_max;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item < V_COLUMNS) vstore4(acc / sum, item, out + row * Q_ROWS + head * HEAD_DIM);
}
