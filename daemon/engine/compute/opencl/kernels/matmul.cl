// Matmul: the rows of a matrix times rows of quantized activations, and an epilogue:
//     sum(pair, row) = (W[2 pair] . x[row], W[2 pair + 1] . x[row])
//
// A work-group has LANES x K_SPLITS items. Group (gx, gy) computes the pairs [gx LANES PAIRS, ...), lane l the pairs l, l +
// LANES, ... of them, for the batch rows [gy BATCH_ROWS, ...). x passes through local memory in chunks of CHUNK_BLOCKS
// blocks. K split s takes the blocks b with b % K_SPLITS == s in rising order; the sums of the splits are added in rising
// order too. So the bits of a sum depend on the matrix, K_SPLITS and VALUE_BYTES alone: never on BATCH_ROWS, PAIRS, LANES or
// CHUNK_BLOCKS, and on the core and IMAGE only where a core computes in floats what another sums up as integers (Q8_0, F16, IQ4_NL, IQ4_XS):
// elsewhere the sum of quant * (128 hi + lo) in a block or sub-block is an integer below 2^24, exact in each core.
//
// Grid: (ceil(n_pairs / (LANES PAIRS)), ceil(batch rows / BATCH_ROWS)). The input has rows to spare up to a multiple of
// BATCH_ROWS; what lies there is computed and handed to FINISH. n_pairs, a multiple of 32, and n_blocks are those of the
// weights' buffers.
//
// Source: common.cl dot.cl, those of a layout, core_*.cl activations.cl [sample.cl] epilogue.cl matmul.cl.
// Options: VALUE_BYTES 1 or 2, NEXT_VALUE_BYTES (activations.cl); IMAGE, SEGMENT (dot.cl); BATCH_ROWS; PAIRS; LANES;
//          K_SPLITS;
//          PREFETCH 1: for GPUs with registers to spare. All that can be loaded is in flight before anything is waited for:
//          a block's weights one block ahead, a chunk of x while the one before is multiplied, what the epilogue reads;
//          UNROLLED_VEC4S 8, 4 or 2: with 8 a block is unrolled; with 4 a loop adds its halves, and with 2 another loop
//          adds their quarters, for small instruction caches;
//          CHUNK_BLOCKS, a multiple of K_SPLITS with room for one float2 an item where x lies
//
// Any item of the group may finish a result; the pair's lane does not say which.

#define VEC4S 8  // of four columns in a block
#define ITEMS (LANES * K_SPLITS)
#define ITEM ((uint)get_local_id(0))
#define GROUP_PAIRS (LANES * PAIRS)
#define IN_ONE_TILE (TILE_PAIRS % GROUP_PAIRS == 0)
#define FIRST_PAIR ((uint)get_group_id(0) * GROUP_PAIRS)
#define FIRST_ROW ((uint)get_group_id(1) * BATCH_ROWS)
#define SUMS (BATCH_ROWS * PAIRS)
#define STAGED (CHUNK_BLOCKS * VEC4S * BATCH_ROWS * STAGED_WORDS)
// The sums, of every K split, that fit where x was.
#define PASS_MAX (STAGED * STAGED_BYTES / 8 / ITEMS)
#define PASS_SUMS (PASS_MAX < SUMS ? PASS_MAX : SUMS)

#define STAGED_AT(block, k, n) ((((block)*VEC4S + (k)) * BATCH_ROWS + (n)) * STAGED_WORDS)

// A block is added UNROLLED_VEC4S vec4s at a time.
#define ADD_QUARTER(half)                                                           \
    ADD_VEC4(4 * (half) + 2 * quarter, 0) ADD_VEC4(4 * (half) + 2 * quarter + 1, 1) \
    FOR_PAIRS { NEXT_QUARTER(loaded[j]) }
#define FOR_QUARTERS for (uint quarter = 0; quarter < 2 + none; ++quarter)
#if UNROLLED_VEC4S == 2
#define ADD_VEC4S(half) FOR_QUARTERS { ADD_QUARTER(half) }
#else
#define ADD_VEC4S(half) \
    ADD_VEC4(4 * (half), 0) ADD_VEC4(4 * (half) + 1, 1) ADD_VEC4(4 * (half) + 2, 2) ADD_VEC4(4 * (half) + 3, 3)
#endif

#define FOR_PAIRS for (uint j = 0; j < PAIRS; ++j)
#define FOR_BATCH_ROWS for (uint n = 0; n < BATCH_ROWS; ++n)

// The sum of 128 hi + lo, from the sums of the input.
#if VALUE_BYTES == 2
#define VALUE_BYTES_TOTAL(sums) (128 * (sums).x + (sums).y)
#else
#define VALUE_BYTES_TOTAL(sums) (sums).x
#endif

// The batch row of item i, in a loop over the batch rows' shares of so many, and its place in the share.
#if BATCH_ROWS == 1
#define BATCH_ROW_OF(i, share) 0
#define IN_SHARE(i, share) (i)
#define ROW_OF(n) only_row
#else
#define BATCH_ROW_OF(i, share) ((i) / (share))
#define IN_SHARE(i, share) ((i) % (share))
#define ROW_OF(n) INPUT_ROW(FIRST_ROW + (n))
#endif

#define SUMS_OF(element) convert_int2(as_short2(element))
// Stages what a block of x has beside its bytes, from its sums and its scale.
#define STAGE_BLOCK(to, sums, scale)                                                           \
    {                                                                                          \
        const uint4 e = sums;                                                                  \
        const int2 e0 = SUMS_OF(e.x), e1 = SUMS_OF(e.y), e2 = SUMS_OF(e.z), e3 = SUMS_OF(e.w); \
        x_scale[to] = scale * (1.0f / TOTAL_SCALE);                                            \
        STAGE_SUMS(to, e0, e1, e2, e3)                                                         \
        ON_MIN(x_sum[to] = (float)VALUE_BYTES_TOTAL(e0 + e1 + e2 + e3) * TOTAL_SCALE;)         \
    }

#if PREFETCH
// The items' shares of a chunk of x, 16 values each, between their loads and their stores. Neighbours take a batch row
// each; these lie side by side in local memory.
#define STAGE_LOADS ((CHUNK_BLOCKS * BATCH_ROWS * 2 + ITEMS - 1) / ITEMS)
#define SUMS_LOADS ((CHUNK_BLOCKS * BATCH_ROWS + ITEMS - 1) / ITEMS)
#define STAGE_BATCH_ROW(t) ((ITEM + (t)*ITEMS) % BATCH_ROWS)
#define STAGE_PLACE(t) ((ITEM + (t)*ITEMS) / BATCH_ROWS)
#define LOAD_STAGE(chunk)                                                                        \
    {                                                                                            \
        const uint loaded = min((uint)CHUNK_BLOCKS, n_blocks - (chunk));                         \
        for (uint t = 0; t < STAGE_LOADS; ++t) {                                                 \
            if (STAGE_PLACE(t) < 2 * loaded) {                                                   \
                const uint row = ROW_OF(STAGE_BATCH_ROW(t));                                     \
                stage_hi[t] = INPUT_HI16(row, (chunk)*2 + STAGE_PLACE(t));                       \
                if (VALUE_BYTES == 2) stage_lo[t] = INPUT_LO16(row, (chunk)*2 + STAGE_PLACE(t)); \
            }                                                                                    \
        }                                                                                        \
        for (uint t = 0; t < SUMS_LOADS; ++t) {                                                  \
            if (STAGE_PLACE(t) < loaded) {                                                       \
                const uint row = ROW_OF(STAGE_BATCH_ROW(t));                                     \
                stage_sums[t] = INPUT_SUMS(row, (chunk) + STAGE_PLACE(t));                       \
                stage_scale[t] = INPUT_SCALE(row, (chunk) + STAGE_PLACE(t));                     \
            }                                                                                    \
        }                                                                                        \
    }
#define STORE_VEC4(t, k, word)                                                                             \
    stage_vec4(x + STAGED_AT(0, 4 * STAGE_PLACE(t) + (k), STAGE_BATCH_ROW(t)), as_char4(stage_hi[t].word), \
               as_char4(stage_lo[t].word));
#endif

// Loops of at most one pass are written without a loop, which compilers would unroll into two.
#if CHUNK_BLOCKS * BATCH_ROWS <= ITEMS
#define FOR_STAGED_BLOCKS \
    const uint i = ITEM;  \
    if (i < staged_blocks)
#else
#define FOR_STAGED_BLOCKS for (uint i = ITEM; i < staged_blocks; i += ITEMS)
#endif
#if PASS_SUMS == SUMS
#define FOR_PASSES const uint first = 0;
#else
#define FOR_PASSES for (uint first = 0; first < SUMS + none; first += PASS_SUMS)
#endif
#if PASS_SUMS <= K_SPLITS
#define FOR_PASS_SUMS       \
    const uint c = k_split; \
    if (c < min((uint)PASS_SUMS, SUMS - first))
#else
#define FOR_PASS_SUMS for (uint c = k_split; c < min((uint)PASS_SUMS, SUMS - first); c += K_SPLITS)
#endif

#if HAS_MIN
#define ON_MIN(code) code
#else
#define ON_MIN(code)
#endif

#ifndef LAYOUT_LOCAL
#define LAYOUT_LOCAL
#endif

// Adds the totals of the sub-block that the first half of the loaded blocks is in to the sums.
#define END_SUB_BLOCK                                                                \
    {                                                                                \
        float2 row_scale[PAIRS];                                                     \
        FOR_PAIRS row_scale[j] = SCALES(loaded[j]);                                  \
        ON_MIN(float2 row_min[PAIRS]; FOR_PAIRS row_min[j] = MINS(loaded[j]);)       \
        FOR_BATCH_ROWS {                                                             \
            const float2 of_x = (float2)(x_scale[block * BATCH_ROWS + n]);           \
            ON_MIN(const float2 sum_of_x = (float2)(x_sum[block * BATCH_ROWS + n]);) \
            FOR_PAIRS {                                                              \
                ON_MIN(ADD_ZERO_POINT(total[n][j], sum_of_x))                        \
                sum[n][j] = mad(total[n][j], row_scale[j] * of_x, sum[n][j]);        \
                ON_MIN(sum[n][j] = mad(sum_of_x, row_min[j] * of_x, sum[n][j]);)     \
            }                                                                        \
        }                                                                            \
    }

typedef struct {
    uint n_pairs, n_blocks;
    quants_t input;
    uint first_pair;  // where this matrix's pairs begin among those of the whole output
#if INPUT_NORM
    float norm_width, norm_epsilon;
#endif
    epilogue_numbers_t out;
} matmul_numbers_t;

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void matmul(WEIGHT_ARGS, __global uchar* activations, EPILOGUE_ARGS const matmul_numbers_t numbers) {
    const uint n_pairs = numbers.n_pairs, n_blocks = numbers.n_blocks, first_pair = numbers.first_pair;
    const quants_t input = numbers.input;
#ifdef GROUP_OUTPUTS
    const quants_t next = numbers.out.next;
#endif
    FIND_ARRAYS(n_pairs / TILE_PAIRS * n_blocks)
    __local staged_t x[STAGED] __attribute__((aligned(16)));
    __local float x_scale[CHUNK_BLOCKS * BATCH_ROWS];
    CORE_LOCAL
    LAYOUT_LOCAL
    ON_MIN(__local float x_sum[CHUNK_BLOCKS * BATCH_ROWS];)
#if BATCH_ROWS == 1
    const uint only_row = INPUT_ROW(FIRST_ROW);
#endif
#if !PREFETCH
    EPILOGUE_BEGIN
#endif

    const uint lane = ITEM % LANES, k_split = ITEM / LANES;

    // Pairs past the end compute the last tile's again; a group in one tile has none.
    place_t at[PAIRS];
    uint tile_block[PAIRS];
    FOR_PAIRS {
        const uint pair = FIRST_PAIR + j * LANES + lane;
        at[j] = place_of(pair % TILE_PAIRS);
#if IN_ONE_TILE
        tile_block[j] = j == 0 ? mul24(pair / TILE_PAIRS, n_blocks) : tile_block[0];
#else
        tile_block[j] = mul24(min(pair, n_pairs - 1) / TILE_PAIRS, n_blocks);
#endif
    }
#if PREFETCH
    block_t ahead[PAIRS];
    FOR_PAIRS { LOAD_BLOCK(ahead[j], tile_block[j] + min(k_split, n_blocks - 1), at[j]) }
    uint4 stage_hi[STAGE_LOADS], stage_lo[STAGE_LOADS], stage_sums[SUMS_LOADS];
    float stage_scale[SUMS_LOADS];
    LOAD_STAGE(0)
    EPILOGUE_BEGIN  // it waits for loads of its own
#endif
#if EARLY
    const uint own_pair = FIRST_PAIR + k_split % PAIRS * LANES + lane, own_row = FIRST_ROW + k_split / PAIRS;
    EPILOGUE_EARLY(own_pair, own_row, k_split < SUMS && own_pair < n_pairs)
#endif
#if PREFETCH
    const uint none = 0;
#else
    const uint none = n_pairs % TILE_PAIRS;  // 0; in the bounds of loops that compilers would unroll
#endif
    float2 sum[BATCH_ROWS][PAIRS];
    FOR_BATCH_ROWS FOR_PAIRS sum[n][j] = (float2)(0.0f);

    for (uint chunk = 0; chunk < n_blocks; chunk += CHUNK_BLOCKS) {
        const uint blocks = min((uint)CHUNK_BLOCKS, n_blocks - chunk) + none;
        barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
#pragma unroll
        for (uint t = 0; t < STAGE_LOADS; ++t) {
            if (STAGE_PLACE(t) < 2 * blocks) {
                STORE_VEC4(t, 0, x) STORE_VEC4(t, 1, y) STORE_VEC4(t, 2, z) STORE_VEC4(t, 3, w)
            }
        }
#pragma unroll
        for (uint t = 0; t < SUMS_LOADS; ++t) {
            const uint to = STAGE_PLACE(t) * BATCH_ROWS + STAGE_BATCH_ROW(t);
            if (STAGE_PLACE(t) < blocks) STAGE_BLOCK(to, stage_sums[t], stage_scale[t])
        }
#else
        // Row n of x begins at n CHUNK_BLOCKS. (A constant bound would have these loops unrolled.)
        const uint staged_blocks = (BATCH_ROWS - 1) * CHUNK_BLOCKS + blocks;
        for (uint i = ITEM; i < VEC4S * staged_blocks; i += ITEMS) {
            const uint n = BATCH_ROW_OF(i, CHUNK_BLOCKS * VEC4S), vec4 = IN_SHARE(i, CHUNK_BLOCKS * VEC4S);
            if (vec4 < blocks * VEC4S) {
                const uint row = ROW_OF(n), from = chunk * VEC4S + vec4;
                stage_vec4(x + (vec4 * BATCH_ROWS + n) * STAGED_WORDS, INPUT_HI4(row, from), INPUT_LO4(row, from));
            }
        }
        FOR_STAGED_BLOCKS {
            const uint n = BATCH_ROW_OF(i, CHUNK_BLOCKS), block = IN_SHARE(i, CHUNK_BLOCKS);
            if (block < blocks) {
                const uint row = ROW_OF(n), from = chunk + block, to = block * BATCH_ROWS + n;
                STAGE_BLOCK(to, INPUT_SUMS(row, from), INPUT_SCALE(row, from))
            }
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

#if PREFETCH
        if (chunk + CHUNK_BLOCKS < n_blocks) LOAD_STAGE(chunk + CHUNK_BLOCKS)
#else
        uint chunk_block[PAIRS];
        FOR_PAIRS chunk_block[j] = tile_block[j] + chunk;
#endif
        ROLLED
        for (uint block = k_split; block < blocks; block += K_SPLITS) {
            block_t loaded[PAIRS];
            CORE_DECLARE
#if PREFETCH
            const uint following = min(chunk + block + K_SPLITS, n_blocks - 1);
            FOR_PAIRS {
                loaded[j] = ahead[j];
                LOAD_BLOCK(ahead[j], tile_block[j] + following, at[j])
            }
#else
            FOR_PAIRS { LOAD_BLOCK(loaded[j], chunk_block[j] + block, at[j]) }
#endif
            BEGIN_BLOCK
#if UNROLLED_VEC4S < VEC4S
            ROLLED
            for (uint half_block = 0; half_block < 2 + none; ++half_block) {
                ADD_HALF(half_block)
                FOR_PAIRS { NEXT_HALF(loaded[j]) }
            }
#else
            ADD_HALF(0)
            FOR_PAIRS { NEXT_HALF(loaded[j]) }
            ADD_HALF(1)
#endif
            END_BLOCK
        }
    }

    EPILOGUE_FOLD
#if SUMS == 1 && K_SPLITS == 1
#if FOLDS
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const uint pair = FIRST_PAIR + lane;
    if (IN_ONE_TILE || pair < n_pairs) {
        FINISH(sum[0][0], pair, FIRST_ROW, 0)
    }
#else
    // The items of a lane, one for each K split, share its sums among them.
    __local float2* parts = (__local float2*)x;
    FOR_PASSES {
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_BATCH_ROWS FOR_PAIRS {
            const uint c = n * PAIRS + j - first;
            if (c < PASS_SUMS) parts[(c * K_SPLITS + k_split) * LANES + lane] = sum[n][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_PASS_SUMS {
            float2 all = parts[c * K_SPLITS * LANES + lane];
            for (uint s = 1; s < K_SPLITS; ++s) all += parts[(c * K_SPLITS + s) * LANES + lane];
            const uint group_row = (first + c) / PAIRS, pair = FIRST_PAIR + (first + c) % PAIRS * LANES + lane;
            if (IN_ONE_TILE || pair < n_pairs) {
                FINISH(all, pair, FIRST_ROW + group_row, group_row)
            }
        }
    }
#endif
    FINISH_GROUP
}
