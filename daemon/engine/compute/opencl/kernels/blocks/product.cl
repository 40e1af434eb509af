// Shared by the products: matvec, matmul and matmul_wide (mat*.cl) and those of norm_product.cl, which give
// y[column][y_first + first_row + r] = weights[r] . x[column], r < rows, then the epilogue.
//
// A work-group is one item and computes GROUP_ROWS rows of some columns; in norm_product.cl more rows of one column. All add
// products in the same order. A row is cut into chunks of CHUNK weights (strips.cl). In each, lane i of sixteen sums
// takes the products i, 16 + i, ...; then the lanes are added as totals() and lane_sum() do, and the result to that of the
// chunks before, which begins with 0. What fills no unit of 32 follows one by one.
//
// Options: WEIGHT_TYPE (decode.cl), UNIT_BYTES  bytes of 32 weights, rounded down,
//          MICRO  4 where 16 vectors of sixteen fit the registers at once, else 2; changes no sum.
#define GROUP_ROWS 16
#define DECODED_ROWS 8
// Weights come once and in order, but from farther away than the processor looks ahead by itself.
#define PREFETCH_BYTES 16384
#define PREFETCH(row, unit) FETCH((row) + UNIT_BYTES * (unit) + PREFETCH_BYTES)

// Units decoded in one go: those of a block share its loads and scales. Small blocks leave registers for several rows.
#if WEIGHT_TYPE >= 10 && WEIGHT_TYPE <= 14
#define BLOCK_UNITS 8
#define MATVEC_ROWS 1
#else
#define BLOCK_UNITS 1
#define MATVEC_ROWS MICRO
#endif

// Values of `epilogue`, shared with the host.
#define EPILOGUE_STORE 0     // y = v
#define EPILOGUE_ADD 1       // y = y + v
#define EPILOGUE_GELU 2      // y = gelu(v), the tanh form: v / (1 + exp(-2 z)), z = sqrt(2/pi) (v + 0.044715 v^3)
#define EPILOGUE_SWIGLU 3    // y = y / (1 + exp(-y)) * v; y holds the gate

// Sixteen at a time always: exp() of a narrower vector may give other bits.
static inline float16 finish(float16 y, float16 v, uint epilogue) {
    if (epilogue == EPILOGUE_ADD) return y + v;
    if (epilogue == EPILOGUE_GELU) {
        const float16 z = 0.7978845608028654f * (v + 0.044715f * v * v * v);
        return v / (1.0f + exp(-2.0f * z));
    }
    if (epilogue == EPILOGUE_SWIGLU) return y / (1.0f + exp(-y)) * v;
    return v;
}

// y of the first `count` of GROUP_ROWS rows of one column.
static inline void finish_rows(__global float* y, __global const float* bias, uint has_bias, float16 v, uint count,
                               uint epilogue) {
    if (count >= GROUP_ROWS) {
        if (has_bias) v += vload16(0, bias);
        vstore16(finish(vload16(0, y), v, epilogue), 0, y);
        return;
    }
    float old[GROUP_ROWS], shift[GROUP_ROWS];
    for (uint r = 0; r < GROUP_ROWS; ++r) {
        old[r] = r < count ? y[r] : 0.0f;
        shift[r] = has_bias && r < count ? bias[r] : 0.0f;
    }
    if (has_bias) v += vload16(0, shift);
    vstore16(finish(vload16(0, old), v, epilogue), 0, old);
    for (uint r = 0; r < count; ++r) y[r] = old[r];
}

// Decodes the `cols` weights from `first_col` on of DECODED_ROWS rows from `first` on.
static inline void fill_tile(__local float16* tile, __global const uchar* weights, uint row_bytes, uint first, uint last,
                             uint first_col, uint cols) {
    const uint first_block = first_col / (32 * BLOCK_UNITS);
    for (uint r = 0; r < DECODED_ROWS; ++r) {
        __global const uchar* w = weights + min(first + r, last) * row_bytes;
        for (uint block = 0; block < cols / (32 * BLOCK_UNITS); ++block) {
#pragma unroll
            for (uint u = 0; u < BLOCK_UNITS; ++u) {
                float16 low, high;
                PREFETCH(w, BLOCK_UNITS * (first_block + block) + u);
                decode_unit(w, BLOCK_UNITS * (first_block + block) + u, &low, &high);
                tile[2 * (BLOCK_UNITS * block + u)] = low;
                tile[2 * (BLOCK_UNITS * block + u) + 1] = high;
            }
        }
        tile += cols / 16;
    }
}

// The first `count` of GROUP_ROWS rows times x; the others repeat the last.
static inline float16 multiply_rows(__global const uchar* weights, uint row_bytes, uint count, uint cols,
                                    NORMED_SPACE const float* x) {
    const uint blocks = cols / (32 * BLOCK_UNITS);
    float sums[GROUP_ROWS];
    for (uint r = 0; r < GROUP_ROWS; r += MATVEC_ROWS) {
        __global const uchar* w[MATVEC_ROWS];
        float total[MATVEC_ROWS];
#pragma unroll
        for (uint i = 0; i < MATVEC_ROWS; ++i) {
            w[i] = weights + min(r + i, count - 1) * row_bytes;
            total[i] = 0.0f;
        }
        for (uint begin = 0; begin < blocks; begin += CHUNK / (32 * BLOCK_UNITS)) {
            const uint end = min(begin + CHUNK / (32 * BLOCK_UNITS), blocks);
            float16 sum[MATVEC_ROWS];
#pragma unroll
            for (uint i = 0; i < MATVEC_ROWS; ++i) sum[i] = 0.0f;
            for (uint block = begin; block < end; ++block) {
#pragma unroll
                for (uint u = 0; u < BLOCK_UNITS; ++u) {
                    const uint unit = BLOCK_UNITS * block + u;
                    const float16 x_low = vload16(2 * unit, x), x_high = vload16(2 * unit + 1, x);
#pragma unroll
                    for (uint i = 0; i < MATVEC_ROWS; ++i) {
                        float16 low, high;
                        PREFETCH(w[i], unit);
                        decode_unit(w[i], unit, &low, &high);
                        sum[i] = MULTIPLY_ADD(low, x_low, sum[i]);
                        sum[i] = MULTIPLY_ADD(high, x_high, sum[i]);
                    }
                }
            }
#pragma unroll
            for (uint i = 0; i < MATVEC_ROWS; ++i) total[i] += lane_sum(sum[i]);
        }
#pragma unroll
        for (uint i = 0; i < MATVEC_ROWS; ++i) sums[r + i] = total[i];
    }

    float16 v = vload16(0, sums);
#ifdef SINGLE_WEIGHTS
    for (uint i = cols / 32 * 32; i < cols; ++i) {
        float one[GROUP_ROWS];
        for (uint r = 0; r < GROUP_ROWS; ++r) one[r] = decode_one(weights + min(r, count - 1) * row_bytes, i);
        v = MULTIPLY_ADD(vload16(0, one), (float16)(x[i]), v);
    }
#endif
    return v;
}
