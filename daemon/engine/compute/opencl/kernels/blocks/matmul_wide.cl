// matmul_wide: the product of GROUP_ROWS rows and up to PACKED_COLUMNS packed columns (product.cl, strips.cl), as many
// as the step has rows (outputs, with `of_outputs`). cols is a multiple of 32.
// Grid: (ceil(rows / GROUP_ROWS), ceil(columns / PACKED_COLUMNS)).
//
// The lanes of a vector are neighbouring columns here, so that sums need no adding of lanes: sixteen passes give the sums that
// the other products have in sixteen lanes, and these are added as soon as there are two of them.
#define MICRO_ROWS (2 * MICRO)
#define MICRO_VECTORS (STRIP / 16)
#define MICRO_SUMS (MICRO_ROWS * MICRO_VECTORS)

// The products of MICRO_ROWS rows of a decoded chunk and the columns of a strip: [row][vector of columns].
static inline void multiply_strip(const __local float* tile, uint cols, __global const float* x, float16* sum) {
    float16 waiting[4][MICRO_SUMS];  // the totals of 1, 2, 4 and 8 lanes
    for (uint pass = 0; pass < 16; ++pass) {
        const __local float* w = tile + kLaneOfPass[pass];
#pragma unroll
        for (uint i = 0; i < MICRO_SUMS; ++i) sum[i] = 0.0f;
        for (uint k = 0; k < cols; k += 16) {
            float16 xk[MICRO_VECTORS];
#pragma unroll
            for (uint i = 0; i < MICRO_VECTORS; ++i) xk[i] = vload16(i, x);
#pragma unroll
            for (uint i = 0; i < MICRO_SUMS; ++i) {
                const float16 wk = w[i / MICRO_VECTORS * cols + k];
                sum[i] = MULTIPLY_ADD(wk, xk[i % MICRO_VECTORS], sum[i]);
            }
            x += STRIP;
        }
        uint level = 0;
        for (; (pass >> level) & 1; ++level) {
#pragma unroll
            for (uint i = 0; i < MICRO_SUMS; ++i) sum[i] += waiting[level][i];
        }
        if (level == 4) return;
#pragma unroll
        for (uint i = 0; i < MICRO_SUMS; ++i) waiting[level][i] = sum[i];
    }
}

__kernel ONE_ITEM void matmul_wide(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                                   __global const float* packed, __global const float* bias, uint has_bias,
                                   __global float* y, uint y_stride, uint y_first, uint first_row, uint epilogue,
                                   __global const int* step, uint of_outputs) {
    __local float tile[DECODED_ROWS * CHUNK];
    __local float16 result[PACKED_COLUMNS / 16 * GROUP_ROWS];  // [sixteen columns][row]
    const uint first = get_group_id(0) * GROUP_ROWS;
    const uint first_column = get_group_id(1) * PACKED_COLUMNS;
    if (first >= rows) return;
    const uint columns = min((uint)step[of_outputs ? STEP_OUTPUT_COUNT : STEP_ROW_COUNT] - first_column,
                             (uint)PACKED_COLUMNS);
    packed += first_column * cols;
    for (uint first_col = 0; first_col < cols; first_col += CHUNK) {
        const uint tile_cols = min(cols - first_col, (uint)CHUNK);
        for (uint row = 0; row < GROUP_ROWS; row += MICRO_ROWS) {
            if (row % DECODED_ROWS == 0) {
                fill_tile((__local float16*)tile, weights, row_bytes, first + row, rows - 1, first_col, tile_cols);
            }
            for (uint column = 0; column < columns; column += STRIP) {
                float16 sum[MICRO_SUMS];
                multiply_strip(tile + row % DECODED_ROWS * tile_cols, tile_cols,
                               packed + column * cols + first_col * STRIP, sum);
#pragma unroll
                for (uint i = 0; i < MICRO_SUMS; ++i) {
                    __local float16* to =
                        result + (column / 16 + i % MICRO_VECTORS) * GROUP_ROWS + row + i / MICRO_VECTORS;
                    *to = (first_col > 0 ? *to : (float16)(0.0f)) + sum[i];
                }
            }
        }
    }
    y += first_column * y_stride + y_first + first_row + first;
    for (uint column = 0; column < columns; column += 16) {
        float16 v[GROUP_ROWS];
#pragma unroll
        for (uint r = 0; r < GROUP_ROWS; ++r) v[r] = result[column + r];
        transpose(v);
        for (uint c = 0; c < min(columns - column, 16u); ++c) {
            finish_rows(y + (column + c) * y_stride, bias + first_row + first, has_bias, v[c], rows - first, epilogue);
        }
    }
}
