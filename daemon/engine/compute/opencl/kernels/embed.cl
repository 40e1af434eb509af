// x[row] = token_embd[token of row] (+ position_embd[position of row]), and x quantized for the first norm. The embedding
// lies as the matrices do; it is the output's matrix too where they are tied.
//
// A token below 0 stands for the one that was chosen last in the row's slot; where there is none, x is NaN. The matrix may
// be in several buffers: a launch serves the rows whose token lies in its n_pairs from first_pair on. Values past `width`
// are zeros. An item decodes a block of 32 columns, then takes eight of them.
//
// The program needs dot.cl, a layout, core_float.cl and activations.cl. Grid: (ceil(next.width / EMBED_WIDTH), batch rows).
// Options: POSITIONS; EMBEDDING_SCALE, which multiplies the embedding, where it is not 1.
#define EMBED_BLOCKS (EMBED_WIDTH / 32)
#define ITEM ((uint)get_local_id(0))
#define ITEMS GROUP

#if HAS_MIN
#define WEIGHT(v, scale, minimum) ((v) * (scale) + (minimum))
#define ROW_MINIMUM(is_odd) (is_odd ? MINS(c).y : MINS(c).x)
#else
#define WEIGHT(v, scale, minimum) (((v) - (float)ZERO_POINT) * (scale))
#define ROW_MINIMUM(is_odd) 0.0f
#endif
#define DECODE_VEC4(half, k)                                                                                             \
    {                                                                                                                    \
        float4 even, odd;                                                                                                \
        ROWS(c, k, even, odd)                                                                                            \
        const float2 pair_scales = SCALES(c);                                                                            \
        vstore4(WEIGHT(is_odd ? odd : even, is_odd ? pair_scales.y : pair_scales.x, row_minimum), 4 * (half) + (k), to); \
    }
#define DECODE_HALF(half) DECODE_VEC4(half, 0) DECODE_VEC4(half, 1) DECODE_VEC4(half, 2) DECODE_VEC4(half, 3)

typedef struct {
    uint n_pairs, n_blocks, first_pair, width, x_at, next_norm_at;
    quants_t next;
} embed_numbers_t;

__kernel GROUP_SIZE void embed(WEIGHT_ARGS, __global const int* step, __global const int* sampled,
#if POSITIONS
                               __global const float* position_embd,
#endif
                               __global uchar* activations, const embed_numbers_t numbers) {
    const uint n_pairs = numbers.n_pairs, n_blocks = numbers.n_blocks, first_pair = numbers.first_pair;
    const uint width = numbers.width;
    const quants_t next = numbers.next;
    FIND_ARRAYS(n_pairs / TILE_PAIRS * n_blocks)
    __local float group_output_x[EMBED_WIDTH];
    __local float group_output[EMBED_WIDTH];
#ifdef LAYOUT_LOCAL
    LAYOUT_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const uint item = ITEM;
    const uint row = get_group_id(1);
    const int named = step[STEP_TOKEN(row)];
    const int token = named < 0 ? sampled[step[STEP_SLOT(row)]] : named;
    const bool is_none = token < 0;
    const uint pair = is_none ? 0 : (uint)token / 2;
    const bool is_odd = token % 2 == 1;
    // There is no early return: ConditionForAll in runtime/quirks.cpp.
    const bool is_here = pair >= first_pair && pair - first_pair < n_pairs;

    if (is_here && item < EMBED_BLOCKS) {
        const uint block = min((uint)get_group_id(0) * EMBED_BLOCKS + item, n_blocks - 1);
        block_t c;
        LOAD_BLOCK(c, (pair - first_pair) / TILE_PAIRS * n_blocks + block, place_of((pair - first_pair) % TILE_PAIRS))
        const float row_minimum = ROW_MINIMUM(is_odd);
        __local float* to = group_output_x + item * 32;
        DECODE_HALF(0)
        NEXT_HALF(c)
        DECODE_HALF(1)
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint eight = get_group_id(0) * GROUP + item;
    if (is_here && 8 * eight < next.width) {
        for (uint i = 8 * item; i < 8 * item + 8; ++i) {
            const uint col = get_group_id(0) * EMBED_WIDTH + i;
            float v = is_none ? NAN : group_output_x[i];
#ifdef EMBEDDING_SCALE
            v *= EMBEDDING_SCALE;
#endif
#if POSITIONS
            if (col < width) v += position_embd[(uint)step[STEP_POSITION(row)] * width + col];
#endif
            if (col >= width) v = 0.0f;
            ACTIVATION(float, numbers.x_at, row * next.width + col) = v;
            group_output_x[i] = v;
            group_output[i] = v * ACTIVATION(const float, numbers.next_norm_at, col);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_here && 8 * eight < next.width) {
        write_quantized(activations, NEXT_ROW(row), next.width, eight, group_output + item / 4 * 32);
        if (item % 4 == 0) write_stats(activations, NEXT_ROW(row), next.width, eight / 4, group_output_x + item * 8);
    }
}
