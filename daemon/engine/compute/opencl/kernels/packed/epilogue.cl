// What a product kernel does with its sums. product.cl has the dot products and expands these:
//
//     EPILOGUE_ARGS             the kernel's last parameters
//     INPUT_ROW(batch_row)      the row of `record` that batch row reads
//     EPILOGUE_BEGIN            once, at the start, by every item of the group; a barrier follows before
//     EPILOGUE_FOLD             once, before the first FINISH, by every item of the group; a barrier follows if FOLDS
//     FINISH(sum, pair, batch_row, column)   for each result of an item: float2 sum of rows 2 pair and 2 pair + 1;
//                               column < COLUMNS is batch_row's place in the group
//     FINISH_GROUP              once, at the end, by every item of the group; begins with a barrier where it needs one
//
// It uses from product.cl: ITEM (0 .. ITEMS - 1), ITEMS, GROUP_PAIRS (pairs of the group), FIRST_PAIR and FIRST_ROW (of
// the group), COLUMNS, and n_pairs, the kernel's argument: no FINISH for pairs from there on. Batch rows past the last and padding rows of a matrix are computed like others, into memory
// that nobody reads, except where said.
//
// A product's result is v = rs * (dot - mean * norm_sum[row]) + shift[row]: the record holds x times the norm's weight
// w, and of the rest of the norm only (rs, mean) are missing, from the stats. norm_sum = W w and shift = W b + bias come
// from the host, for all rows of the output. RMSNorm has no mean; without a norm rs is 1.
//
// Options: INPUT_NORM (0 none, 1 RMSNorm, 2 LayerNorm), SHIFT (0: all shifts are zero),
//          EPILOGUE: one of the names below; and what each says.
#define EPILOGUE_QKV 1       // bias, rotary, queries scaled, keys and values into their page
#define EPILOGUE_RESIDUAL 2  // x += v; records of x for the next norm
#define EPILOGUE_GELU 3      // h = gelu(v); records
#define EPILOGUE_SWIGLU 4    // rows are (gate, up) pairs: h = gate / (1 + exp(-gate)) * up; records
#define EPILOGUE_STORE 5     // y = v: a gate that lies apart from its up
#define EPILOGUE_GATED 6     // h = gate / (1 + exp(-gate)) * v with the stored gate; records
#define EPILOGUE_LOGITS 7    // penalties, logits, the group's part of the choice

#define GROUP_ROWS (2 * GROUP_PAIRS)

#if INPUT_NORM
#define NORM_ARGS , float norm_width, float norm_epsilon
#define NORM_CHAINS 16  // partial sums of a row: part i takes blocks i, i + 16, ...; then in order
#define FOLDS 1
#define ADD_NORM                                                                                  \
    __local float2 norm_parts[COLUMNS * NORM_CHAINS];                                             \
    __local float2 norm_scale[COLUMNS];                                                           \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * NORM_CHAINS) {                                            \
        const uint row = INPUT_ROW(FIRST_ROW + i / NORM_CHAINS);                                  \
        float2 sum = (float2)(0.0f);                                                              \
        for (uint b = i % NORM_CHAINS; b < record_columns / 32; b += NORM_CHAINS) sum += RECORD_STATS(row, b); \
        norm_parts[i] = sum;                                                                      \
    }
#define EPILOGUE_FOLD \
    FOR_SHARE(n, ITEM, ITEMS, COLUMNS) {                                                          \
        float2 sum = norm_parts[n * NORM_CHAINS];                                                 \
        for (uint i = 1; i < NORM_CHAINS; ++i) sum += norm_parts[n * NORM_CHAINS + i];            \
        norm_scale[n] = scale_of_norm(sum, norm_width, norm_epsilon);                             \
    }

// (rs, rs * mean) of a row of `width` values.
static inline float2 scale_of_norm(float2 sums, float width, float epsilon) {
#if INPUT_NORM == 2
    const float mean = sums.x / width;
    float variance = sums.y / width - mean * mean;
    variance = variance < 0.0f ? 0.0f : variance;  // not fmax: a NaN must go on
#else
    const float mean = 0.0f, variance = sums.y / width;
#endif
    const float rs = 1.0f / sqrt(variance + epsilon);
    return (float2)(rs, rs * mean);
}
#else
#define NORM_ARGS
#define FOLDS 0
#define ADD_NORM
#define EPILOGUE_FOLD
#endif

#if INPUT_NORM == 2
#define NORM_SUM_ARG , __global const float2* norm_sum
#define NORMED(sum, pair, column) ((sum) * norm_scale[column].x - norm_scale[column].y * norm_sum[first_pair + (pair)])
#elif INPUT_NORM == 1
#define NORM_SUM_ARG
#define NORMED(sum, pair, column) ((sum) * norm_scale[column].x)
#else
#define NORM_SUM_ARG
#define NORMED(sum, pair, column) (sum)
#endif
#if SHIFT
#define SHIFT_ARG , __global const float2* shift
#define SHIFTED(v, pair) ((v) + shift[first_pair + (pair)])
#else
#define SHIFT_ARG
#define SHIFTED(v, pair) (v)
#endif
#define RESULT(sum, pair, column) SHIFTED(NORMED(sum, pair, column), pair)
// first_pair: where this matrix's pairs lie among those of the whole output.
#define RESULT_ARGS uint first_pair NORM_ARGS NORM_SUM_ARG SHIFT_ARG

static inline float gelu(float v) {  // the tanh form
    const float z = 0.7978845608028654f * (v + 0.044715f * v * v * v);
    return v / (1.0f + exp(-2.0f * z));
}
static inline float swish(float v) { return v / (1.0f + exp(-v)); }

#if EPILOGUE == EPILOGUE_QKV
// Pairs: the queries', the keys', the values', each padded to whole tiles of PAIRS_OF(rows). Pair i of a head is rotated by
// turn i where i < N_ROT / 2. Queries and keys are stored in the order of pairs, whichever dimensions those are: their
// product does not mind. A page of keys is [kv head][HEAD_DIM / 4][PAGE_TOKENS] half4, one of values
// [kv head][PAGE_TOKENS][HEAD_DIM] half. Only rows of the batch touch pages.
// Further options: HEAD_DIM, Q_ROWS, KV_ROWS, N_ROT.
#define PAIRS_OF(rows) (((rows) + 63) / 64 * 32)
#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS                                                                                                 \
    RESULT_ARGS, __global float2 *queries, float query_scale, __global const float2 *rotation, __global ushort *keys, \
        __global ushort *values, __global const int *step, __global const uint *page_tables
#define FINISH(sum, pair, batch_row, column)                                                                \
    finish_qkv(RESULT(sum, pair, column), first_pair + (pair), batch_row, queries, query_scale, rotation, keys, values, \
               step, page_tables);
#define FINISH_GROUP

static inline float2 rotated(float2 v, uint in_head, uint position, __global const float2* rotation) {
#if N_ROT > 0
    if (in_head < N_ROT / 2) {
        const float2 turn = rotation[position * (N_ROT / 2) + in_head];
        return (float2)(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x);
    }
#endif
    return v;
}

static inline void finish_qkv(float2 v, uint pair, uint row, __global float2* queries, float query_scale,
                              __global const float2* rotation, __global ushort* keys, __global ushort* values,
                              __global const int* step, __global const uint* page_tables) {
    if (row >= (uint)step[STEP_ROW_COUNT]) return;
    const uint position = (uint)step[STEP_POSITION(row)];
    if (pair < PAIRS_OF(Q_ROWS)) {
        if (pair >= Q_ROWS / 2) return;
        queries[row * (Q_ROWS / 2) + pair] = rotated(v, pair % (HEAD_DIM / 2), position, rotation) * query_scale;
        return;
    }
    pair -= PAIRS_OF(Q_ROWS);
    const bool is_value = pair >= PAIRS_OF(KV_ROWS);
    if (is_value) pair -= PAIRS_OF(KV_ROWS);
    if (pair >= KV_ROWS / 2) return;
    const uint kv_head = pair / (HEAD_DIM / 2), in_head = pair % (HEAD_DIM / 2), in_page = position % PAGE_TOKENS;
    const uint page = page_tables[(uint)step[STEP_SLOT(row)] * MAX_PAGES + position / PAGE_TOKENS];
    const uint base = page * (KV_ROWS * PAGE_TOKENS) + kv_head * (PAGE_TOKENS * HEAD_DIM);
    if (is_value) {
        vstore_half2_rte(v, 0, (__global half*)(values + base + in_page * HEAD_DIM + 2 * in_head));
    } else {
        vstore_half2_rte(rotated(v, in_head, position, rotation), 0,
                         (__global half*)(keys + base + (in_head / 2 * PAGE_TOKENS + in_page) * 4 + in_head % 2 * 2));
    }
}

#elif EPILOGUE == EPILOGUE_RESIDUAL
// residual is x, [rows][padded columns]; next_norm, padded with zeros, is the weight of the norm that reads x next.
#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS                                                                                      \
    RESULT_ARGS, __global float2 *residual, __global const float2 *next_norm, __global uchar *next, uint next_bytes, \
        uint next_columns
#define FINISH(sum, pair, batch_row, column)                                                          \
    if (2 * (first_pair + (pair)) < next_columns) {                                                   \
        const uint out_pair = first_pair + (pair), at = (column)*GROUP_PAIRS + (pair)-FIRST_PAIR;     \
        const float2 new_x = residual[(batch_row) * (next_columns / 2) + out_pair] + RESULT(sum, pair, column); \
        residual[(batch_row) * (next_columns / 2) + out_pair] = new_x;                                       \
        vstore2(new_x, at, made_x);                                                                   \
        vstore2(new_x * next_norm[out_pair], at, made);                                               \
    }
#define GROUP_OUTPUTS GROUP_ROWS
#define MADE_X 1

#elif EPILOGUE == EPILOGUE_STORE
#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS RESULT_ARGS, __global float2 *y, uint y_columns
#define FINISH(sum, pair, batch_row, column)                                                                   \
    if (2 * (first_pair + (pair)) < y_columns) {                                                               \
        y[(batch_row) * (y_columns / 2) + first_pair + (pair)] = RESULT(sum, pair, column);                    \
    }
#define FINISH_GROUP

#elif EPILOGUE == EPILOGUE_GELU || EPILOGUE == EPILOGUE_SWIGLU || EPILOGUE == EPILOGUE_GATED
#define INPUT_ROW(batch_row) (batch_row)
#define MADE_X 0
#if EPILOGUE == EPILOGUE_SWIGLU
#define EPILOGUE_ARGS RESULT_ARGS, __global uchar *next, uint next_bytes, uint next_columns
#define GROUP_OUTPUTS GROUP_PAIRS
#define FINISH(sum, pair, batch_row, column)                                          \
    {                                                                                 \
        const float2 v = RESULT(sum, pair, column);                                   \
        made[(column)*GROUP_PAIRS + (pair)-FIRST_PAIR] = swish(v.x) * v.y;            \
    }
#else
#define GROUP_OUTPUTS GROUP_ROWS
#if EPILOGUE == EPILOGUE_GELU
#define EPILOGUE_ARGS RESULT_ARGS, __global uchar *next, uint next_bytes, uint next_columns
#define ACTIVATED(v, out_pair, batch_row) (float2)(gelu((v).x), gelu((v).y))
#else
#define EPILOGUE_ARGS \
    RESULT_ARGS, __global uchar *next, uint next_bytes, uint next_columns, __global const float2 *gate
#define ACTIVATED(v, out_pair, batch_row) gated(gate[(batch_row) * (next_columns / 2) + (out_pair)], v)
static inline float2 gated(float2 gate, float2 v) { return (float2)(swish(gate.x) * v.x, swish(gate.y) * v.y); }
#endif
#define FINISH(sum, pair, batch_row, column)                                                    \
    if (2 * (first_pair + (pair)) < next_columns) {                                             \
        const float2 v = RESULT(sum, pair, column);                                             \
        vstore2(ACTIVATED(v, first_pair + (pair), batch_row), (column)*GROUP_PAIRS + (pair)-FIRST_PAIR, made); \
    }
#endif

#elif EPILOGUE == EPILOGUE_LOGITS
// Rows are ids. A batch row is an output. Needs noise.cl and choice.cl. Rows past the vocabulary and outputs past the last
// leave nothing.
#define INPUT_ROW(batch_row) \
    (uint) step[STEP_OUTPUT_ROW((batch_row) < (uint)step[STEP_OUTPUT_COUNT] ? (batch_row) : 0)]
#define EPILOGUE_ARGS                                                                                            \
    RESULT_ARGS, __global float *logits, uint n_vocab, __global const uint *requests, __global const int *step, \
        __global uint *summaries, uint first_group, uint groups
#define FINISH(sum, pair, batch_row, column) \
    vstore2(RESULT(sum, pair, column), (column)*GROUP_PAIRS + (pair)-FIRST_PAIR, made);
#define EPILOGUE_LOCAL                     \
    __local float made[COLUMNS * GROUP_ROWS];   \
    __local float scores[COLUMNS * GROUP_ROWS]; \
    __local choice_t choices[COLUMNS * CHOICE_PARTS]; \
    __local float sums[COLUMNS * CHOICE_PARTS];
#define MAX_PENALTY_IDS (REQUEST_WORDS - REQUEST_PENALTY_IDS)
#define CHOICE_PARTS 8  // that the group's ids are reduced in
#define PART_BEGIN(i) ((i) % CHOICE_PARTS * (GROUP_ROWS / CHOICE_PARTS))
#define PART_END(i) (PART_BEGIN(i) + GROUP_ROWS / CHOICE_PARTS)
#define FINISH_GROUP                                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    const uint outputs = min((uint)COLUMNS, (uint)step[STEP_OUTPUT_COUNT] - FIRST_ROW);                              \
    const uint first_id = 2 * (first_pair + FIRST_PAIR);                                                             \
    const uint ids = min(min((uint)GROUP_ROWS, 2 * (n_pairs - FIRST_PAIR)), n_vocab - min(first_id, n_vocab));       \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * MAX_PENALTY_IDS) if (i < outputs * MAX_PENALTY_IDS) {                        \
        penalise(made + i / MAX_PENALTY_IDS * GROUP_ROWS, first_id, ids,                                             \
                 requests + (FIRST_ROW + i / MAX_PENALTY_IDS) * REQUEST_WORDS, i % MAX_PENALTY_IDS);                 \
    }                                                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * GROUP_ROWS) if (i < outputs * GROUP_ROWS) {                                  \
        const uint output = FIRST_ROW + i / GROUP_ROWS, n = i % GROUP_ROWS;                                          \
        if (n >= ids) continue;                                                                                      \
        logits[output * n_vocab + first_id + n] = made[i];                                                           \
        scores[i] = score_of(made[i], first_id + n, requests + output * REQUEST_WORDS);                              \
    }                                                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * CHOICE_PARTS) if (i < outputs * CHOICE_PARTS) {                              \
        const uint of_output = i / CHOICE_PARTS * GROUP_ROWS;                                                        \
        choices[i] = choice_among(made + of_output, scores + of_output, PART_BEGIN(i), min(ids, PART_END(i)), first_id); \
    }                                                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * CHOICE_PARTS) if (i < outputs * CHOICE_PARTS) {                              \
        const uint first = i / CHOICE_PARTS * CHOICE_PARTS;                                                          \
        float largest = choices[first].largest;                                                                      \
        for (uint n = first + 1; n < first + CHOICE_PARTS; ++n) largest = fmax(largest, choices[n].largest);         \
        sums[i] = sum_of_exp(made + i / CHOICE_PARTS * GROUP_ROWS, PART_BEGIN(i), min(ids, PART_END(i)), largest);   \
    }                                                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    FOR_SHARE(n, ITEM, ITEMS, COLUMNS) if (n < outputs) {                                                            \
        choice_t best = no_choice();                                                                                 \
        float sum = 0.0f;                                                                                            \
        for (uint i = n * CHOICE_PARTS; i < (n + 1) * CHOICE_PARTS; ++i) {                                           \
            best = merged_choice(best, choices[i]);                                                                  \
            sum += sums[i];                                                                                          \
        }                                                                                                            \
        best.sum = sum;                                                                                              \
        store_choice(summaries + (FIRST_ROW + n) * (CHOICE_WORDS * groups), groups,                                  \
                     first_group + FIRST_PAIR / GROUP_PAIRS, best);                                                  \
    }

static inline void penalise(__local float* made, uint first_id, uint ids, __global const uint* request, uint i) {
    if (i >= request[REQUEST_PENALTY_COUNT]) return;
    const uint at = request[REQUEST_PENALTY_IDS + i] - first_id;
    if (at >= ids) return;
    const float penalty = as_float(request[REQUEST_PENALTY]), logit = made[at];
    made[at] = logit > 0.0f ? logit / penalty : logit * penalty;
}

static inline float score_of(float logit, uint id, __global const uint* request) {
    const float temperature = as_float(request[REQUEST_TEMPERATURE]);
    return temperature > 0.0f ? logit / temperature + gumbel_noise(request[REQUEST_KEY], id) : logit;
}

static inline choice_t choice_among(__local const float* logits, __local const float* scores, uint begin, uint end,
                                    uint first_id) {
    choice_t best = no_choice();
    for (uint n = begin; n < end; ++n) {
        // Bits, not isfinite(): exact under every compiler.
        best.bad |= (as_uint(logits[n]) & 0x7f800000u) == 0x7f800000u;
        best.largest = fmax(best.largest, logits[n]);
        if (scores[n] > best.score || best.id == NO_ID) {
            best.score = scores[n];
            best.id = first_id + n;
        }
    }
    return best;
}

static inline float sum_of_exp(__local const float* logits, uint begin, uint end, float largest) {
    float sum = 0.0f;
    for (uint n = begin; n < end; ++n) sum += exp(logits[n] - largest);
    return sum;
}
#endif

#ifdef GROUP_OUTPUTS
#define OUTPUTS_PER_PAIR (GROUP_OUTPUTS / GROUP_PAIRS)
#if MADE_X
#define EPILOGUE_LOCAL                           \
    __local float made[COLUMNS * GROUP_OUTPUTS]; \
    __local float made_x[COLUMNS * GROUP_OUTPUTS];
#define WRITE_STATS(record, eight, at) \
    if ((eight) % 4 == 0) write_stats(record, next_columns, (eight) / 4, made_x + (at));
#else
#define EPILOGUE_LOCAL __local float made[COLUMNS * GROUP_OUTPUTS];
#define WRITE_STATS(record, eight, at)
#endif
// GROUP_OUTPUTS is a multiple of 32, so a block of a record is made by one group.
#define FINISH_GROUP                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                         \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * (GROUP_OUTPUTS / 8)) {                                            \
        const uint of_column = i / (GROUP_OUTPUTS / 8), of_group = i % (GROUP_OUTPUTS / 8);               \
        const uint eight = (first_pair + FIRST_PAIR) * OUTPUTS_PER_PAIR / 8 + of_group;                   \
        if (8 * of_group >= (n_pairs - FIRST_PAIR) * OUTPUTS_PER_PAIR || 8 * eight >= next_columns) continue; \
        __global uchar* to = next + (FIRST_ROW + of_column) * next_bytes;                                 \
        const uint at = of_column * GROUP_OUTPUTS + of_group / 4 * 32;                                    \
        write_record(to, next_columns, eight, made + at);                                                 \
        WRITE_STATS(to, eight, at)                                                                        \
    }
#endif

#ifndef EPILOGUE_LOCAL
#define EPILOGUE_LOCAL
#endif
#define EPILOGUE_BEGIN \
    EPILOGUE_LOCAL     \
    ADD_NORM
