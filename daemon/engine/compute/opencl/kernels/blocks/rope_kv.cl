// Rotates the queries in place, rotates the keys and writes keys and values into the row's page as halfs.
//
// qkv is [row][Q_ROWS + 2 KV_ROWS]. A page is its keys, [kv head][HEAD_DIM][PAGE_TOKENS] half, so that neighbouring positions
// are neighbours, and behind them its values, [kv head][PAGE_TOKENS][HEAD_DIM] half. rotation is [position][N_ROT / 2] (cos, sin),
// made by the host. A pair is (2i, 2i + 1) or, with HALF_SPLIT, (i, i + N_ROT / 2). A work-group takes one head
// of all rows: query heads, then key heads, then value heads. Grid: ((Q_ROWS + 2 KV_ROWS) / HEAD_DIM, 1). Options: HEAD_DIM,
// Q_ROWS, KV_ROWS, N_ROT, HALF_SPLIT.
#define Q_HEADS (Q_ROWS / HEAD_DIM)
#define KV_HEADS (KV_ROWS / HEAD_DIM)

static inline void store_halfs(__global const float* from, ushort* to) {
    for (uint i = 0; i < HEAD_DIM / 16; ++i) vstore_half16_rte(vload16(i, from), i, (half*)to);
    for (uint i = HEAD_DIM / 16 * 16; i < HEAD_DIM; ++i) vstore_half_rte(from[i], i, (half*)to);
}

static inline void rotate(__global float* x, __global const float2* turns) {
    for (uint i = 0; i < N_ROT / 2; ++i) {
#if HALF_SPLIT
        const uint first = i, second = i + N_ROT / 2;
#else
        const uint first = 2 * i, second = 2 * i + 1;
#endif
        const float u = x[first], v = x[second];
        x[first] = u * turns[i].x - v * turns[i].y;
        x[second] = u * turns[i].y + v * turns[i].x;
    }
}

static inline void place_head(uint head, uint row, __global float* qkv, __global const float2* rotation,
                              __global const int* step, __global ushort* kv) {
    const uint position = (uint)step[STEP_POSITION(row)];
    __global float* x = qkv + row * (Q_ROWS + 2 * KV_ROWS) + head * HEAD_DIM;
    if (head < Q_HEADS + KV_HEADS) rotate(x, rotation + position * (N_ROT / 2));
    if (head < Q_HEADS) return;

    ushort halfs[HEAD_DIM];
    store_halfs(x, halfs);
    const uint page = (uint)step[STEP_PAGES(step[STEP_SLOT(row)]) + position / PAGE_TOKENS];
    __global ushort* keys = kv + page * (2 * KV_ROWS * PAGE_TOKENS);
    const uint in_page = position % PAGE_TOKENS;
    if (head < Q_HEADS + KV_HEADS) {
        __global ushort* k = keys + (head - Q_HEADS) * (HEAD_DIM * PAGE_TOKENS) + in_page;
        for (uint i = 0; i < HEAD_DIM; ++i) k[i * PAGE_TOKENS] = halfs[i];
    } else {
        __global ushort* v = keys + KV_ROWS * PAGE_TOKENS +
                             ((head - Q_HEADS - KV_HEADS) * PAGE_TOKENS + in_page) * HEAD_DIM;
        for (uint i = 0; i < HEAD_DIM; ++i) v[i] = halfs[i];
    }
}

__kernel ONE_ITEM void rope_kv(__global float* qkv, __global const float2* rotation, __global const int* step,
                               __global ushort* kv) {
    for (uint row = 0; row < (uint)step[STEP_ROW_COUNT]; ++row) {
        place_head(get_group_id(0), row, qkv, rotation, step, kv);
    }
}
