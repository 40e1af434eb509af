// pack: activations for matmul_wide (strips.cl). A work-group takes sixteen columns; columns past the step's rows
// (outputs, with `of_outputs`) repeat the last. cols is a multiple of sixteen.
// Grid: (PACKED_COLUMNS / 16, ceil(columns / PACKED_COLUMNS)).
__kernel ONE_ITEM void pack(__global const float* x, uint cols, __global const int* step, uint of_outputs,
                            __global float* packed) {
    const uint column = get_group_id(1) * PACKED_COLUMNS + get_group_id(0) * 16;
    const uint count = (uint)step[of_outputs ? STEP_OUTPUT_COUNT : STEP_ROW_COUNT];
    if (column >= (count + STRIP - 1) / STRIP * STRIP) return;
    packed += column / STRIP * STRIP * cols + column % STRIP;
    for (uint first = 0; first < cols; first += CHUNK) {
        const uint blocks = min(cols - first, (uint)CHUNK) / 16;
        for (uint block = 0; block < blocks; ++block) {
            float16 v[16];
#pragma unroll
            for (uint c = 0; c < 16; ++c) v[c] = vload16(block, x + min(column + c, count - 1) * cols + first);
            transpose(v);
#pragma unroll
            for (uint pass = 0; pass < 16; ++pass) {
                vstore16(v[kLaneOfPass[pass]], 0, packed + (first + pass * blocks + block) * STRIP);
            }
        }
    }
}
