// EPILOGUE_RESIDUAL (see epilogue.cl): x += v, and records of x for the next norm, with epilogue_records.cl. x, [rows][padded
// columns], begins at byte x_begin; next_norm, padded with zeros, is the weight of the norm that reads x next.

#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS                                                                                      \
    RESULT_ARGS, uint x_begin, __global const float2 *next_norm, NEXT_ARGS
#define X_AT(row, pair) \
    (__global float2*)(activations + (x_begin + 8 * (mul24(row, next_columns / 2) + (pair))))
#define FINISH(sum, pair, batch_row, column)                                                          \
    if (2 * (first_pair + (pair)) < next_columns) {                                                   \
        const uint out_pair = first_pair + (pair), at = (column)*GROUP_PAIRS + (pair)-FIRST_PAIR;     \
        __global float2* const x_at = X_AT(batch_row, out_pair);                                     \
        const float2 new_x = OLD_X(x_at) + RESULT(sum, pair, column);                                 \
        *x_at = new_x;                                                                                \
        vstore2(new_x, at, made_x);                                                                   \
        vstore2(new_x * NEXT_NORM_OF(out_pair), at, made);                                            \
    }
#if EARLY
#define OLD_X(x_at) early_x
#define NEXT_NORM_OF(out_pair) early_next_norm
#else
#define OLD_X(x_at) *(x_at)
#define NEXT_NORM_OF(out_pair) next_norm[out_pair]
#endif
#define EPILOGUE_EARLY(pair, batch_row, is_mine)                                                 \
    EARLY_RESULT(pair, is_mine)                                                                  \
    float2 early_x = (float2)(0.0f), early_next_norm = (float2)(0.0f);                           \
    if (is_mine && 2 * (first_pair + (pair)) < next_columns) {                                   \
        early_x = *X_AT(batch_row, first_pair + (pair));                                         \
        early_next_norm = next_norm[first_pair + (pair)];                                        \
    }
#define GROUP_OUTPUTS GROUP_ROWS
#define MADE_X 1
