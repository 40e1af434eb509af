// EPILOGUE_RESIDUAL (see epilogue.cl): x += v, and records of x for the next norm, with epilogue_records.cl. x is [rows][padded
// columns]; next_norm, padded with zeros, is the weight of the norm that reads x next.

#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS \
    RESULT_ARGS, uint x_at, uint next_norm_at, NEXT_ARGS
#define X_OF(row, pair) ACTIVATION(float2, x_at, mul24(row, next_columns / 2) + (pair))
#define FINISH(sum, pair, batch_row, column)                                                      \
    if (2 * (first_pair + (pair)) < next_columns) {                                               \
        const uint out_pair = first_pair + (pair), at = (column)*GROUP_PAIRS + (pair)-FIRST_PAIR; \
        const float2 new_x = OLD_X(batch_row, out_pair) + RESULT(sum, pair, column);              \
        X_OF(batch_row, out_pair) = new_x;                                                        \
        vstore2(new_x, at, made_x);                                                               \
        vstore2(new_x * NEXT_NORM_OF(out_pair), at, made);                                        \
    }
#if EARLY
#define OLD_X(row, pair) early_x
#define NEXT_NORM_OF(out_pair) early_next_norm
#else
#define OLD_X(row, pair) X_OF(row, pair)
#define NEXT_NORM_OF(out_pair) ACTIVATION(const float2, next_norm_at, out_pair)
#endif
#define EPILOGUE_EARLY(pair, batch_row, is_mine)                                       \
    EARLY_RESULT(pair, is_mine)                                                        \
    float2 early_x = (float2)(0.0f), early_next_norm = (float2)(0.0f);                 \
    if (is_mine && 2 * (first_pair + (pair)) < next_columns) {                         \
        early_x = X_OF(batch_row, first_pair + (pair));                                \
        early_next_norm = ACTIVATION(const float2, next_norm_at, first_pair + (pair)); \
    }
#define GROUP_OUTPUTS GROUP_ROWS
#define MADE_X 1
