// EPILOGUE_GELU, EPILOGUE_SWIGLU and EPILOGUE_GATED (see epilogue.cl): records of h, with epilogue_records.cl.
//
// Native functions: a hundredth of the instructions, and off by less than what records round to.

#define INPUT_ROW(batch_row) (batch_row)
#define MADE_X 0

INLINE float gelu(float v) {  // the tanh form
    const float z = 0.7978845608028654f * (v + 0.044715f * v * v * v);
    return v * native_recip(1.0f + native_exp(-2.0f * z));
}
INLINE float swish(float v) { return v * native_recip(1.0f + native_exp(-v)); }

#if EPILOGUE == EPILOGUE_SWIGLU
#define EPILOGUE_ARGS RESULT_ARGS, NEXT_ARGS
#define GROUP_OUTPUTS GROUP_PAIRS
#define FINISH(sum, pair, batch_row, column)                                          \
    {                                                                                 \
        const float2 v = RESULT(sum, pair, column);                                   \
        made[(column)*GROUP_PAIRS + (pair)-FIRST_PAIR] = swish(v.x) * v.y;            \
    }
#else
#define GROUP_OUTPUTS GROUP_ROWS
#if EPILOGUE == EPILOGUE_GELU
#define EPILOGUE_ARGS RESULT_ARGS, NEXT_ARGS
#define ACTIVATED(v, out_pair, batch_row) (float2)(gelu((v).x), gelu((v).y))
#define EPILOGUE_EARLY(pair, batch_row, is_mine) EARLY_RESULT(pair, is_mine)
#else
#define EPILOGUE_ARGS RESULT_ARGS, NEXT_ARGS, __global const float2 *gate
#define ACTIVATED(v, out_pair, batch_row) gated(gate[(batch_row) * (next_columns / 2) + (out_pair)], v)
INLINE float2 gated(float2 gate, float2 v) { return (float2)(swish(gate.x) * v.x, swish(gate.y) * v.y); }
#endif
#define FINISH(sum, pair, batch_row, column)                                                    \
    if (2 * (first_pair + (pair)) < next_columns) {                                             \
        const float2 v = RESULT(sum, pair, column);                                             \
        vstore2(ACTIVATED(v, first_pair + (pair), batch_row), (column)*GROUP_PAIRS + (pair)-FIRST_PAIR, made); \
    }
#endif
