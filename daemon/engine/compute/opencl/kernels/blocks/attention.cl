// out[row][head] = softmax(q . K / sqrt(HEAD_DIM)) V over the positions 0..position of the row's slot.
//
// A work-group takes one query head of one row. It walks leaves of LEAF absolute positions; each gives (maximum, sum,
// weighted V), and these are folded left to right. Sixteen neighbouring positions are scored in the lanes of one vector, the
// dimensions in four sums; V is added position by position. Every order depends on the row's position and HEAD_DIM only.
// Pages: see rope_kv.cl. Grid: (query heads, batch rows). Options: HEAD_DIM, Q_ROWS, KV_ROWS.
#define LEAF 256
#define V_VECTORS (HEAD_DIM / 16)
#define V_REST (HEAD_DIM % 16)
#define PAGE_OF(position) ((uint)pages[(position) / PAGE_TOKENS] * (2 * KV_ROWS * PAGE_TOKENS))

// Half of what a head has in a page: sixteen positions of its values, all positions of half its keys' dimensions.
#define HALF_PAGE (16 * HEAD_DIM)
#define LINE_HALFS 32  // in 64 bytes, a cache line of most

static inline void fetch_half(__global const ushort* p) {
    for (uint i = 0; i < HALF_PAGE; i += LINE_HALFS) FETCH(p + i);
}

// The scores of sixteen positions, whose keys begin at k.
static inline float16 scores_of(const float* query, __global const ushort* k) {
    float16 s[4];
#pragma unroll
    for (uint i = 0; i < 4; ++i) s[i] = 0.0f;
    for (uint i = 0; i < HEAD_DIM / 4 * 4; i += 4) {
#pragma unroll
        for (uint j = 0; j < 4; ++j) {
            const float16 key = vload_half16(0, (__global const half*)(k + (i + j) * PAGE_TOKENS));
            s[j] = MULTIPLY_ADD((float16)(query[i + j]), key, s[j]);
        }
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

__kernel ONE_ITEM void attention(__global const float* qkv, __global const int* step,
                                 __global const ushort* kv, float scale, __global float* out) {
    const uint head = get_group_id(0);
    const uint row = get_group_id(1);
    const uint kv_head = head / (Q_ROWS / KV_ROWS);
    const uint count = (uint)step[STEP_POSITION(row)] + 1;
    __global const int* pages = step + STEP_PAGES(step[STEP_SLOT(row)]);
    out += row * Q_ROWS + head * HEAD_DIM;
    __global const ushort* keys = kv + kv_head * (PAGE_TOKENS * HEAD_DIM);
    __global const ushort* values = keys + KV_ROWS * PAGE_TOKENS;

    // Pages are anywhere, so that no processor guesses the next one.
    fetch_half(keys + PAGE_OF(0));
    fetch_half(keys + PAGE_OF(0) + HALF_PAGE);
    float query[HEAD_DIM];
    for (uint i = 0; i < HEAD_DIM; ++i) query[i] = qkv[row * (Q_ROWS + 2 * KV_ROWS) + head * HEAD_DIM + i] * scale;

    float maximum = -INFINITY, sum = 0.0f;
    float16 acc[V_VECTORS + 1];
    float rest[V_REST + 1];
#pragma unroll
    for (uint i = 0; i < V_VECTORS; ++i) acc[i] = 0.0f;
    for (uint i = 0; i < V_REST; ++i) rest[i] = 0.0f;
    for (uint leaf = 0; leaf < count; leaf += LEAF) {
        const uint in_leaf = min(count - leaf, (uint)LEAF);
        float weights[LEAF];

        float16 lane_maxima = -INFINITY;
        for (uint i = 0; i < in_leaf; i += 16) {
            const uint position = leaf + i, half_page = position % PAGE_TOKENS * HEAD_DIM;
            fetch_half(values + PAGE_OF(position) + half_page);
            if (position / PAGE_TOKENS < (count - 1) / PAGE_TOKENS) {
                fetch_half(keys + PAGE_OF(position + PAGE_TOKENS) + half_page);
            }
            const float16 s = scores_of(query, keys + PAGE_OF(position) + position % PAGE_TOKENS);
            // What a page holds past the row's position is not looked at. Not fmax: a NaN must go on to the result.
            const float16 valid = select((float16)(-INFINITY), s, LANES + i < (uint16)(in_leaf));
            lane_maxima = select(lane_maxima, valid, valid > lane_maxima);
            vstore16(valid, 0, weights + i);
        }
        const float leaf_max = lane_max(lane_maxima);

        float16 lane_sums = 0.0f;
        for (uint i = 0; i < in_leaf; i += 16) {
            const float16 w = exp(vload16(0, weights + i) - leaf_max);
            vstore16(w, 0, weights + i);
            lane_sums += w;
        }
        const float leaf_sum = lane_sum(lane_sums);

        float16 part[V_VECTORS + 1];
        float rest_part[V_REST + 1];
#pragma unroll
        for (uint i = 0; i < V_VECTORS; ++i) part[i] = 0.0f;
        for (uint i = 0; i < V_REST; ++i) rest_part[i] = 0.0f;
        for (uint i = 0; i < in_leaf; ++i) {
            const uint position = leaf + i;
            __global const half* v =
                (__global const half*)(values + PAGE_OF(position) + position % PAGE_TOKENS * HEAD_DIM);
#pragma unroll
            for (uint j = 0; j < V_VECTORS; ++j) {
                part[j] = MULTIPLY_ADD((float16)(weights[i]), vload_half16(j, v), part[j]);
            }
            for (uint j = 0; j < V_REST; ++j) {
                rest_part[j] = MULTIPLY_ADD(weights[i], vload_half(16 * V_VECTORS + j, v), rest_part[j]);
            }
        }

        const float new_max = fmax(maximum, leaf_max);
        const float old_scale = exp(maximum - new_max);
        const float leaf_scale = exp(leaf_max - new_max);
        sum = sum * old_scale + leaf_sum * leaf_scale;
#pragma unroll
        for (uint i = 0; i < V_VECTORS; ++i) acc[i] = acc[i] * old_scale + part[i] * leaf_scale;
        for (uint i = 0; i < V_REST; ++i) rest[i] = rest[i] * old_scale + rest_part[i] * leaf_scale;
        maximum = new_max;
    }
#pragma unroll
    for (uint i = 0; i < V_VECTORS; ++i) vstore16(acc[i] / sum, i, out);
    for (uint i = 0; i < V_REST; ++i) out[16 * V_VECTORS + i] = rest[i] / sum;
}
