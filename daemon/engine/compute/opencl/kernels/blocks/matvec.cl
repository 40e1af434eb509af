// matvec: the product of GROUP_ROWS rows and one column (product.cl). Grid: (ceil(rows / GROUP_ROWS), columns).
__kernel ONE_ITEM void matvec(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                              __global const float* x, __global const float* bias, uint has_bias, __global float* y,
                              uint y_stride, uint y_first, uint first_row, uint epilogue) {
    const uint first = get_group_id(0) * GROUP_ROWS;
    if (first >= rows) return;
    const uint count = min(rows - first, (uint)GROUP_ROWS);
    const uint blocks = cols / (32 * BLOCK_UNITS);
    x += get_group_id(1) * cols;

    float sums[GROUP_ROWS];
    for (uint r = 0; r < GROUP_ROWS; r += MATVEC_ROWS) {
        __global const uchar* w[MATVEC_ROWS];
        float total[MATVEC_ROWS];
#pragma unroll
        for (uint i = 0; i < MATVEC_ROWS; ++i) {
            w[i] = weights + (first + min(r + i, count - 1)) * row_bytes;
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
        for (uint r = 0; r < GROUP_ROWS; ++r) one[r] = decode_one(weights + (first + min(r, count - 1)) * row_bytes, i);
        v = MULTIPLY_ADD(vload16(0, one), (float16)(x[i]), v);
    }
#endif
    finish_rows(y + get_group_id(1) * y_stride + y_first + first_row + first, bias + first_row + first, has_bias, v, count,
                epilogue);
}
