// EPILOGUE_QKV (see epilogue.cl): bias, rotary, queries scaled, keys and values into their page.
//
// Pairs: the queries', the keys', the values', each padded to whole tiles of PAIRS_OF(rows). Pair i of a head is rotated by
// turn i where i < N_ROT / 2. Queries and keys are stored in the order of pairs, whichever dimensions those are: their
// product does not mind. A page is its keys, [kv head][HEAD_DIM / 4][PAGE_TOKENS] half4, and behind them its values,
// [kv head][PAGE_TOKENS][HEAD_DIM] half. Only rows of the batch touch pages.
// Further options: HEAD_DIM, Q_ROWS, KV_ROWS, N_ROT; MAX_ROWS, MAX_PAGES, TABLES_AT.
#define PAIRS_OF(rows) (((rows) + 63) / 64 * 32)
#define INPUT_ROW(batch_row) (batch_row)
#define EPILOGUE_ARGS                                                                       \
    RESULT_ARGS, uint queries_at, float query_scale, uint rotation_at, __global ushort *kv, \
        __global const int *step
// Where a pair goes and how it is turned, as variables: compilers for GPUs put a structure into memory.
#define NO_POSITION 0xffffffffu  // rows that the batch has not
#define FIND_SPOT(pair, row, is_mine)                                                                                         \
    uint spot_position = NO_POSITION, spot_page = 0;                                                                          \
    float2 spot_turn = (float2)(0.0f);                                                                                        \
    if (is_mine && (row) < (uint)step[STEP_ROW_COUNT]) {                                                                      \
        spot_position = (uint)step[STEP_POSITION(row)];                                                                       \
        if (is_rotated(pair)) spot_turn = ACTIVATION(const float2, rotation_at, spot_position * (N_ROT / 2) + turn_of(pair)); \
        if ((pair) >= PAIRS_OF(Q_ROWS)) {                                                                                     \
            spot_page = (uint)step[STEP_PAGES(step[STEP_SLOT(row)]) + spot_position / PAGE_TOKENS];                           \
        }                                                                                                                     \
    }
#if EARLY
#define FIND_SPOT_LATE(pair, row)
#else
#define FIND_SPOT_LATE(pair, row) FIND_SPOT(pair, row, true)
#endif
#define EPILOGUE_EARLY(pair, batch_row, is_mine) \
    EARLY_RESULT(pair, is_mine)                  \
    FIND_SPOT(first_pair + (pair), batch_row, is_mine)
#define FINISH(sum, pair, batch_row, column)                                                                           \
    {                                                                                                                  \
        FIND_SPOT_LATE(first_pair + (pair), batch_row)                                                                 \
        if (spot_position != NO_POSITION) {                                                                            \
            finish_qkv(RESULT(sum, pair, column), first_pair + (pair), batch_row, spot_position, spot_page, spot_turn, \
                       (__global float2*)(activations + queries_at), query_scale, kv);                                 \
        }                                                                                                              \
    }
#define FINISH_GROUP
#define EPILOGUE_LOCAL

// A query's or a key's place in its head; the padding before the keys is no whole head.
INLINE uint turn_of(uint pair) {
    return (pair < PAIRS_OF(Q_ROWS) ? pair : pair - PAIRS_OF(Q_ROWS)) % (HEAD_DIM / 2);
}
INLINE bool is_rotated(uint pair) {
    return turn_of(pair) < N_ROT / 2 && pair < PAIRS_OF(Q_ROWS) + PAIRS_OF(KV_ROWS);
}

INLINE void finish_qkv(float2 v, uint pair, uint row, uint position, uint page, float2 turn, __global float2* queries,
                       float query_scale, __global ushort* kv) {
#if N_ROT > 0
    if (is_rotated(pair)) {
        v = (float2)(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x);
    }
#endif
    if (pair < PAIRS_OF(Q_ROWS)) {
        if (pair < Q_ROWS / 2) queries[row * (Q_ROWS / 2) + pair] = v * query_scale;
        return;
    }
    pair -= PAIRS_OF(Q_ROWS);
    const bool is_value = pair >= PAIRS_OF(KV_ROWS);
    if (is_value) pair -= PAIRS_OF(KV_ROWS);
    if (pair >= KV_ROWS / 2) return;
    const uint kv_head = pair / (HEAD_DIM / 2), in_head = pair % (HEAD_DIM / 2), in_page = position % PAGE_TOKENS;
    const uint base = page * (2 * KV_ROWS * PAGE_TOKENS) + kv_head * (PAGE_TOKENS * HEAD_DIM);
    if (is_value) {
        vstore_half2_rte(v, 0, (__global half*)(kv + base + KV_ROWS * PAGE_TOKENS + in_page * HEAD_DIM + 2 * in_head));
    } else {
        vstore_half2_rte(v, 0, (__global half*)(kv + base + (in_head / 2 * PAGE_TOKENS + in_page) * 4 + in_head % 2 * 2));
    }
}
