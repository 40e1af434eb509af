// Attention: the kernel attention or, with the option MERGE, the kernel merge. Both need activations.cl.

// The first position that is seen from one.
#ifdef WINDOW
#define FIRST_SEEN(position) ((position) < WINDOW ? 0 : (position) + 1 - WINDOW)
#else
#define FIRST_SEEN(position) 0
#endif

// FOLD takes one more KV split, or several that are folded already, into (maximum, sum, weighted V).
#define FOLD(maximum, sum, acc, split_max, split_sum, split_acc) \
    {                                                            \
        const float new_max = fmax(maximum, split_max);          \
        const float old_scale = exp((maximum)-new_max);          \
        const float split_scale = exp((split_max)-new_max);      \
        sum = (sum)*old_scale + (split_sum)*split_scale;         \
        acc = (acc)*old_scale + (split_acc)*split_scale;         \
        maximum = new_max;                                       \
    }

#ifndef MERGE
// softmax(q . K) V of HEADS query heads that share a key/value head, over the positions 0..position of a row's slot.
//
// With the option WINDOW only the last WINDOW positions are seen: what is before them is neither read nor multiplied, since
// it may hold anything. With SCORE_CAP a score s becomes SCORE_CAP * tanh(s / SCORE_CAP).
//
// Positions are cut into KV splits of KV_SPLIT. Each split gives (maximum, sum, weighted V), and they are folded from left
// to right. With SPLIT 0 a group walks all splits of a row and writes the result as quantized activations; with SPLIT 1 it
// walks its chunk (all splits where the step has one chunk, else one split) and leaves (weighted V, maximum, sum) in
// `partials` [row][chunk][head][HEAD_DIM + 2] for the kernel merge. Both ways give the same bits. The sums of a split
// depend on ITEMS and HEAD_DIM only. Queries are scaled already; epilogue.cl, EPILOGUE_QKV, says how queries and pages lie.
//
// Grid: (query heads / HEADS * chunks, batch rows). Options: HEAD_DIM, Q_ROWS, KV_ROWS, HEADS, ITEMS (at least HEAD_DIM /
// 4), SPLIT, AHEAD. With AHEAD 1 an item loads what it reads of a split at once, of heads of more than 128 half of it: for
// GPUs with registers to spare; it needs KV_SPLIT items.
#define Q_HEADS (Q_ROWS / HEAD_DIM)
#define V_VEC4S (HEAD_DIM / 4)
#define V_GROUPS (ITEMS / V_VEC4S)  // groups of positions, summed in their order
#define SOFTMAX_PARTS 16              // of a split: part i takes positions i, i + 16, ...; then in order
#define RESULTS ((HEADS * V_VEC4S + ITEMS - 1) / ITEMS)  // float4s that an item folds
#if AHEAD
#if ITEMS != KV_SPLIT
#error an item has one position
#endif
#define MOST_AHEAD 32  // of each; 64 of both spill
#define VALUES_OF_ITEM ((KV_SPLIT + V_GROUPS - 1) / V_GROUPS)
#define VALUES_AT_ONCE (VALUES_OF_ITEM > MOST_AHEAD ? (VALUES_OF_ITEM + 1) / 2 : VALUES_OF_ITEM)
#define KEYS_AT_ONCE (V_VEC4S > MOST_AHEAD && V_VEC4S % 2 == 0 ? V_VEC4S / 2 : V_VEC4S)
#define LOAD_KEY(c, first) key_ahead[c] = kv[KEY_AT(item) + ((first) + (c)) * PAGE_TOKENS];
#define LOAD_VALUE(n, first)                                                                \
    {                                                                                       \
        const uint i = v_group + ((first) + (n)) * V_GROUPS;                                \
        if (v_group < V_GROUPS && i < in_split && IS_SEEN(i)) ahead[n] = kv[VALUE_AT(i)];   \
    }
#else
#define KEYS_AT_ONCE (V_VEC4S % 4 == 0 ? 4 : V_VEC4S % 2 == 0 ? 2 : 1)  // on their way while none is needed
#endif
#define SUM_OF(v) (((v).x + (v).y) + ((v).z + (v).w))
#ifdef SCORE_CAP
#define SCORE_OF(v) (SCORE_CAP * tanh(SUM_OF(v) * (1.0f / SCORE_CAP)))
#else
#define SCORE_OF(v) SUM_OF(v)
#endif

// One load brings four halves of a page; a vload_half4 becomes four loads.
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

// Which positions of a split are seen, and the first of them that a part of the softmax takes.
#ifdef WINDOW
#define BEGIN_OF_SEEN(begin) max(begin, first_seen / KV_SPLIT * KV_SPLIT)
#define IS_SEEN(i) ((i) >= unseen)
#define FIRST_OF_PART(part) ((part) + (unseen + SOFTMAX_PARTS - 1 - (part)) / SOFTMAX_PARTS * SOFTMAX_PARTS)
#else
#define BEGIN_OF_SEEN(begin) begin
#define IS_SEEN(i) true
#define FIRST_OF_PART(part) (part)
#endif

#define WEIGHT_OF(head, i) (float4)(weights[(head)*KV_SPLIT + (i)])

// Where the key and the value of position i of the split lie.
#define KEY_AT(i) (split_pages[(i) / PAGE_TOKENS] * (KV_ROWS / 2 * PAGE_TOKENS) + kv_base + (i) % PAGE_TOKENS)
#define VALUE_AT(i)                                                                                         \
    (split_pages[(i) / PAGE_TOKENS] * (KV_ROWS / 2 * PAGE_TOKENS) + (KV_ROWS / 4 * PAGE_TOKENS) + kv_base + \
     (i) % PAGE_TOKENS * V_VEC4S + v_vec4)

typedef struct {
    uint queries_at;
#if !SPLIT
    quants_t next;
#endif
} attention_numbers_t;

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    __global uchar* activations, __global const int* step, __global const page_t* kv,
#if SPLIT
    __global float2* partials,
#endif
    const attention_numbers_t numbers) {
#if !SPLIT
    const quants_t next = numbers.next;
#endif
    __local float4 query[HEADS * V_VEC4S];
    __local float weights[HEADS * KV_SPLIT];
    __local float parts[HEADS * SOFTMAX_PARTS];
    __local float4 v_parts[HEADS * ITEMS];
    __local float largest[HEADS];
    __local uint split_pages[KV_SPLIT / PAGE_TOKENS];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
#if SPLIT
    const uint chunks = (uint)step[STEP_CHUNKS];
    const uint chunk = (uint)get_group_id(0) % chunks;
    const uint first_head = (uint)get_group_id(0) / chunks * HEADS;
    const uint count = (uint)step[STEP_POSITION(row)] + 1;
    const uint begin = chunk * KV_SPLIT;
    const uint end = chunks != 1 && begin + KV_SPLIT < count ? begin + KV_SPLIT : count;
#else
    const uint first_head = get_group_id(0) * HEADS;
    const uint begin = 0, end = (uint)step[STEP_POSITION(row)] + 1;
#endif
#ifdef WINDOW
    const uint first_seen = FIRST_SEEN((uint)step[STEP_POSITION(row)]);
#endif
    const uint kv_base = first_head / (Q_ROWS / KV_ROWS) * (PAGE_TOKENS * V_VEC4S);
    __global const int* pages = step + STEP_PAGES(step[STEP_SLOT(row)]);

    __global const float4* queries = (__global const float4*)(activations + numbers.queries_at);
    FOR_SHARE(i, item, ITEMS, HEADS * V_VEC4S) {
        query[i] = queries[row * (Q_ROWS / 4) + first_head * V_VEC4S + i];
    }

    const uint v_vec4 = item % V_VEC4S;
    const uint v_group = item / V_VEC4S;
    float maximum[RESULTS], sum[RESULTS];
    float4 acc[RESULTS];
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        maximum[r] = -INFINITY;
        sum[r] = 0.0f;
        acc[r] = (float4)(0.0f);
    }
    for (uint split_begin = BEGIN_OF_SEEN(begin); split_begin < end; split_begin += KV_SPLIT) {
        // Compilers unroll loops whose bounds they see to be constants: hence there is no min() here, and the loops below
        // do not begin at 0.
        const uint in_split = split_begin + KV_SPLIT <= end ? KV_SPLIT : end % KV_SPLIT;
#ifdef WINDOW
        const uint unseen = first_seen > split_begin ? first_seen - split_begin : 0;  // positions of the split
#endif

        // Page numbers are read once: otherwise an item would wait for a page's number before it may wait for the page.
        for (uint i = item; i * PAGE_TOKENS < in_split; i += ITEMS) {
            split_pages[i] = (uint)pages[split_begin / PAGE_TOKENS + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if AHEAD
        // These are the keys of one position and the item's share of the values, in the order in which they are needed.
        page_t key_ahead[KEYS_AT_ONCE], ahead[VALUES_AT_ONCE];
        if (item < in_split && IS_SEEN(item)) {
#pragma unroll
            for (uint c = 0; c < KEYS_AT_ONCE; ++c) LOAD_KEY(c, 0)
        }
#pragma unroll
        for (uint n = 0; n < VALUES_AT_ONCE; ++n) LOAD_VALUE(n, 0)
        if (item < in_split && IS_SEEN(item)) {
            float4 dots[HEADS];
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) dots[h] = (float4)(0.0f);
#pragma unroll
            for (uint first = 0; first < V_VEC4S; first += KEYS_AT_ONCE) {
                if (first > 0) {
#pragma unroll
                    for (uint c = 0; c < KEYS_AT_ONCE; ++c) LOAD_KEY(c, first)
                }
#pragma unroll
                for (uint c = 0; c < KEYS_AT_ONCE; ++c) {
                    const float4 key = AHEAD_FLOAT4(key_ahead[c]);
#pragma unroll
                    for (uint h = 0; h < HEADS; ++h) dots[h] = mad(query[h * V_VEC4S + first + c], key, dots[h]);
                }
            }
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) weights[h * KV_SPLIT + item] = SCORE_OF(dots[h]);
        }
#else
        FOR_SHARE(i, item, ITEMS, KV_SPLIT) if (i < in_split && IS_SEEN(i)) {
            __global const page_t* key = kv + KEY_AT(i);
            __global const page_t* const end_of_keys = key + V_VEC4S * PAGE_TOKENS;
            float4 dots[HEADS];
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) dots[h] = (float4)(0.0f);
            for (uint c = 0; key != end_of_keys; c += KEYS_AT_ONCE, key += KEYS_AT_ONCE * PAGE_TOKENS) {
                float4 keys[KEYS_AT_ONCE];
#pragma unroll
                for (uint n = 0; n < KEYS_AT_ONCE; ++n) keys[n] = PAGE_FLOAT4(key, n * PAGE_TOKENS);
#pragma unroll
                for (uint n = 0; n < KEYS_AT_ONCE; ++n) {
#pragma unroll
                    for (uint h = 0; h < HEADS; ++h) {
                        dots[h] = mad(query[h * V_VEC4S + c + n], keys[n], dots[h]);
                    }
                }
            }
#pragma unroll
            for (uint h = 0; h < HEADS; ++h) weights[h * KV_SPLIT + i] = SCORE_OF(dots[h]);
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        // This is no fmax: exp() below keeps a NaN, which must go on to the result.
        FOR_SHARE(i, item, ITEMS, HEADS * SOFTMAX_PARTS) {
            __local const float* scores = weights + i / SOFTMAX_PARTS * KV_SPLIT;
            float part = -INFINITY;
            for (uint n = FIRST_OF_PART(i % SOFTMAX_PARTS); n < in_split; n += SOFTMAX_PARTS) {
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
        for (uint i = item; i < (HEADS - 1) * KV_SPLIT + in_split; i += ITEMS) {
            if (i % KV_SPLIT < in_split && IS_SEEN(i % KV_SPLIT)) {
                weights[i] = exp(weights[i] - largest[i / KV_SPLIT]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_SHARE(i, item, ITEMS, HEADS * SOFTMAX_PARTS) {
            float part = 0.0f;
            for (uint n = FIRST_OF_PART(i % SOFTMAX_PARTS); n < in_split; n += SOFTMAX_PARTS) {
                part += weights[i / SOFTMAX_PARTS * KV_SPLIT + n];
            }
            parts[i] = part;
        }
        // No item needs this barrier: it is for ConditionForAll in runtime/quirks.cpp.
        barrier(CLK_LOCAL_MEM_FENCE);

        float4 v_part[HEADS];
#pragma unroll
        for (uint h = 0; h < HEADS; ++h) v_part[h] = (float4)(0.0f);
        if (v_group < V_GROUPS) {
#if AHEAD
#pragma unroll
            for (uint first = 0; first < VALUES_OF_ITEM; first += VALUES_AT_ONCE) {
                if (first > 0) {
#pragma unroll
                    for (uint n = 0; n < VALUES_AT_ONCE; ++n) LOAD_VALUE(n, first)
                }
#pragma unroll
                for (uint n = 0; n < VALUES_AT_ONCE; ++n) {
                    const uint i = v_group + (first + n) * V_GROUPS;
                    if (i >= in_split) break;
                    if (!IS_SEEN(i)) continue;
                    const float4 value = AHEAD_FLOAT4(ahead[n]);
#pragma unroll
                    for (uint h = 0; h < HEADS; ++h) v_part[h] = mad(WEIGHT_OF(h, i), value, v_part[h]);
                }
            }
#else
#ifndef NO_LOOP_HINTS
#pragma unroll 4
#endif
            for (uint i = v_group; i < in_split; i += V_GROUPS) {
                if (!IS_SEEN(i)) continue;
                const float4 value = PAGE_FLOAT4(kv, VALUE_AT(i));
#pragma unroll
                for (uint h = 0; h < HEADS; ++h) v_part[h] = mad(WEIGHT_OF(h, i), value, v_part[h]);
            }
#endif
        }
#pragma unroll
        for (uint h = 0; h < HEADS; ++h) v_parts[h * ITEMS + item] = v_part[h];
        barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
        for (uint r = 0; r < RESULTS; ++r) {
            const uint head = min((item + r * ITEMS) / V_VEC4S, (uint)(HEADS - 1));
            const uint value = (item + r * ITEMS) % V_VEC4S;
            float split_sum = parts[head * SOFTMAX_PARTS];
            for (uint n = head * SOFTMAX_PARTS + 1; n < (head + 1) * SOFTMAX_PARTS; ++n) split_sum += parts[n];
            float4 split_acc = v_parts[head * ITEMS + value];
            const uint first = head * ITEMS + value;
            for (uint n = first + V_VEC4S; n < first + V_GROUPS * V_VEC4S; n += V_VEC4S) split_acc += v_parts[n];
            FOLD(maximum[r], sum[r], acc[r], largest[head], split_sum, split_acc);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#if SPLIT
    if (BEGIN_OF_SEEN(begin) >= end) return;
    __global float2* partial = partials + (row * chunks + chunk) * (Q_HEADS * (HEAD_DIM / 2 + 1));
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        const uint result = item + r * ITEMS;
        if (result >= HEADS * V_VEC4S) continue;
        __global float2* to = partial + (first_head + result / V_VEC4S) * (HEAD_DIM / 2 + 1);
        to[2 * (result % V_VEC4S)] = acc[r].lo;
        to[2 * (result % V_VEC4S) + 1] = acc[r].hi;
        if (result % V_VEC4S == 0) to[HEAD_DIM / 2] = (float2)(maximum[r], sum[r]);
    }
#else
    // HEADS * HEAD_DIM is a multiple of 32.
    __local float* group_output = (__local float*)query;
#pragma unroll
    for (uint r = 0; r < RESULTS; ++r) {
        const uint result = item + r * ITEMS;
        if (result < HEADS * V_VEC4S) vstore4(acc[r] * (1.0f / sum[r]), result, group_output);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_SHARE(i, item, ITEMS, HEADS * HEAD_DIM / 8) {
        write_quantized(activations, NEXT_ROW(row), next.width, first_head * HEAD_DIM / 8 + i, group_output + i / 4 * 32);
    }
#endif
}

#else
// Folds what the chunks of a row's attention left, in their order, and writes the quantized activations that the output
// matmul reads.
//
// An item takes four values. Grid: (ceil(width / MERGE_WIDTH), batch rows). Options: HEAD_DIM, Q_ROWS.
#define PARTIAL (HEAD_DIM / 2 + 1)

__kernel GROUP_SIZE void merge(__global const float2* partials, __global const int* step,
                               __global uchar* activations, const quants_t next) {
    __local float group_output[MERGE_WIDTH];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    const uint value = get_group_id(0) * MERGE_WIDTH + 4 * item;
    const uint chunks = (uint)step[STEP_CHUNKS];
    const uint used = chunks == 1 ? 1 : (uint)step[STEP_POSITION(row)] / KV_SPLIT + 1;

    float4 result = (float4)(0.0f);
    if (value < Q_ROWS) {
        float maximum = -INFINITY, sum = 0.0f;
        float4 acc = (float4)(0.0f);
        const uint first = chunks == 1 ? 0 : FIRST_SEEN((uint)step[STEP_POSITION(row)]) / KV_SPLIT;
        for (uint chunk = first; chunk < used; ++chunk) {
            __global const float2* partial =
                partials + ((row * chunks + chunk) * (Q_ROWS / HEAD_DIM) + value / HEAD_DIM) * PARTIAL;
            const uint at = value % HEAD_DIM / 2;
            const float4 chunk_acc = (float4)(partial[at], partial[at + 1]);
            const float2 scales = partial[HEAD_DIM / 2];
            FOLD(maximum, sum, acc, scales.x, scales.y, chunk_acc)
        }
        result = acc * (1.0f / sum);
    }
    vstore4(result, item, group_output);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint eight = get_group_id(0) * (MERGE_WIDTH / 8) + item;
    if (item < MERGE_WIDTH / 8 && 8 * eight < next.width) {
        write_quantized(activations, NEXT_ROW(row), next.width, eight, group_output + item / 4 * 32);
    }
}
#endif
