// The treatment of queries, keys and values behind their matmul: functions that epilogue.cl calls and, with the option
// QK_NORM, the kernel heads, for models that normalise them by heads or as a whole.
//
// The pairs are the queries', the keys', the values', each padded to whole tiles of PAIRS_OF(rows). Pair i of a head has
// rotation i where i < N_ROT / 2. Queries and keys are stored in the order of pairs, whichever dimensions those are: their
// dot product does not depend on it. A page is its keys, [kv head][HEAD_DIM / 4][PAGE_TOKENS] half4, and behind them its
// values, [kv head][PAGE_TOKENS][HEAD_DIM] half. Only rows of the batch touch pages.
//
// Options: HEAD_DIM, Q_ROWS, KV_ROWS, N_ROT; MAX_ROWS, MAX_PAGES, TABLES_AT; where queries have a temperature,
// TEMPERATURE_SLOPE and TEMPERATURE_CONTEXT (model/decoder_spec.h).
#define PAIRS_OF(rows) (((rows) + 63) / 64 * 32)
#ifdef TEMPERATURE_SLOPE
#define QUERY_SCALE(position) \
    (query_scale * (1.0f + TEMPERATURE_SLOPE * log(1.0f + (float)((position) / TEMPERATURE_CONTEXT))))
#else
#define QUERY_SCALE(position) query_scale
#endif

// A query's or a key's place in its head; the padding before the keys is no whole head.
INLINE uint rotation_of(uint pair) {
    return (pair < PAIRS_OF(Q_ROWS) ? pair : pair - PAIRS_OF(Q_ROWS)) % (HEAD_DIM / 2);
}
INLINE bool is_rotated(uint pair) {
    return rotation_of(pair) < N_ROT / 2 && pair < PAIRS_OF(Q_ROWS) + PAIRS_OF(KV_ROWS);
}

INLINE float2 rotated(float2 v, uint pair, float2 rotation) {
#if N_ROT > 0
    if (is_rotated(pair)) {
        v = (float2)(v.x * rotation.x - v.y * rotation.y, v.x * rotation.y + v.y * rotation.x);
    }
#endif
    return v;
}

INLINE void write_qkv(float2 v, uint pair, uint row, uint position, uint page, __global float2* queries, float query_scale,
                      __global ushort* kv) {
    if (pair < PAIRS_OF(Q_ROWS)) {
        if (pair < Q_ROWS / 2) queries[row * (Q_ROWS / 2) + pair] = v * QUERY_SCALE(position);
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

#ifdef QK_NORM
// Normalises the queries and keys that a matmul has left in `from`, [rows][from_width] in the order of pairs, rotates them
// and writes them as write_qkv() does, with the values. A group has one head; it adds up the squares of a whole query or
// key by itself. The norms' weights lie in the order of pairs too. Grid: (query heads + 2 * key/value heads, batch rows).
// Further options: QK_NORM: QK_NORM_HEAD or QK_NORM_ROW; AFTER_ROTATION 0 or 1.
#define QK_NORM_HEAD 1
#define QK_NORM_ROW 2
#define Q_HEADS (Q_ROWS / HEAD_DIM)
#define KV_HEADS (KV_ROWS / HEAD_DIM)
#define ROTATED(v, pair) rotated(v, pair, rotation_for(activations, numbers.rotation_at, position, pair))

INLINE float2 rotation_for(__global uchar* activations, uint rotation_at, uint position, uint pair) {
    return is_rotated(pair) ? ACTIVATION(const float2, rotation_at, position * (N_ROT / 2) + rotation_of(pair))
                            : (float2)(0.0f);
}

typedef struct {
    uint from_width, query_norm_at, key_norm_at;
    float epsilon;
    uint queries_at;
    float query_scale;
    uint rotation_at;
} heads_numbers_t;

__kernel GROUP_SIZE void heads(__global const float2* from, __global uchar* activations, __global ushort* kv,
                               __global const int* step, const heads_numbers_t numbers) {
    __local float parts[GROUP];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    const uint head = get_group_id(0);
    const bool is_query = head < Q_HEADS, is_value = head >= Q_HEADS + KV_HEADS;
    const uint first_head = is_query ? 0 : is_value ? Q_HEADS + KV_HEADS : Q_HEADS;  // of the matrix
    const uint matrix = is_query ? 0 : PAIRS_OF(Q_ROWS) + (is_value ? PAIRS_OF(KV_ROWS) : 0);
    const uint in_matrix = (head - first_head) * (HEAD_DIM / 2);
    const uint norm_at = is_query ? numbers.query_norm_at : numbers.key_norm_at;
    const uint position = (uint)step[STEP_POSITION(row)];
    const uint page = (uint)step[STEP_PAGES(step[STEP_SLOT(row)]) + position / PAGE_TOKENS];
    from += row * (numbers.from_width / 2) + matrix;

#if QK_NORM == QK_NORM_ROW
    const uint begin = 0, end = is_query ? Q_ROWS / 2 : KV_ROWS / 2;
#else
    const uint begin = in_matrix, end = in_matrix + HEAD_DIM / 2;
#endif
    float squares = 0.0f;
    for (uint pair = begin + item; pair < end; pair += GROUP) {
        const float2 v = AFTER_ROTATION ? ROTATED(from[pair], matrix + pair) : from[pair];
        squares = mad(v.x, v.x, squares);
        squares = mad(v.y, v.y, squares);
    }
    parts[item] = squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) parts[item] += parts[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float rs = rsqrt(parts[0] * (1.0f / (float)(2 * (end - begin))) + numbers.epsilon);

    for (uint pair = in_matrix + item; pair < in_matrix + HEAD_DIM / 2; pair += GROUP) {
        float2 v = from[pair];
        if (!is_value) {
            const float2 weight = rs * ACTIVATION(const float2, norm_at, QK_NORM == QK_NORM_ROW ? pair : pair - in_matrix);
            v = AFTER_ROTATION ? ROTATED(v, matrix + pair) * weight : ROTATED(v * weight, matrix + pair);
        }
        write_qkv(v, matrix + pair, row, position, page, (__global float2*)(activations + numbers.queries_at),
                  numbers.query_scale, kv);
    }
}
#endif
