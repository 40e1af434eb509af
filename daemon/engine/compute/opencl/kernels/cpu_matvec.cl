// y[column][y_first + first_row + r] = weights[r] . x[column], r < rows, then the epilogue: matvec.cl's twin for CPU
// devices, whose items run one after the other with wide vectors.
//
// A work-group is one item and computes GROUP_ROWS rows: matvec of one column, matmul of MATMUL_COLUMNS, or of those that
// the step has rows for (outputs, with `of_outputs`). Grid: (ceil(rows / GROUP_ROWS), ceil(columns / those of a group)).
// matmul decodes DECODED_ROWS rows of TILE_COLS weights at a time, which stay in the nearest cache while all columns are
// multiplied with them, TILE rows times TILE columns at once; sums that go on in the next piece are carried. Both kernels
// add products in the same order: lane i of a row's sixteen sums takes the products i, 16 + i, ..., then the lanes are added
// as totals() does. x and y have rows to spare up to a multiple of TILE; what lies there is computed and never used.
//
// Options: WEIGHT_TYPE (blocks.cl), UNIT_BYTES  bytes of 32 weights, rounded down,
//          MICRO  rows and columns (2 or 4) whose sums are kept at once, by the number of the device's vector registers;
//          changes no sum.
#define GROUP_ROWS 16
#define TILE 4
#define DECODED_ROWS 8
#define TILE_COLS 768
#define MATMUL_COLUMNS 128
// Weights come once and in order, but from farther away than the processor looks ahead by itself.
#define PREFETCH_BYTES 4096
#ifdef __has_builtin
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(row, unit) __builtin_prefetch((const void*)(size_t)((row) + UNIT_BYTES * (unit) + PREFETCH_BYTES))
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(row, unit)
#endif

// Units decoded in one go: those of a block share its loads and scales. Small blocks leave registers for two rows.
#if WEIGHT_TYPE >= 10 && WEIGHT_TYPE <= 14
#define BLOCK_UNITS 8
#define MATVEC_ROWS 1
#else
#define BLOCK_UNITS 1
#define MATVEC_ROWS 2
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

// The first `count` values at p, at most 4; the rest are 0.
static inline float4 load_some(__global const float* p, uint count) {
    if (count >= 4) return vload4(0, p);
    return (float4)(count > 0 ? p[0] : 0.0f, count > 1 ? p[1] : 0.0f, count > 2 ? p[2] : 0.0f, 0.0f);
}
static inline void store_some(float4 v, __global float* p, uint count) {
    if (count >= 4) {
        vstore4(v, 0, p);
        return;
    }
    if (count > 0) p[0] = v.x;
    if (count > 1) p[1] = v.y;
    if (count > 2) p[2] = v.z;
}

__kernel ONE_ITEM void matvec(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                              __global const float* x, __global const float* bias, uint has_bias, __global float* y,
                              uint y_stride, uint y_first, uint first_row, uint epilogue) {
    const uint first = get_group_id(0) * GROUP_ROWS;
    if (first >= rows) return;
    const uint count = min(rows - first, (uint)GROUP_ROWS);
    x += get_group_id(1) * cols;

    float16 sums[GROUP_ROWS];
    for (uint r = 0; r < GROUP_ROWS; r += MATVEC_ROWS) {
        __global const uchar* w[MATVEC_ROWS];
        float16 sum[MATVEC_ROWS];
#pragma unroll
        for (uint i = 0; i < MATVEC_ROWS; ++i) {
            w[i] = weights + (first + min(r + i, count - 1)) * row_bytes;
            sum[i] = 0.0f;
        }
        for (uint block = 0; block < cols / (32 * BLOCK_UNITS); ++block) {
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
        for (uint i = 0; i < MATVEC_ROWS; ++i) sums[r + i] = sum[i];
    }

    float16 v = totals(sums);
#ifdef SINGLE_WEIGHTS
    for (uint i = cols / 32 * 32; i < cols; ++i) {
        float one[GROUP_ROWS];
        for (uint r = 0; r < GROUP_ROWS; ++r) one[r] = decode_one(weights + (first + min(r, count - 1)) * row_bytes, i);
        v = MULTIPLY_ADD(vload16(0, one), (float16)(x[i]), v);
    }
#endif
    bias += first_row + first;
    y += get_group_id(1) * y_stride + y_first + first_row + first;
    float old[GROUP_ROWS], shift[GROUP_ROWS];
    if (count == GROUP_ROWS) {
        if (has_bias) v += vload16(0, bias);
        vstore16(finish(vload16(0, y), v, epilogue), 0, y);
        return;
    }
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

// Adds to sums[TILE * column + row] the tile times TILE columns of x, whose rows are `stride` long.
static inline void multiply_tile(const __local float16* tile, uint cols, __global const float* x, uint stride,
                                 float16* sums) {
    for (uint r = 0; r < TILE; r += MICRO) {
        for (uint n = 0; n < TILE; n += MICRO) {
            const __local float16* w = tile + r * (cols / 16);
            __global const float* xn = x + n * stride;
            float16 sum[MICRO][MICRO];
#pragma unroll
            for (uint i = 0; i < MICRO * MICRO; ++i) {
                sum[i / MICRO][i % MICRO] = sums[TILE * (n + i / MICRO) + r + i % MICRO];
            }
            for (uint k = 0; k < cols / 16; ++k) {
                float16 wk[MICRO];
#pragma unroll
                for (uint i = 0; i < MICRO; ++i) wk[i] = w[i * (cols / 16) + k];
#pragma unroll
                for (uint j = 0; j < MICRO; ++j) {
                    const float16 xk = vload16(k, xn + j * stride);
#pragma unroll
                    for (uint i = 0; i < MICRO; ++i) sum[j][i] = MULTIPLY_ADD(wk[i], xk, sum[j][i]);
                }
            }
#pragma unroll
            for (uint i = 0; i < MICRO * MICRO; ++i) {
                sums[TILE * (n + i / MICRO) + r + i % MICRO] = sum[i / MICRO][i % MICRO];
            }
        }
    }
}

// y of TILE columns and the first `count` of TILE rows from their sums.
static inline void finish_tile(__global float* y, uint y_stride, float16 v, float4 bias, uint count, uint epilogue) {
    v += (float16)(bias, bias, bias, bias);
    float16 old = 0.0f;
    if (epilogue == EPILOGUE_ADD || epilogue == EPILOGUE_SWIGLU) {
        old = (float16)(load_some(y, count), load_some(y + y_stride, count), load_some(y + 2 * y_stride, count),
                        load_some(y + 3 * y_stride, count));
    }
    v = finish(old, v, epilogue);
    store_some(v.s0123, y, count);
    store_some(v.s4567, y + y_stride, count);
    store_some(v.s89ab, y + 2 * y_stride, count);
    store_some(v.scdef, y + 3 * y_stride, count);
}

#ifdef SINGLE_WEIGHTS
// Adds the products past the last whole unit.
static inline float16 add_rest(float16 v, __global const uchar* weights, uint row_bytes, uint first, uint last,
                               __global const float* x, uint cols) {
    for (uint i = cols / 32 * 32; i < cols; ++i) {
        float one[TILE];
        for (uint r = 0; r < TILE; ++r) one[r] = decode_one(weights + min(first + r, last) * row_bytes, i);
        const float4 w = vload4(0, one);
        v = MULTIPLY_ADD((float16)(w, w, w, w),
                         (float16)((float4)(x[i]), (float4)(x[cols + i]), (float4)(x[2 * cols + i]),
                                   (float4)(x[3 * cols + i])),
                         v);
    }
    return v;
}
#endif

__kernel ONE_ITEM void matmul(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                              __global const float* x, __global const float* bias, uint has_bias, __global float* y,
                              uint y_stride, uint y_first, uint first_row, uint epilogue, __global const int* step,
                              uint of_outputs) {
    __local float16 tile[DECODED_ROWS * TILE_COLS / 16];
    __local float16 carried[MATMUL_COLUMNS * DECODED_ROWS];
    const uint first_column = get_group_id(1) * MATMUL_COLUMNS;
    const uint columns = min((uint)step[of_outputs ? STEP_OUTPUT_COUNT : STEP_ROW_COUNT] - first_column,
                             (uint)MATMUL_COLUMNS);
    x += first_column * cols;
    y += first_column * y_stride + y_first + first_row;
    bias += first_row;
    const uint end = min((uint)(get_group_id(0) + 1) * GROUP_ROWS, rows);
    const uint whole_cols = cols / 32 * 32;
    for (uint first = get_group_id(0) * GROUP_ROWS; first < end; first += DECODED_ROWS) {
        for (uint first_col = 0; first_col == 0 || first_col < whole_cols; first_col += TILE_COLS) {
            const uint tile_cols = min(whole_cols - first_col, (uint)TILE_COLS);
            const uint is_last = first_col + tile_cols == whole_cols;
            fill_tile(tile, weights, row_bytes, first, rows - 1, first_col, tile_cols);
            for (uint i = 0; i < columns / TILE * DECODED_ROWS + DECODED_ROWS; i += TILE) {
                const uint n = i / DECODED_ROWS * TILE, row = first + i % DECODED_ROWS;
                if (n >= columns || row >= end) continue;
                __local float16* kept = carried + TILE * i;
                float16 sums[TILE * TILE];
#pragma unroll
                for (uint j = 0; j < TILE * TILE; ++j) sums[j] = first_col > 0 ? kept[j] : (float16)(0.0f);
                multiply_tile(tile + (row - first) * (tile_cols / 16), tile_cols, x + n * cols + first_col, cols, sums);
                if (!is_last) {
#pragma unroll
                    for (uint j = 0; j < TILE * TILE; ++j) kept[j] = sums[j];
                    continue;
                }
                float16 v = totals(sums);
#ifdef SINGLE_WEIGHTS
                v = add_rest(v, weights, row_bytes, row, rows - 1, x + n * cols, cols);
#endif
                const float4 b = has_bias ? load_some(bias + row, end - row) : (float4)(0.0f);
                finish_tile(y + n * y_stride + row, y_stride, v, b, end - row, epilogue);
            }
        }
    }
}
