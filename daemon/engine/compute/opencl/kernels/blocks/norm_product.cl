// What a step of one row does in a launch each, where larger ones take several: a norm and the products of what it gives
// (norm.cl, product.cl). Each work-group norms the row for itself: three passes over it for every
// 64 rows of a matrix. The same bits as from norm, the products and rope_kv.
//
// Options: those of norm.cl, product.cl and rope_kv.cl, NORMED_ROWS, and NORMED_SPACE=__local.
#define ROW 0  // the only one

// The product of NORMED_ROWS rows and one normed row or, with `has_gate`, of as many rows of two matrices, of which one is the
// other's gate (EPILOGUE_SWIGLU). Grid: (ceil(rows / NORMED_ROWS), 1).
__kernel ONE_ITEM void norm_product(__global const float* x, __global const float* norm_weight,
                                    __global const float* norm_bias, uint has_norm_bias, float epsilon,
                                    __global const int* step, uint of_outputs, __global const uchar* weights,
                                    __global const uchar* gate, uint has_gate, uint row_bytes, uint rows,
                                    __global const float* bias, uint has_bias, __global float* y, uint first_row,
                                    uint epilogue) {
    __local float normed[N_EMBD];
    x += (of_outputs ? (uint)step[STEP_OUTPUT_ROW(ROW)] : ROW) * N_EMBD;
    normalise(x, norm_weight, norm_bias, has_norm_bias, epsilon, normed);
    y += first_row;
    bias += first_row;
    const uint end = min((uint)(get_group_id(0) + 1) * NORMED_ROWS, rows);
    for (uint first = get_group_id(0) * NORMED_ROWS; first < end; first += GROUP_ROWS) {
        const uint count = min(end - first, (uint)GROUP_ROWS);
        if (has_gate) {
            const float16 v = multiply_rows(gate + first * row_bytes, row_bytes, count, N_EMBD, normed);
            finish_rows(y + first, bias, 0, v, count, EPILOGUE_STORE);
        }
        const float16 v = multiply_rows(weights + first * row_bytes, row_bytes, count, N_EMBD, normed);
        finish_rows(y + first, bias + first, has_bias, v, count, epilogue);
    }
}

// Queries, keys and values of one row, placed as rope_kv places them. A work-group computes a head of one of the three.
// HEAD_DIM is a multiple of GROUP_ROWS. Grid: ((Q_ROWS + 2 KV_ROWS) / HEAD_DIM, 1).
__kernel ONE_ITEM void norm_qkv(__global const float* x, __global const float* norm_weight,
                                __global const float* norm_bias, uint has_norm_bias, float epsilon,
                                __global const uchar* queries, __global const uchar* keys,
                                __global const uchar* values, uint row_bytes, __global const float* query_bias,
                                __global const float* key_bias, __global const float* value_bias, uint has_biases,
                                __global const float2* rotation, __global const int* step, __global ushort* kv,
                                __global float* qkv) {
    __local float normed[N_EMBD];
    normalise(x, norm_weight, norm_bias, has_norm_bias, epsilon, normed);
    const uint head = get_group_id(0);
    const uint is_key = head >= Q_HEADS, is_value = head >= Q_HEADS + KV_HEADS;
    const uint first = (head - (is_value ? Q_HEADS + KV_HEADS : is_key ? Q_HEADS : 0)) * HEAD_DIM;
    __global const uchar* weights = (is_value ? values : is_key ? keys : queries) + first * row_bytes;
    __global const float* bias = (is_value ? value_bias : is_key ? key_bias : query_bias) + first;
    for (uint i = 0; i < HEAD_DIM; i += GROUP_ROWS) {
        const float16 v = multiply_rows(weights + i * row_bytes, row_bytes, GROUP_ROWS, N_EMBD, normed);
        finish_rows(qkv + head * HEAD_DIM + i, bias + i, has_biases, v, GROUP_ROWS, EPILOGUE_STORE);
    }
    place_head(head, ROW, qkv, rotation, step, kv);
}
