// y[column][y_first + first_row + r] = weights[r] . x[column], r < rows, then the epilogue.
//
// A work-group computes GROUP / SLICES rows for COLUMNS columns: SLICES neighbouring items share a row, item s taking the
// units s, s + SLICES, ... so that neighbours read neighbouring blocks; their sums are added in the order of s.
// Grid: (ceil(rows / (GROUP / SLICES)), ceil(columns / COLUMNS)). COLUMNS changes no sum: every column has accumulators of
// its own, fed in the same order. x and y have rows to spare up to a multiple of COLUMNS; what lies there is computed
// and never used.
//
// Options: WEIGHT_TYPE (blocks.cl), COLUMNS, SLICES (a power of two).

typedef float4 sum_t;
#define ADD_PRODUCT(sum, w, x)               \
    sum = mad((w).s0123, (x).s0123, sum);    \
    sum = mad((w).s4567, (x).s4567, sum);    \
    sum = mad((w).s89ab, (x).s89ab, sum);    \
    sum = mad((w).scdef, (x).scdef, sum)
static inline float total(sum_t a) { return (a.x + a.y) + (a.z + a.w); }

// Values of `epilogue`, shared with the host.
#define EPILOGUE_STORE 0     // y = v
#define EPILOGUE_ADD 1       // y = y + v
#define EPILOGUE_GELU 2      // y = gelu(v), the tanh form: v / (1 + exp(-2 z)), z = sqrt(2/pi) (v + 0.044715 v^3)
#define EPILOGUE_SWIGLU 3    // y = y / (1 + exp(-y)) * v; y holds the gate

static inline void finish(__global float* y, float v, uint epilogue) {
    if (epilogue == EPILOGUE_ADD) {
        v = *y + v;
    } else if (epilogue == EPILOGUE_GELU) {
        const float z = 0.7978845608028654f * (v + 0.044715f * v * v * v);
        v = v / (1.0f + exp(-2.0f * z));
    } else if (epilogue == EPILOGUE_SWIGLU) {
        const float gate = *y;
        v = gate / (1.0f + exp(-gate)) * v;
    }
    *y = v;
}

__kernel GROUP_SIZE void matvec(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                                __global const float* x, __global const float* bias, uint has_bias, __global float* y,
                                uint y_stride, uint y_first, uint first_row, uint epilogue) {
    const uint slice = get_local_id(0) % SLICES;
    const uint row = get_group_id(0) * (GROUP / SLICES) + get_local_id(0) / SLICES;
    const uint first_column = get_group_id(1) * COLUMNS;
    __global const uchar* w = weights + min(row, rows - 1) * row_bytes;
    x += first_column * cols;

    sum_t sum[COLUMNS];
    for (uint n = 0; n < COLUMNS; ++n) sum[n] = (sum_t)(0.0f);
    for (uint unit = slice; unit < cols / 32; unit += SLICES) {
        float16 low, high;
        decode_unit(w, unit, &low, &high);
#pragma unroll
        for (uint n = 0; n < COLUMNS; ++n) {
            __global const float* xn = x + n * cols + 32 * unit;
            const float16 x_low = vload16(0, xn);
            const float16 x_high = vload16(1, xn);
            ADD_PRODUCT(sum[n], low, x_low);
            ADD_PRODUCT(sum[n], high, x_high);
        }
    }
    float part[COLUMNS];
#pragma unroll
    for (uint n = 0; n < COLUMNS; ++n) part[n] = total(sum[n]);
#ifdef SINGLE_WEIGHTS
    if (slice == 0) {
        for (uint i = cols / 32 * 32; i < cols; ++i) {
            const float one = decode_one(w, i);
#pragma unroll
            for (uint n = 0; n < COLUMNS; ++n) part[n] = mad(one, x[n * cols + i], part[n]);
        }
    }
#endif

    y += first_column * y_stride + y_first + first_row + row;
#if SLICES == 1
    if (row >= rows) return;
    const float b = has_bias ? bias[first_row + row] : 0.0f;
#pragma unroll
    for (uint n = 0; n < COLUMNS; ++n) finish(y + n * y_stride, part[n] + b, epilogue);
#else
    __local float parts[COLUMNS][GROUP];
#pragma unroll
    for (uint n = 0; n < COLUMNS; ++n) parts[n][get_local_id(0)] = part[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    // The slices of a row divide its columns among themselves.
    if (row >= rows) return;
    const float b = has_bias ? bias[first_row + row] : 0.0f;
    for (uint n = slice; n < COLUMNS; n += SLICES) {
        const uint first_item = get_local_id(0) - slice;
        float v = parts[n][first_item];
        for (uint s = 1; s < SLICES; ++s) v += parts[n][first_item + s];
        finish(y + n * y_stride, v + b, epilogue);
    }
#endif
}
