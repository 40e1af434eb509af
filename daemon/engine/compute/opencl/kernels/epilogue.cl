// The epilogues of a matmul kernel's sums. matmul.cl computes the dot products and expands these macros; all epilogues
// share some of them, and each defines the rest:
//
//     EPILOGUE_ARGS             the kernel's last parameters but for its numbers, each with a comma behind it
//     epilogue_numbers_t        its numbers beside those of a matmul
//     INPUT_ROW(batch_row)      the row of the input that a batch row reads
//     EPILOGUE_BEGIN            once, at the start, by every item of the group; a barrier follows
//     EPILOGUE_EARLY(pair, batch_row, is_mine)   if EARLY, at the start: loads what the item's one FINISH needs
//     EPILOGUE_FOLD             once, before the first FINISH, by every item of the group; a barrier follows if FOLDS
//     FINISH(sum, pair, batch_row, group_row)   for each result of an item: float2 sum of rows 2 pair and 2 pair + 1;
//                               group_row < BATCH_ROWS is batch_row's place in the group
//     FINISH_GROUP              once, at the end, by every item of the group; begins with a barrier where it needs one
//
// matmul.cl gives: ITEM (0 .. ITEMS - 1), ITEMS, GROUP_PAIRS (pairs of the group), FIRST_PAIR and FIRST_ROW (of the group),
// BATCH_ROWS, ROW_OF(group_row), which is INPUT_ROW of that batch row, `numbers`, and n_pairs, one of them: there is no
// FINISH for pairs from there on. Batch rows past the last and padding rows of a matrix are computed like others, into
// memory that nobody reads, except where said.
//
// A result is v = rs * (dot - mean * norm_sum[row]) + bias[row]. The input holds x times the norm's weight w, so only (rs,
// mean) of the norm are missing, and they follow from the stats. norm_sum = W w, and bias = W b + the matrix's own bias,
// with the norm's bias b, come from the host for all rows of the output. RMSNorm has no mean; without a norm rs is 1.
//
// Options: INPUT_NORM: NORM_NONE, NORM_RMS or NORM_LAYER; BIAS (0: all biases are zero);
//          EPILOGUE: one of the names below, with the options that it says.
#define NORM_NONE 0
#define NORM_RMS 1
#define NORM_LAYER 2
#define EPILOGUE_QKV 1       // bias, rotation, queries scaled, keys and values into their page
#define EPILOGUE_RESIDUAL 2  // x += RESIDUAL_SCALE * v (an option; without it 1); x quantized for the next norm
#define EPILOGUE_GELU 3      // h = gelu(v), quantized
#define EPILOGUE_SWIGLU 4    // rows are (gate, up) pairs: h = GATE(gate) * up, quantized; GATE, an option, is swish or gelu
#define EPILOGUE_STORE 5     // y = v: a gate whose up matrix has another type; what qkv.cl or post_norm.cl goes on with
#define EPILOGUE_GATED 6     // h = GATE(gate) * v with the intermediate gate, quantized
#define EPILOGUE_LOGITS 7    // logits, their biases, the group's part of the choice of a token
#define EPILOGUE_RELU_SQUARED 8  // h = max(v, 0)^2, quantized

#define GROUP_ROWS (2 * GROUP_PAIRS)

// EARLY: an item finishes one result at most, knows which from the start, and has registers for what that takes.
#if PREFETCH && BATCH_ROWS * PAIRS <= K_SPLITS && LANES * K_SPLITS * PAIRS <= STAGED_BYTES * CHUNK_BLOCKS && EPILOGUE <= EPILOGUE_GELU
#define EARLY 1
#endif

#if INPUT_NORM
// The partial sums of a row: part i takes blocks i, i + NORM_CHAINS, ...; then the parts are added in order.
#if PREFETCH
#define NORM_CHAINS 16
#define NORM_ITEM (ITEMS - 1 - ITEM)  // not those that stage most of x
#define NORM_AHEAD 4
#define END_OF_CHAINS(n) (((n) + 1) * NORM_CHAINS)
#else
#define NORM_CHAINS 8
#define NORM_ITEM ITEM
#define END_OF_CHAINS(n) (((n) + 1) * NORM_CHAINS + none)  // a loop, for small instruction caches
#endif
#define FOLDS 1
#define ADD_NORM                                                                                                       \
    __local float2 norm_parts[BATCH_ROWS * NORM_CHAINS];                                                               \
    __local float2 norm_scale[BATCH_ROWS];                                                                             \
    FOR_SHARE(i, NORM_ITEM, ITEMS, BATCH_ROWS * NORM_CHAINS) {                                                         \
        norm_parts[i] = norm_part(activations, INPUT_STATS_AT(ROW_OF(i / NORM_CHAINS)), input.width, i % NORM_CHAINS); \
    }
#define EPILOGUE_FOLD                                                                   \
    FOR_SHARE(n, ITEM, ITEMS, BATCH_ROWS) {                                             \
        float2 sum = (float2)(0.0f);                                                    \
        for (uint i = n * NORM_CHAINS; i < END_OF_CHAINS(n); ++i) sum += norm_parts[i]; \
        norm_scale[n] = scale_of_norm(sum, numbers.norm_width, numbers.norm_epsilon);   \
    }

// A function takes no structure: Mesa's compiler for an Adreno keeps a private copy.
INLINE float2 norm_part(__global const uchar* activations, uint stats_at, uint width, uint first) {
    float2 sum = (float2)(0.0f);
#if PREFETCH
    for (uint b = first; b < width / 32; b += NORM_AHEAD * NORM_CHAINS) {
        float2 ahead[NORM_AHEAD];
        for (uint a = 0; a < NORM_AHEAD; ++a) {
            const uint at = b + a * NORM_CHAINS;
            ahead[a] = at < width / 32 ? ACTIVATION(const float2, stats_at, at) : (float2)(0.0f);
        }
        for (uint a = 0; a < NORM_AHEAD; ++a) sum += ahead[a];
    }
#else
    for (uint b = first; b < width / 32; b += NORM_CHAINS) sum += ACTIVATION(const float2, stats_at, b);
#endif
    return sum;
}

// (rs, rs * mean) of a row of `width` values.
INLINE float2 scale_of_norm(float2 sums, float width, float epsilon) {
#if INPUT_NORM == NORM_LAYER
    const float mean = sums.x * native_recip(width);
    float variance = sums.y * native_recip(width) - mean * mean;
    variance = variance < 0.0f ? 0.0f : variance;  // not fmax: a NaN must go on
#else
    const float mean = 0.0f, variance = sums.y * native_recip(width);
#endif
    const float rs = rsqrt(variance + epsilon);
    return (float2)(rs, rs * mean);
}
#else
#define FOLDS 0
#define ADD_NORM
#define EPILOGUE_FOLD
#endif

#if INPUT_NORM == NORM_LAYER
#define NORM_SUM_ARG __global const float2 *norm_sum,
#define NORMED(sum, pair, group_row) ((sum) * norm_scale[group_row].x - norm_scale[group_row].y * NORM_SUM_OF(pair))
#elif INPUT_NORM == NORM_RMS
#define NORM_SUM_ARG
#define NORMED(sum, pair, group_row) ((sum) * norm_scale[group_row].x)
#else
#define NORM_SUM_ARG
#define NORMED(sum, pair, group_row) (sum)
#endif
#if BIAS
#define BIAS_ARG __global const float2 *bias,
#define BIASED(v, pair) ((v) + BIAS_OF(pair))
#else
#define BIAS_ARG
#define BIASED(v, pair) (v)
#endif
#if EARLY
#define NORM_SUM_OF(pair) early_norm_sum
#define BIAS_OF(pair) early_bias
#else
#define NORM_SUM_OF(pair) norm_sum[first_pair + (pair)]
#define BIAS_OF(pair) bias[first_pair + (pair)]
#endif
#if INPUT_NORM == NORM_LAYER
#define EARLY_NORM_SUM(pair, is_mine) \
    const float2 early_norm_sum = is_mine ? norm_sum[first_pair + (pair)] : (float2)(0.0f);
#else
#define EARLY_NORM_SUM(pair, is_mine)
#endif
#if BIAS
#define EARLY_BIAS(pair, is_mine) const float2 early_bias = is_mine ? bias[first_pair + (pair)] : (float2)(0.0f);
#else
#define EARLY_BIAS(pair, is_mine)
#endif
#define EARLY_RESULT(pair, is_mine) EARLY_NORM_SUM(pair, is_mine) EARLY_BIAS(pair, is_mine)
#define RESULT(sum, pair, group_row) BIASED(NORMED(sum, pair, group_row), pair)
#define RESULT_ARGS NORM_SUM_ARG BIAS_ARG

#define EPILOGUE_BEGIN \
    EPILOGUE_LOCAL     \
    ADD_NORM

#if EPILOGUE == EPILOGUE_QKV
// Adds the bias, and writes queries, keys and values as qkv.cl says, which is needed too. Further options: qkv.cl's.
#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS RESULT_ARGS __global ushort *kv, __global const int *step,
typedef struct {
    uint queries_at;
    float query_scale;
    uint rotation_at;
} epilogue_numbers_t;
// The page and the rotation of a pair are variables: compilers for GPUs put a structure into memory.
#define NO_POSITION 0xffffffffu  // rows that the batch has not
#define FIND_SPOT(pair, row, is_mine)                                                                               \
    uint spot_position = NO_POSITION, spot_page = 0;                                                                \
    float2 spot_rotation = (float2)(0.0f);                                                                          \
    if (is_mine && (row) < (uint)step[STEP_ROW_COUNT]) {                                                            \
        spot_position = (uint)step[STEP_POSITION(row)];                                                             \
        if (is_rotated(pair)) {                                                                                     \
            spot_rotation = ACTIVATION(const float2, rotation_at, spot_position * (N_ROT / 2) + rotation_of(pair)); \
        }                                                                                                           \
        if ((pair) >= PAIRS_OF(Q_ROWS)) {                                                                           \
            spot_page = (uint)step[STEP_PAGES(step[STEP_SLOT(row)]) + spot_position / PAGE_TOKENS];                 \
        }                                                                                                           \
    }
#if EARLY
#define FIND_SPOT_LATE(pair, row)
#else
#define FIND_SPOT_LATE(pair, row) FIND_SPOT(pair, row, true)
#endif
#define EPILOGUE_EARLY(pair, batch_row, is_mine) \
    EARLY_RESULT(pair, is_mine)                  \
    FIND_SPOT(first_pair + (pair), batch_row, is_mine)
#define FINISH(sum, pair, batch_row, group_row)                                                         \
    {                                                                                                   \
        FIND_SPOT_LATE(first_pair + (pair), batch_row)                                                  \
        if (spot_position != NO_POSITION) {                                                             \
            const float2 v = rotated(RESULT(sum, pair, group_row), first_pair + (pair), spot_rotation); \
            write_qkv(v, first_pair + (pair), batch_row, spot_position, spot_page,                      \
                      (__global float2*)(activations + queries_at), query_scale, kv);                   \
        }                                                                                               \
    }
#define FINISH_GROUP
#define EPILOGUE_LOCAL                                                                     \
    const uint queries_at = numbers.out.queries_at, rotation_at = numbers.out.rotation_at; \
    const float query_scale = numbers.out.query_scale;

#elif EPILOGUE == EPILOGUE_RESIDUAL
// x += v, and x is quantized for the next norm. x is [rows][padded width]; next_norm, padded with zeros, is the weight of
// the norm that reads x next.

#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS RESULT_ARGS
typedef struct {
    uint x_at, next_norm_at;
    quants_t next;
} epilogue_numbers_t;
#ifdef RESIDUAL_SCALE
#define SCALED(v) (RESIDUAL_SCALE * (v))
#else
#define SCALED(v) (v)
#endif
#define X_OF(row, pair) ACTIVATION(float2, numbers.out.x_at, mul24(row, next.width / 2) + (pair))
#define FINISH(sum, pair, batch_row, group_row)                                                      \
    if (2 * (first_pair + (pair)) < next.width) {                                                    \
        const uint out_pair = first_pair + (pair), at = (group_row)*GROUP_PAIRS + (pair)-FIRST_PAIR; \
        const float2 new_x = OLD_X(batch_row, out_pair) + SCALED(RESULT(sum, pair, group_row));      \
        X_OF(batch_row, out_pair) = new_x;                                                           \
        vstore2(new_x, at, group_output_x);                                                          \
        vstore2(new_x * NEXT_NORM_OF(out_pair), at, group_output);                                   \
    }
#if EARLY
#define OLD_X(row, pair) early_x
#define NEXT_NORM_OF(out_pair) early_next_norm
#else
#define OLD_X(row, pair) X_OF(row, pair)
#define NEXT_NORM_OF(out_pair) ACTIVATION(const float2, numbers.out.next_norm_at, out_pair)
#endif
#define EPILOGUE_EARLY(pair, batch_row, is_mine)                                                   \
    EARLY_RESULT(pair, is_mine)                                                                    \
    float2 early_x = (float2)(0.0f), early_next_norm = (float2)(0.0f);                             \
    if (is_mine && 2 * (first_pair + (pair)) < next.width) {                                       \
        early_x = X_OF(batch_row, first_pair + (pair));                                            \
        early_next_norm = ACTIVATION(const float2, numbers.out.next_norm_at, first_pair + (pair)); \
    }
#define GROUP_OUTPUTS GROUP_ROWS
#define GROUP_OUTPUT_X 1

#elif EPILOGUE == EPILOGUE_GELU || EPILOGUE == EPILOGUE_SWIGLU || EPILOGUE == EPILOGUE_GATED || \
    EPILOGUE == EPILOGUE_RELU_SQUARED
// h, quantized. Native functions take a hundredth of the instructions, and err by less than the quantization does.

#define INPUT_ROW(batch_row) (batch_row)
#define GROUP_OUTPUT_X 0
typedef struct {
    quants_t next;
} epilogue_numbers_t;

INLINE float gelu(float v) {  // the tanh form
    const float z = 0.7978845608028654f * (v + 0.044715f * v * v * v);
    return v * native_recip(1.0f + native_exp(-2.0f * z));
}
INLINE float swish(float v) { return v * native_recip(1.0f + native_exp(-v)); }

#ifndef GATE
#define GATE swish
#endif

#if EPILOGUE == EPILOGUE_SWIGLU
#define EPILOGUE_ARGS RESULT_ARGS
#define GROUP_OUTPUTS GROUP_PAIRS
#define FINISH(sum, pair, batch_row, group_row)                                      \
    {                                                                                \
        const float2 v = RESULT(sum, pair, group_row);                               \
        group_output[(group_row)*GROUP_PAIRS + (pair)-FIRST_PAIR] = GATE(v.x) * v.y; \
    }
#else
#define GROUP_OUTPUTS GROUP_ROWS
#if EPILOGUE == EPILOGUE_GELU
#define EPILOGUE_ARGS RESULT_ARGS
#define ACTIVATED(v, out_pair, batch_row) (float2)(gelu((v).x), gelu((v).y))
#define EPILOGUE_EARLY(pair, batch_row, is_mine) EARLY_RESULT(pair, is_mine)
#elif EPILOGUE == EPILOGUE_RELU_SQUARED
#define EPILOGUE_ARGS RESULT_ARGS
#define ACTIVATED(v, out_pair, batch_row) (float2)(relu_squared((v).x), relu_squared((v).y))
INLINE float relu_squared(float v) { return v > 0.0f ? v * v : v * 0.0f; }  // not fmax: a NaN must go on
#else
#define EPILOGUE_ARGS RESULT_ARGS __global const float2 *gate,
#define ACTIVATED(v, out_pair, batch_row) gated(gate[(batch_row) * (next.width / 2) + (out_pair)], v)
INLINE float2 gated(float2 gate, float2 v) { return (float2)(GATE(gate.x) * v.x, GATE(gate.y) * v.y); }
#endif
#define FINISH(sum, pair, batch_row, group_row)                                                                           \
    if (2 * (first_pair + (pair)) < next.width) {                                                                         \
        const float2 v = RESULT(sum, pair, group_row);                                                                    \
        vstore2(ACTIVATED(v, first_pair + (pair), batch_row), (group_row)*GROUP_PAIRS + (pair)-FIRST_PAIR, group_output); \
    }
#endif

#elif EPILOGUE == EPILOGUE_STORE

#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS RESULT_ARGS __global float2 *y,
typedef struct {
    uint y_width;
} epilogue_numbers_t;
#define FINISH(sum, pair, batch_row, group_row)                                                          \
    if (2 * (first_pair + (pair)) < numbers.out.y_width) {                                               \
        y[(batch_row) * (numbers.out.y_width / 2) + first_pair + (pair)] = RESULT(sum, pair, group_row); \
    }
#define FINISH_GROUP
#define EPILOGUE_LOCAL

#elif EPILOGUE == EPILOGUE_LOGITS
// Logits, their biases and the group's part of the choice of a token. Rows are ids; a batch row is an output. Rows past the
// vocabulary and outputs past the last leave nothing; ids that a mask leaves out leave only their logit and whether it is
// finite. Needs sample.cl.
//
// What a group's ids add up to does not depend on their order, but for the sum, which one item adds in order.

#define INPUT_ROW(batch_row) (uint) step[STEP_OUTPUT_ROW(batch_row)]
#define EPILOGUE_ARGS                                                                            \
    RESULT_ARGS __global float *logits, __global const uint *requests, __global const int *step, \
        __global uint4 *summaries,
typedef struct {
    uint n_vocab, first_group, groups;
} epilogue_numbers_t;
#ifdef LOGIT_CAP  // an option: a logit v becomes LOGIT_CAP * tanh(v / LOGIT_CAP)
#define CAPPED(v) (LOGIT_CAP * tanh((v) * (1.0f / LOGIT_CAP)))
#else
#define CAPPED(v) (v)
#endif
#define FINISH(sum, pair, batch_row, group_row) \
    vstore2(CAPPED(RESULT(sum, pair, group_row)), (group_row)*GROUP_PAIRS + (pair)-FIRST_PAIR, group_output);

// Local memory holds logits, then scores, then exp(logit - largest), by batch row and id; and of each batch row the
// greatest of both as in_order(), and the lowest id that has the best score.
#define EPILOGUE_LOCAL                                                             \
    __local float group_output[BATCH_ROWS * GROUP_ROWS];                           \
    __local float scores[BATCH_ROWS * GROUP_ROWS];                                 \
    __local uint best_score[BATCH_ROWS], largest[BATCH_ROWS], best_id[BATCH_ROWS]; \
    FOR_SHARE(n, ITEM, ITEMS, BATCH_ROWS) {                                        \
        best_score[n] = largest[n] = LEAST_IN_ORDER;                               \
        best_id[n] = NO_ID;                                                        \
    }

#define FINISH_GROUP                                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
    const uint outputs = BATCH_ROWS == 1 ? 1 : min((uint)BATCH_ROWS, (uint)step[STEP_OUTPUT_COUNT] - FIRST_ROW); \
    const uint first_id = 2 * (first_pair + FIRST_PAIR);                                                         \
    const uint of_vocabulary = numbers.out.n_vocab - min(first_id, numbers.out.n_vocab);                         \
    const uint ids = min(min((uint)GROUP_ROWS, 2 * (n_pairs - FIRST_PAIR)), of_vocabulary);                      \
    const uint2 list = REQUESTS_AT(uint2, REQUEST_LOGIT_BIASES);                                                 \
    for (uint i = list.x + ITEM; i < list.y; i += ITEMS) {                                                       \
        apply_logit_bias(group_output, GROUP_ROWS, outputs, (uint)(FIRST_ROW) << BIASED_ID_BITS | first_id, ids, \
               REQUESTS_AT(uint4, LOGIT_BIAS_WORDS * i));                                                        \
    }                                                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
    FOR_SHARE(i, ITEM, ITEMS, BATCH_ROWS * GROUP_ROWS) {                                                         \
        const uint n = i / GROUP_ROWS, in_group = i % GROUP_ROWS;                                                \
        if (n < outputs && in_group < ids) {                                                                     \
            const uint output = FIRST_ROW + n;                                                                   \
            const uint4 head = request_head(requests, output);                                                   \
            const bool takes = takes_part(requests, head.z, first_id + in_group);                                \
            logits[mul24(output, numbers.out.n_vocab) + first_id + in_group] = group_output[i];                  \
            scores[i] = takes ? score_of(group_output[i], first_id + in_group, head) : -INFINITY;                \
            const uint order = takes ? in_order(group_output[i]) : LEAST_IN_ORDER;                               \
            atomic_max(largest + n, is_not_finite(group_output[i]) ? BEYOND_NUMBERS : order);                    \
            atomic_max(best_score + n, in_order(scores[i]));                                                     \
        }                                                                                                        \
    }                                                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
    FOR_SHARE(i, ITEM, ITEMS, BATCH_ROWS * GROUP_ROWS) {                                                         \
        const uint n = i / GROUP_ROWS, in_group = i % GROUP_ROWS;                                                \
        const float score = scores[i];                                                                           \
        const bool counts = (n < outputs) & (in_group < ids) & (score > -INFINITY);                              \
        if (counts && score == from_order(best_score[n])) atomic_min(best_id + n, first_id + in_group);          \
        scores[i] = counts ? native_exp(group_output[i] - from_order(largest[n])) : 0.0f;                        \
    }                                                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
    FOR_SHARE(n, ITEM, ITEMS, BATCH_ROWS) if (n < outputs) {                                                     \
        const uint group = numbers.out.first_group + (uint)get_group_id(0);                                      \
        summaries[mul24(FIRST_ROW + n, numbers.out.groups) + group] = (uint4)(                                   \
            best_score[n], best_id[n], largest[n], as_uint(sum_of(scores + n * GROUP_ROWS, ids)));               \
    }

// The first four words of a request: temperature, key, mask, whether it wants candidates.
INLINE uint4 request_head(__global const uint* requests, uint output) {
    return REQUESTS_AT(uint4, REQUEST_WORDS * output);
}

// No id comes twice for one output, so that no two items change the same logit.
INLINE void apply_logit_bias(__local float* group_output, uint stride, uint outputs, uint first, uint ids, uint4 logit_bias) {
    const uint behind = logit_bias.x - first;
#if BATCH_ROWS == 1
    const uint at = behind;
    if (behind >= ids) return;  // another group's
#else
    const uint n = behind >> BIASED_ID_BITS, in_group = behind & ((1u << BIASED_ID_BITS) - 1);
    if ((n >= outputs) | (in_group >= ids)) return;  // another group's
    const uint at = n * stride + in_group;
#endif
    const float logit = group_output[at];
    group_output[at] = logit * as_float(logit > 0.0f ? logit_bias.y : logit_bias.z) + as_float(logit_bias.w);
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

#endif

#ifdef GROUP_OUTPUTS
// Epilogues that write quantized activations share this. The group has GROUP_OUTPUTS values a batch row in `group_output`, a
// multiple of 32, so that one group makes a whole block. With GROUP_OUTPUT_X it writes the stats of `group_output_x` too.

#define OUTPUTS_PER_PAIR (GROUP_OUTPUTS / GROUP_PAIRS)
#if GROUP_OUTPUT_X
#define EPILOGUE_LOCAL                                      \
    __local float group_output[BATCH_ROWS * GROUP_OUTPUTS]; \
    __local float group_output_x[BATCH_ROWS * GROUP_OUTPUTS];
#define WRITE_STATS(row, eight, at) \
    if ((eight) % 4 == 0) write_stats(activations, row, next.width, (eight) / 4, group_output_x + (at));
#else
#define EPILOGUE_LOCAL __local float group_output[BATCH_ROWS * GROUP_OUTPUTS];
#define WRITE_STATS(row, eight, at)
#endif
#define FINISH_GROUP                                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
    FOR_SHARE(i, ITEM, ITEMS, BATCH_ROWS * (GROUP_OUTPUTS / 8)) {                                           \
        const uint of_row = i / (GROUP_OUTPUTS / 8), of_group = i % (GROUP_OUTPUTS / 8);                    \
        const uint eight = (first_pair + FIRST_PAIR) * OUTPUTS_PER_PAIR / 8 + of_group;                     \
        if (8 * of_group >= (n_pairs - FIRST_PAIR) * OUTPUTS_PER_PAIR || 8 * eight >= next.width) continue; \
        const uint to = NEXT_ROW(FIRST_ROW + of_row);                                                       \
        const uint at = of_row * GROUP_OUTPUTS + of_group / 4 * 32;                                         \
        write_quantized(activations, to, next.width, eight, group_output + at);                             \
        WRITE_STATS(to, eight, at)                                                                          \
    }

#endif
