// EPILOGUE_LOGITS (see epilogue.cl): penalties, logits and the group's part of the choice. Rows are ids. A batch row is an
// output. Rows past the vocabulary and outputs past the last leave nothing; ids that a mask leaves out only their logit, and
// whether it is finite. Needs sample_exchange.cl, noise.cl, choice.cl.
//
// What a group's ids add up to does not depend on their order, but for the sum, which one item adds in theirs.

#define INPUT_ROW(batch_row) (uint) step[STEP_OUTPUT_ROW(batch_row)]
#define EPILOGUE_ARGS                                                                                            \
    RESULT_ARGS, __global float *logits, uint n_vocab, __global const uint *requests, __global const int *step, \
        __global uint4 *summaries, uint first_group, uint groups
#define FINISH(sum, pair, batch_row, column) \
    vstore2(RESULT(sum, pair, column), (column)*GROUP_PAIRS + (pair)-FIRST_PAIR, made);

// Local memory: logits, scores and then exp(logit - largest) by column and id; and of each column the greatest of both as
// in_order(), and the lowest id that has the best score.
#define EPILOGUE_LOCAL                                                            \
    __local float made[COLUMNS * GROUP_ROWS];                                     \
    __local float scores[COLUMNS * GROUP_ROWS];                                   \
    __local uint best_score[COLUMNS], largest[COLUMNS], best_id[COLUMNS];         \
    FOR_SHARE(n, ITEM, ITEMS, COLUMNS) {                                          \
        best_score[n] = largest[n] = LEAST_IN_ORDER;                              \
        best_id[n] = NO_ID;                                                       \
    }

#define MAX_PENALTY_IDS (REQUEST_WORDS - REQUEST_PENALTY_IDS)
#define FINISH_GROUP                                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
    const uint outputs = COLUMNS == 1 ? 1 : min((uint)COLUMNS, (uint)step[STEP_OUTPUT_COUNT] - FIRST_ROW);     \
    const uint first_id = 2 * (first_pair + FIRST_PAIR);                                                       \
    const uint ids = min(min((uint)GROUP_ROWS, 2 * (n_pairs - FIRST_PAIR)), n_vocab - min(first_id, n_vocab)); \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * MAX_PENALTY_IDS) if (i < outputs * MAX_PENALTY_IDS) {                  \
        penalise(made + i / MAX_PENALTY_IDS * GROUP_ROWS, first_id, ids,                                       \
                 requests, FIRST_ROW + i / MAX_PENALTY_IDS, i % MAX_PENALTY_IDS);                              \
    }                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * GROUP_ROWS) {                                                          \
        const uint n = i / GROUP_ROWS, in_group = i % GROUP_ROWS;                                              \
        if (n < outputs && in_group < ids) {                                                                   \
            const uint output = FIRST_ROW + n;                                                                 \
            const uint4 head = request_head(requests, output);                                                 \
            const bool takes = takes_part(requests, head.w, first_id + in_group);                              \
            logits[mul24(output, n_vocab) + first_id + in_group] = made[i];                                    \
            scores[i] = takes ? score_of(made[i], first_id + in_group, head) : -INFINITY;                      \
            const uint order = takes ? in_order(made[i]) : LEAST_IN_ORDER;                                     \
            atomic_max(largest + n, is_not_finite(made[i]) ? BEYOND_NUMBERS : order);                          \
            atomic_max(best_score + n, in_order(scores[i]));                                                   \
        }                                                                                                      \
    }                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * GROUP_ROWS) {                                                          \
        const uint n = i / GROUP_ROWS, in_group = i % GROUP_ROWS;                                              \
        const float score = scores[i];                                                                         \
        const bool counts = (n < outputs) & (in_group < ids) & (score > -INFINITY);                            \
        if (counts && score == from_order(best_score[n])) atomic_min(best_id + n, first_id + in_group);        \
        scores[i] = counts ? native_exp(made[i] - from_order(largest[n])) : 0.0f;                              \
    }                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
    FOR_SHARE(n, ITEM, ITEMS, COLUMNS) if (n < outputs) {                                                      \
        summaries[mul24(FIRST_ROW + n, groups) + first_group + (uint)get_group_id(0)] = (uint4)(                \
            best_score[n], best_id[n], largest[n], as_uint(sum_of(scores + n * GROUP_ROWS, ids)));             \
    }

// The first four words of a request: temperature, key, penalty, mask. Words are counted from the first request's, so that
// one addition of 64 bits makes an address.
INLINE uint4 request_head(__global const uint* requests, uint output) {
    return ((__global const uint4*)requests)[mul24(output, (uint)(REQUEST_WORDS / 4))];
}

INLINE void penalise(__local float* made, uint first_id, uint ids, __global const uint* requests, uint output, uint i) {
    const float penalty = as_float(request_head(requests, output).z);  // at an address that is needed again
    const uint at = requests[mul24(output, (uint)REQUEST_WORDS) + (REQUEST_PENALTY_IDS + i)] - first_id;
    if (at >= ids) return;  // past the request's, NO_ID
    const float logit = made[at];
    made[at] = logit > 0.0f ? logit * native_recip(penalty) : logit * penalty;
}

INLINE float score_of(float logit, uint id, uint4 head) {
    const float temperature = as_float(head.x);
    return temperature > 0.0f ? logit * native_recip(temperature) + gumbel_noise(head.y, id) : logit;
}

// Bits, not isfinite(): exact under every compiler.
INLINE bool is_not_finite(float v) { return (as_uint(v) & 0x7f800000u) == 0x7f800000u; }

INLINE float sum_of(__local const float* values, uint count) {
    float4 sum = (float4)(0.0f);
    for (uint i = 0; i < count; i += 4) sum += vload4(0, values + i);
    return (sum.x + sum.y) + (sum.z + sum.w);
}
