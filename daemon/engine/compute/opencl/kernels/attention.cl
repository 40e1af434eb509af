// Attention: the kernel attention or, with the option MERGE, the kernel merge. Needs activations.cl.

#define LEAF 256

// Takes one more leaf of attention, or several that are folded already, into (maximum, sum, weighted V).
#define FOLD(maximum, sum, acc, leaf_max, leaf_sum, leaf_acc)                \
    {                                                                        \
        const float new_max = fmax(maximum, leaf_max);                       \
        const float old_scale = exp((maximum)-new_max);                      \
        const float leaf_scale = exp((leaf_max)-new_max);                    \
        sum = (sum)*old_scale + (leaf_sum)*leaf_scale;                       \
        acc = (acc)*old_scale + (leaf_acc)*leaf_scale;                       \
        maximum = new_max;                                                   \
    }

#ifndef MERGE
// softmax(q . K) V of HEADS query heads that share a key/value head, over the positions 0..position of a row's slot.
//
// Leaves of LEAF absolute positions each give (maximum, sum, weighted V); they are folded left to right. A group walks
// all leaves of a row and, with SPLIT 0, writes the result as records; with SPLIT 1 it walks what its chunk has (all
// leaves where the step has one chunk, else one leaf) and leaves (weighted V, maximum, sum) in `partials`
// [row][chunk][head][HEAD_DIM + 2] for the kernel merge. Either way the bits are the same. A leaf's sums depend on ITEMS and
// HEAD_DIM only. Queries are scaled already; queries and pages: see epilogue.cl, EPILOGUE_QKV.
//
// Grid: (query heads / HEADS * chunks, batch rows). Options: HEAD_DIM, Q_ROWS, KV_ROWS, HEADS, ITEMS (at least
// HEAD_DIM / 4), SPLIT, AHEAD 1: all that an item reads of a leaf is on its way at once (for GPUs with
// registers to spare; needs LEAF items).
#define Q_HEADS (Q_ROWS / HEAD_DIM)
#define V_COLUMNS (HEAD_DIM / 4)
#define V_GROUPS (ITEMS / V_COLUMNS)  // of positions, summed in their order
#define SOFTMAX_PARTS 16              // of a leaf: part i takes positions i, i + 16, ...; then in order
#define RESULTS ((HEADS * V_COLUMNS + ITEMS - 1) / ITEMS)  // float4 that an item folds
#if AHEAD
#if ITEMS != LEAF
#error an item has one position
#endif
#define VALUES_AT_ONCE ((LEAF + V_GROUPS - 1) / V_GROUPS)
#else
#define KEYS_AT_ONCE (V_COLUMNS % 4 == 0 ? 4 : V_COLUMNS % 2 == 0 ? 2 : 1)  // on their way while none is needed
#endif
#define SUM_OF(v) (((v).x + (v).y) + ((v).z + (v).w))

// Four halves of a page in one load: what vload_half4 becomes is four.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half4 page_t;
#define PAGE_FLOAT4(p, i) convert_float4((p)[i])
#define AHEAD_FLOAT4(v) convert_float4(v)
#else
typedef ushort4 page_t;
#define PAGE_FLOAT4(p, i) vloada_half4(i, (__global const half*)(p))
#define AHEAD_FLOAT4(v) vloada_half4(0, (const half*)&(v))
#endif

// Of position i of the leaf.
#define KEY_AT(i) (leaf_pages[(i) / PAGE_TOKENS] * (KV_ROWS / 2 * PAGE_TOKENS) + kv_base + (i) % PAGE_TOKENS)
#define VALUE_AT(i)                                                                                   \
    (leaf_pages[(i) / PAGE_TOKENS] * (KV_ROWS / 2 * PAGE_TOKENS) + (KV_ROWS / 4 * PAGE_TOKENS) + kv_base + \
     (i) % PAGE_TOKENS * V_COLUMNS + v_column)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    __global uchar* activations, uint queries_at, __global const int* step, __global const page_t* kv,
#if SPLIT
    __global float2* partials
#else
    NEXT_ARGS
#endif
) {
    __local float4 query[HEADS * V_COLUMNS];
    __local float weights[HEADS * LEAF];
    __local float parts[HEADS * SOFTMAX_PARTS];
    __local float4 v_parts[HEADS * ITEMS];
    __local float largest[HEADS];
    __local uint leaf_pages[LEAF / PAGE_TOKENS];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
#if SPLIT
    const uint chunks = (uint)step[STEP_CHUNKS];
    const uint chunk = (uint)get_group_id(0) % chunks;
    const uint first_head = (uint)get_group_id(0) / chunks * HEADS;
    const uint count = (uint)step[STEP_POSITION(row)] + 1;
    const uint begin = chunk * LEAF;
    const uint end = chunks != 1 && begin + LEAF < count ? begin + LEAF : count;
#else
    const uint first_head = get_group_id(0) * HEADS;
    const uint begin = 0, end = (uint)step[STEP_POSITION(row)] + 1;
#endif
    const uint kv_base = first_head / (Q_ROWS / KV_ROWS) * (PAGE_TOKENS * V_COLUMNS);
    __global const int* pages = step + STEP_PAGES(step[STEP_SLOT(row)]);

    __global const float4* queries = (__global const float4*)(activations + queries_at);
    FOR_SHARE(i, item, ITEMS, HEADS * V_COLUMNS) {
        query[i] = queries[row * (Q_ROWS / 4) + first_head * V_COLUMNS + i];
    }

    const uint v_column = item % V_COLUMNS;
    const uint v_group = item / V_COLUMNS;
    float maximum[RESULTS], sum[RESULTS];
    float4 acc[RESULTS];
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        maximum[r] = -INFINITY;
        sum[r] = 0.0f;
        acc[r] = (float4)(0.0f);
    }
    for (uint leaf = begin; leaf < end; leaf += LEAF) {
        // Bounds that are seen to be constants have compilers write a loop out: hence no min() here, and below loops
        // that do not begin at 0.
        const uint in_leaf = leaf + LEAF <= end ? LEAF : end % LEAF;

        // Read once: an item would wait for a page's number before it may wait for what the page holds.
        for (uint i = item; i * PAGE_TOKENS < in_leaf; i += ITEMS) leaf_pages[i] = (uint)pages[leaf / PAGE_TOKENS + i];
        barrier(CLK_LOCAL_MEM_FENCE);
#if AHEAD
        // The keys of one position and its share of the values, in the order in which they are needed.
        page_t key_ahead[V_COLUMNS], ahead[VALUES_AT_ONCE];
        if (item < in_leaf) {
#pragma unroll
            for (uint c = 0; c < V_COLUMNS; ++c) key_ahead[c] = kv[KEY_AT(item) + c * PAGE_TOKENS];
        }
#pragma unroll
        for (uint n = 0; n < VALUES_AT_ONCE; ++n) {
            const uint i = v_group + n * V_GROUPS;
            if (v_group < V_GROUPS && i < in_leaf) ahead[n] = kv[VALUE_AT(i)];
        }
        if (item < in_leaf) {
            float4 products[HEADS];
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) products[h] = (float4)(0.0f);
#pragma unroll
            for (uint c = 0; c < V_COLUMNS; ++c) {
                const float4 column = AHEAD_FLOAT4(key_ahead[c]);
#pragma unroll
                for (uint h = 0; h < HEADS; ++h) products[h] = mad(query[h * V_COLUMNS + c], column, products[h]);
            }
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) weights[h * LEAF + item] = SUM_OF(products[h]);
        }
#else
        FOR_SHARE(i, item, ITEMS, LEAF) if (i < in_leaf) {
            __global const page_t* key = kv + KEY_AT(i);
            __global const page_t* const end_of_keys = key + V_COLUMNS * PAGE_TOKENS;
            float4 products[HEADS];
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) products[h] = (float4)(0.0f);
            for (uint c = 0; key != end_of_keys; c += KEYS_AT_ONCE, key += KEYS_AT_ONCE * PAGE_TOKENS) {
                float4 columns[KEYS_AT_ONCE];
#pragma unroll
                for (uint n = 0; n < KEYS_AT_ONCE; ++n) columns[n] = PAGE_FLOAT4(key, n * PAGE_TOKENS);
#pragma unroll
                for (uint n = 0; n < KEYS_AT_ONCE; ++n) {
#pragma unroll
                    for (uint h = 0; h < HEADS; ++h) {
                        products[h] = mad(query[h * V_COLUMNS + c + n], columns[n], products[h]);
                    }
                }
            }
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) weights[h * LEAF + i] = SUM_OF(products[h]);
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        // Not fmax: exp() below keeps a NaN, which must go on to the result.
        FOR_SHARE(i, item, ITEMS, HEADS * SOFTMAX_PARTS) {
            __local const float* scores = weights + i / SOFTMAX_PARTS * LEAF;
            float part = -INFINITY;
            for (uint n = i % SOFTMAX_PARTS; n < in_leaf; n += SOFTMAX_PARTS) {
                part = scores[n] > part ? scores[n] : part;
            }
            parts[i] = part;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_SHARE(h, item, ITEMS, HEADS) {
            float part = parts[h * SOFTMAX_PARTS];
            for (uint n = h * SOFTMAX_PARTS + 1; n < (h + 1) * SOFTMAX_PARTS; ++n) part = fmax(part, parts[n]);
            largest[h] = part;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < (HEADS - 1) * LEAF + in_leaf; i += ITEMS) {
            if (i % LEAF < in_leaf) weights[i] = exp(weights[i] - largest[i / LEAF]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_SHARE(i, item, ITEMS, HEADS * SOFTMAX_PARTS) {
            float part = 0.0f;
            for (uint n = i % SOFTMAX_PARTS; n < in_leaf; n += SOFTMAX_PARTS) {
                part += weights[i / SOFTMAX_PARTS * LEAF + n];
            }
            parts[i] = part;
        }
        // Nobody waits for it here, but without it PoCL 3.1 takes every item into the condition above.
        barrier(CLK_LOCAL_MEM_FENCE);

        float4 v_part[HEADS];
#pragma unroll
        for (uint h = 0; h < HEADS; ++h) v_part[h] = (float4)(0.0f);
        if (v_group < V_GROUPS) {
#if AHEAD
#pragma unroll
            for (uint n = 0; n < VALUES_AT_ONCE; ++n) {
                const uint i = v_group + n * V_GROUPS;
                if (i >= in_leaf) break;
                const float4 value = AHEAD_FLOAT4(ahead[n]);
#else
#pragma unroll 4
            for (uint i = v_group; i < in_leaf; i += V_GROUPS) {
                const float4 value = PAGE_FLOAT4(kv, VALUE_AT(i));
#endif
#pragma unroll
                for (uint h = 0; h < HEADS; ++h) {
                    v_part[h] = mad((float4)(weights[h * LEAF + i]), value, v_part[h]);
                }
            }
        }
#pragma unroll
        for (uint h = 0; h < HEADS; ++h) v_parts[h * ITEMS + item] = v_part[h];
        barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
        for (uint r = 0; r < RESULTS; ++r) {
            const uint head = min((item + r * ITEMS) / V_COLUMNS, (uint)(HEADS - 1));
            const uint column = (item + r * ITEMS) % V_COLUMNS;
            float leaf_sum = parts[head * SOFTMAX_PARTS];
            for (uint n = head * SOFTMAX_PARTS + 1; n < (head + 1) * SOFTMAX_PARTS; ++n) leaf_sum += parts[n];
            float4 leaf_acc = v_parts[head * ITEMS + column];
            const uint first = head * ITEMS + column;
            for (uint n = first + V_COLUMNS; n < first + V_GROUPS * V_COLUMNS; n += V_COLUMNS) leaf_acc += v_parts[n];
            FOLD(maximum[r], sum[r], acc[r], largest[head], leaf_sum, leaf_acc);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#if SPLIT
    if (begin >= end) return;
    __global float2* partial = partials + (row * chunks + chunk) * (Q_HEADS * (HEAD_DIM / 2 + 1));
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        const uint result = item + r * ITEMS;
        if (result >= HEADS * V_COLUMNS) continue;
        __global float2* to = partial + (first_head + result / V_COLUMNS) * (HEAD_DIM / 2 + 1);
        to[2 * (result % V_COLUMNS)] = acc[r].lo;
        to[2 * (result % V_COLUMNS) + 1] = acc[r].hi;
        if (result % V_COLUMNS == 0) to[HEAD_DIM / 2] = (float2)(maximum[r], sum[r]);
    }
#else
    // HEADS * HEAD_DIM is a multiple of 32.
    __local float* made = (__local float*)query;
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        const uint result = item + r * ITEMS;
        if (result < HEADS * V_COLUMNS) vstore4(acc[r] * (1.0f / sum[r]), result, made);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_SHARE(i, item, ITEMS, HEADS * HEAD_DIM / 8) {
        write_record(activations, NEXT_ROW(row), next_columns, first_head * HEAD_DIM / 8 + i, made + i / 4 * 32);
    }
#endif
}

#else
// Folds what the chunks of a row's attention left, in their order, and writes the records that the output product reads.
//
// An item takes four columns. Grid: (ceil(columns / MERGE_COLUMNS), batch rows). Options: HEAD_DIM, Q_ROWS.
#define MERGE_COLUMNS (4 * GROUP)
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
#endif
