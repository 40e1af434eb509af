// matvec: the product of GROUP_ROWS rows and one column (product.cl). Grid: (ceil(rows / GROUP_ROWS), columns).
__kernel ONE_ITEM void matvec(__global const uchar* weights, uint row_bytes, uint rows, uint cols,
                              __global const float* x, __global const float* bias, uint has_bias, __global float* y,
                              uint y_stride, uint y_first, uint first_row, uint epilogue) {
    const uint first = get_group_id(0) * GROUP_ROWS;
    if (first >= rows) return;
    const uint count = min(rows - first, (uint)GROUP_ROWS), column = get_group_id(1);
    const float16 v = multiply_rows(weights + first * row_bytes, row_bytes, count, cols, x + column * cols);
    finish_rows(y + column * y_stride + y_first + first_row + first, bias + first_row + first, has_bias, v, count, epilogue);
}
