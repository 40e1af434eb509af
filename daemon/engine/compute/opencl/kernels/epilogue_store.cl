// EPILOGUE_STORE (see epilogue.cl): y = v, a gate that lies apart from its up.

#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS RESULT_ARGS, __global float2 *y, uint y_columns
#define FINISH(sum, pair, batch_row, column)                                                                   \
    if (2 * (first_pair + (pair)) < y_columns) {                                                               \
        y[(batch_row) * (y_columns / 2) + first_pair + (pair)] = RESULT(sum, pair, column);                    \
    }
#define FINISH_GROUP
#define EPILOGUE_LOCAL
