// What a product kernel does with its sums: what all epilogues share. product.cl has the dot products and expands these, of
// which an epilogue_*.cl behind this file defines the rest:
//
//     EPILOGUE_ARGS             the kernel's last parameters
//     INPUT_ROW(batch_row)      the row of the records that batch row reads
//     EPILOGUE_BEGIN            once, at the start, by every item of the group; a barrier follows
//     EPILOGUE_EARLY(pair, batch_row, is_mine)   if EARLY, at the start: what the item's one FINISH reads of memory
//     EPILOGUE_FOLD             once, before the first FINISH, by every item of the group; a barrier follows if FOLDS
//     FINISH(sum, pair, batch_row, column)   for each result of an item: float2 sum of rows 2 pair and 2 pair + 1;
//                               column < COLUMNS is batch_row's place in the group
//     FINISH_GROUP              once, at the end, by every item of the group; begins with a barrier where it needs one
//
// It uses from product.cl: ITEM (0 .. ITEMS - 1), ITEMS, GROUP_PAIRS (pairs of the group), FIRST_PAIR and FIRST_ROW (of
// the group), COLUMNS, ROW_OF(column), which is INPUT_ROW of the column's batch row, and n_pairs, the kernel's argument: no
// FINISH for pairs from there on. Batch rows past the last and padding rows of a matrix are computed like others, into
// memory that nobody reads, except where said.
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

// Whether an item finishes one result at most, which it knows from the start, and has registers for what that takes.
#if PREFETCH && COLUMNS * PAIRS <= SLICES && LANES * SLICES * PAIRS <= 16 * CHUNK_BLOCKS && EPILOGUE <= EPILOGUE_GELU
#define EARLY 1
#endif

#if INPUT_NORM
#define NORM_ARGS , float norm_width, float norm_epsilon
// Partial sums of a row: part i takes blocks i, i + NORM_CHAINS, ...; then in order.
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
#define ADD_NORM                                                                                  \
    __local float2 norm_parts[COLUMNS * NORM_CHAINS];                                             \
    __local float2 norm_scale[COLUMNS];                                                           \
    FOR_SHARE(i, NORM_ITEM, ITEMS, COLUMNS * NORM_CHAINS) {                                       \
        norm_parts[i] =                                                                           \
            norm_part(activations, record_at, record_bytes, record_columns, ROW_OF(i / NORM_CHAINS), i % NORM_CHAINS); \
    }
#define EPILOGUE_FOLD \
    FOR_SHARE(n, ITEM, ITEMS, COLUMNS) {                                                          \
        float2 sum = (float2)(0.0f);                                                              \
        for (uint i = n * NORM_CHAINS; i < END_OF_CHAINS(n); ++i) sum += norm_parts[i];            \
        norm_scale[n] = scale_of_norm(sum, norm_width, norm_epsilon);                             \
    }

INLINE float2 norm_part(RECORD_ARGS, uint row, uint first) {
    float2 sum = (float2)(0.0f);
#if PREFETCH
    for (uint b = first; b < record_columns / 32; b += NORM_AHEAD * NORM_CHAINS) {
        float2 ahead[NORM_AHEAD];
        for (uint a = 0; a < NORM_AHEAD; ++a) {
            const uint at = b + a * NORM_CHAINS;
            ahead[a] = at < record_columns / 32 ? RECORD_STATS(row, at) : (float2)(0.0f);
        }
        for (uint a = 0; a < NORM_AHEAD; ++a) sum += ahead[a];
    }
#else
    for (uint b = first; b < record_columns / 32; b += NORM_CHAINS) sum += RECORD_STATS(row, b);
#endif
    return sum;
}

// (rs, rs * mean) of a row of `width` values.
INLINE float2 scale_of_norm(float2 sums, float width, float epsilon) {
#if INPUT_NORM == 2
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
#define NORM_ARGS
#define FOLDS 0
#define ADD_NORM
#define EPILOGUE_FOLD
#endif

#if INPUT_NORM == 2
#define NORM_SUM_ARG , __global const float2* norm_sum
#define NORMED(sum, pair, column) ((sum) * norm_scale[column].x - norm_scale[column].y * NORM_SUM_OF(pair))
#elif INPUT_NORM == 1
#define NORM_SUM_ARG
#define NORMED(sum, pair, column) ((sum) * norm_scale[column].x)
#else
#define NORM_SUM_ARG
#define NORMED(sum, pair, column) (sum)
#endif
#if SHIFT
#define SHIFT_ARG , __global const float2* shift
#define SHIFTED(v, pair) ((v) + SHIFT_OF(pair))
#else
#define SHIFT_ARG
#define SHIFTED(v, pair) (v)
#endif
#if EARLY
#define NORM_SUM_OF(pair) early_norm_sum
#define SHIFT_OF(pair) early_shift
#else
#define NORM_SUM_OF(pair) norm_sum[first_pair + (pair)]
#define SHIFT_OF(pair) shift[first_pair + (pair)]
#endif
#if INPUT_NORM == 2
#define EARLY_NORM_SUM(pair, is_mine) \
    const float2 early_norm_sum = is_mine ? norm_sum[first_pair + (pair)] : (float2)(0.0f);
#else
#define EARLY_NORM_SUM(pair, is_mine)
#endif
#if SHIFT
#define EARLY_SHIFT(pair, is_mine) const float2 early_shift = is_mine ? shift[first_pair + (pair)] : (float2)(0.0f);
#else
#define EARLY_SHIFT(pair, is_mine)
#endif
#define EARLY_RESULT(pair, is_mine) EARLY_NORM_SUM(pair, is_mine) EARLY_SHIFT(pair, is_mine)
#define RESULT(sum, pair, column) SHIFTED(NORMED(sum, pair, column), pair)
// first_pair: where this matrix's pairs lie among those of the whole output.
#define RESULT_ARGS uint first_pair NORM_ARGS NORM_SUM_ARG SHIFT_ARG

#define EPILOGUE_BEGIN \
    EPILOGUE_LOCAL     \
    ADD_NORM
