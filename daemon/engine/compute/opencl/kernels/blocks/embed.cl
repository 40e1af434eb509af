// x[row] = token_embd[token of row] (+ position_embd[position of row]).
//
// The embedding may be in several buffers: this launch serves the rows whose token lies in [first_row, first_row + rows).
// sampled[slot] stands in for a token of -1; where that is -1 too, there is no token and the row becomes NaN, which the
// launch with first_row 0 sees to. An item decodes one unit of 32. Grid: (ceil(ceil(N_EMBD / 32) / GROUP), batch rows). Options: WEIGHT_TYPE, N_EMBD.
__kernel GROUP_SIZE void embed(__global const uchar* weights, uint row_bytes, uint first_row, uint rows,
                               __global const int* step, __global const int* sampled,
                               __global const float* position_embd, uint has_positions, __global float* x) {
    const uint row = get_group_id(1);
    const uint unit = get_group_id(0) * GROUP + get_local_id(0);
    int token = step[STEP_TOKEN(row)];
    if (token < 0) token = sampled[step[STEP_SLOT(row)]];
    if (token < 0 && first_row == 0) {
        for (uint i = 32 * unit; i < min(32 * unit + 32, (uint)N_EMBD); ++i) x[row * N_EMBD + i] = NAN;
    }
    if (token < (int)first_row || token - (int)first_row >= (int)rows) return;
    __global const uchar* w = weights + ((uint)token - first_row) * row_bytes;
    __global const float* p = position_embd + (has_positions ? (uint)step[STEP_POSITION(row)] * N_EMBD : 0);
    x += row * N_EMBD;
    if (unit < N_EMBD / 32) {
        float16 low, high;
        decode_unit(w, unit, &low, &high);
        if (has_positions) {
            low += vload16(2 * unit, p);
            high += vload16(2 * unit + 1, p);
        }
        vstore16(low, 2 * unit, x);
        vstore16(high, 2 * unit + 1, x);
    }
#ifdef SINGLE_WEIGHTS
    if (unit == N_EMBD / 32) {
        for (uint i = 32 * unit; i < N_EMBD; ++i) x[i] = decode_one(w, i) + (has_positions ? p[i] : 0.0f);
    }
#endif
}
