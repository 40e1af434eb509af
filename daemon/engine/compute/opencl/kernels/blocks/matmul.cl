// matmul: the product of GROUP_ROWS rows and up to MATMUL_COLUMNS columns (product.cl), as many as the step has rows
// (outputs, with `of_outputs`). Grid: (ceil(rows / GROUP_ROWS), ceil(columns / MATMUL_COLUMNS)).
//
// DECODED_ROWS rows of CHUNK weights are decoded at a time and stay in the nearest cache while all columns are multiplied
// with them, TILE rows times TILE columns at once. x and y have rows to spare up to a multiple of TILE; what lies there is
// computed and never used.
#define TILE 4
#define MATMUL_COLUMNS 32

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

// The tile times TILE columns of x, whose rows are `stride` long: [TILE * column + row].
static inline float16 multiply_tile(const __local float16* tile, uint cols, __global const float* x, uint stride) {
    float16 sums[TILE * TILE];
    for (uint r = 0; r < TILE; r += MICRO) {
        for (uint n = 0; n < TILE; n += MICRO) {
            const __local float16* w = tile + r * (cols / 16);
            __global const float* xn = x + n * stride;
            float16 sum[MICRO][MICRO];
#pragma unroll
            for (uint i = 0; i < MICRO * MICRO; ++i) sum[i / MICRO][i % MICRO] = 0.0f;
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
    return totals(sums);
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
    __local float16 tile[DECODED_ROWS * CHUNK / 16];
    __local float16 carried[MATMUL_COLUMNS * DECODED_ROWS / (TILE * TILE)];
    const uint first_column = get_group_id(1) * MATMUL_COLUMNS;
    const uint columns = min((uint)step[of_outputs ? STEP_OUTPUT_COUNT : STEP_ROW_COUNT] - first_column,
                             (uint)MATMUL_COLUMNS);
    x += first_column * cols;
    y += first_column * y_stride + y_first + first_row;
    bias += first_row;
    const uint end = min((uint)(get_group_id(0) + 1) * GROUP_ROWS, rows);
    const uint whole_cols = cols / 32 * 32;
    for (uint first = get_group_id(0) * GROUP_ROWS; first < end; first += DECODED_ROWS) {
        for (uint first_col = 0; first_col == 0 || first_col < whole_cols; first_col += CHUNK) {
            const uint tile_cols = min(whole_cols - first_col, (uint)CHUNK);
            const uint is_last = first_col + tile_cols == whole_cols;
            fill_tile(tile, weights, row_bytes, first, rows - 1, first_col, tile_cols);
            for (uint i = 0; i < columns / TILE * DECODED_ROWS + DECODED_ROWS; i += TILE) {
                const uint n = i / DECODED_ROWS * TILE, row = first + i % DECODED_ROWS;
                if (n >= columns || row >= end) continue;
                float16 v = first_col > 0 ? carried[i / TILE] : (float16)(0.0f);
                v += multiply_tile(tile + (row - first) * (tile_cols / 16), tile_cols, x + n * cols + first_col, cols);
                if (!is_last) {
                    carried[i / TILE] = v;
                    continue;
                }
#ifdef SINGLE_WEIGHTS
                v = add_rest(v, weights, row_bytes, row, rows - 1, x + n * cols, cols);
#endif
                const float4 b = has_bias ? load_some(bias + row, end - row) : (float4)(0.0f);
                finish_tile(y + n * y_stride + row, y_stride, v, b, end - row, epilogue);
            }
        }
    }
}
