// Rotates the queries in place, rotates the keys and writes keys and values into the row's page as halfs.
//
// qkv is [row][Q_ROWS + 2 KV_ROWS]. A page of keys is [kv head][HEAD_DIM / 4][PAGE_TOKENS] half4, so that neighbouring
// positions are neighbours; a page of values is [kv head][PAGE_TOKENS][HEAD_DIM] half.
// rotation is [position][N_ROT / 2] (cos, sin), made by the host. An item takes one pair of numbers: of the first N_ROT
// dimensions of a head the pair that is rotated together, (2i, 2i + 1) or, with HALF_SPLIT, (i, i + N_ROT / 2); else two
// neighbours. Grid: (ceil((Q_ROWS / 2 + KV_ROWS) / GROUP), batch rows). Options: HEAD_DIM, Q_ROWS, KV_ROWS, N_ROT,
// HALF_SPLIT.
__kernel GROUP_SIZE void rope_kv(__global float* qkv, __global const float2* rotation, __global const int* step,
                                 __global const uint* page_tables, __global ushort* keys, __global ushort* values) {
    const uint row = get_group_id(1);
    const uint pair = get_group_id(0) * GROUP + get_local_id(0);
    if (pair >= Q_ROWS / 2 + KV_ROWS) return;
    const uint position = (uint)step[STEP_POSITION(row)];
    qkv += row * (Q_ROWS + 2 * KV_ROWS);

    const uint in_head = pair % (HEAD_DIM / 2);
    const uint head = pair / (HEAD_DIM / 2);  // query heads, then key heads, then value heads
    const uint is_value = pair >= (Q_ROWS + KV_ROWS) / 2;
    uint first = 2 * in_head, second = 2 * in_head + 1;
    float a, b;
#if N_ROT > 0
    if (!is_value && in_head < N_ROT / 2) {
#if HALF_SPLIT
        first = in_head;
        second = in_head + N_ROT / 2;
#endif
        const float2 turn = rotation[position * (N_ROT / 2) + in_head];
        const float u = qkv[head * HEAD_DIM + first], v = qkv[head * HEAD_DIM + second];
        a = u * turn.x - v * turn.y;
        b = u * turn.y + v * turn.x;
    } else
#endif
    {
        a = qkv[head * HEAD_DIM + first];
        b = qkv[head * HEAD_DIM + second];
    }

    if (pair < Q_ROWS / 2) {
        qkv[head * HEAD_DIM + first] = a;
        qkv[head * HEAD_DIM + second] = b;
        return;
    }
    const uint page = page_tables[(uint)step[STEP_SLOT(row)] * MAX_PAGES + position / PAGE_TOKENS];
    const uint in_page = position % PAGE_TOKENS;
    if (is_value) {
        const uint kv_head = head - (Q_ROWS + KV_ROWS) / HEAD_DIM;
        const uint at = page * (KV_ROWS * PAGE_TOKENS) + (kv_head * PAGE_TOKENS + in_page) * HEAD_DIM;
        vstore_half_rte(a, at + first, (__global half*)values);
        vstore_half_rte(b, at + second, (__global half*)values);
    } else {
        const uint kv_head = head - Q_ROWS / HEAD_DIM;
        const uint at = page * (KV_ROWS * PAGE_TOKENS) + kv_head * (PAGE_TOKENS * HEAD_DIM) + in_page * 4;
        vstore_half_rte(a, at + first / 4 * (PAGE_TOKENS * 4) + first % 4, (__global half*)keys);
        vstore_half_rte(b, at + second / 4 * (PAGE_TOKENS * 4) + second % 4, (__global half*)keys);
    }
}
