// Rows of a packed matrix times rows of records, and an epilogue:
//     sum(pair, row) = (W[2 pair] . x[row], W[2 pair + 1] . x[row])
//
// A work-group has LANES x SLICES items. Group (gx, gy) computes the pairs [gx LANES PAIRS, ...), lane l the pairs l,
// l + LANES, ... of them, for the batch rows [gy COLUMNS, ...). x passes through local memory in chunks of CHUNK_BLOCKS
// blocks. Slice s takes the blocks b with b % SLICES == s in rising order; the sums of the slices are added in rising order
// too. So the bits of a sum depend on the matrix, SLICES and DIGITS alone: never on COLUMNS, PAIRS, LANES, CHUNK_BLOCKS, and
// on core and IMAGE only where weights have no integer codes (Q8_0, F16, IQ4_NL): the sum of code * (128 hi + lo) in a
// block or sub-block is an integer below 2^24, exact in either core.
//
// Grid: (ceil(n_pairs / (LANES PAIRS)), ceil(batch rows / COLUMNS)). The records have rows to spare up to a multiple
// of COLUMNS; what lies there is computed and handed to FINISH. n_pairs, a multiple of 32, and n_blocks are those of the
// planes' buffers.
//
// Source: common.cl dot.cl core_*.cl activations.cl [sample.cl] epilogue.cl matmul.cl. epilogue.cl says what it defines.
// Options: LAYOUT_*; DIGITS 1 or 2, NEXT_DIGITS (activations.cl); IMAGE, WINDOW; COLUMNS; PAIRS; LANES and SLICES;
//          PREFETCH 1: for GPUs with registers to spare, what can be loaded is on its way before anything is waited for: a
//          block's weights one block ahead, a chunk of x while the one before is multiplied, what the epilogue reads;
//          TURN_QUADS 8, 4 or 2: with 8 a block is written out; with fewer a loop adds its halves, with 2 another one their
//          quarters, for small instruction caches;
//          CHUNK_BLOCKS, a multiple of SLICES with room for one float2 an item where x lies
//
// A result is finished by any item of the group; the pair's lane does not say which.

#define QUADS 8  // of four columns in a block
#define ITEMS (LANES * SLICES)
#define ITEM ((uint)get_local_id(0))
#define GROUP_PAIRS (LANES * PAIRS)
#define IN_ONE_TILE (TILE_PAIRS % GROUP_PAIRS == 0)
#define FIRST_PAIR ((uint)get_group_id(0) * GROUP_PAIRS)
#define FIRST_ROW ((uint)get_group_id(1) * COLUMNS)
#define SUMS (COLUMNS * PAIRS)
#define STAGED (CHUNK_BLOCKS * QUADS * COLUMNS * STAGED_WORDS)
// Sums, of every slice, that fit where x was.
#define PASS_MAX (STAGED * 2 / ITEMS)
#define PASS_SUMS (PASS_MAX < SUMS ? PASS_MAX : SUMS)

#define STAGED_AT(block, k, n) ((((block)*QUADS + (k)) * COLUMNS + (n)) * STAGED_WORDS)

// A block in turns of TURN_QUADS quads.
#define ADD_QUARTER(half)                                                                             \
    ADD_QUAD(4 * (half) + 2 * quarter, 0) ADD_QUAD(4 * (half) + 2 * quarter + 1, 1)                   \
    FOR_PAIRS { NEXT_QUARTER(cells[j]) }
#define FOR_QUARTERS for (uint quarter = 0; quarter < 2 + none; ++quarter)
#if TURN_QUADS == 2
#define ADD_QUADS(half) FOR_QUARTERS { ADD_QUARTER(half) }
#else
#define ADD_QUADS(half) \
    ADD_QUAD(4 * (half), 0) ADD_QUAD(4 * (half) + 1, 1) ADD_QUAD(4 * (half) + 2, 2) ADD_QUAD(4 * (half) + 3, 3)
#endif

#define FOR_PAIRS for (uint j = 0; j < PAIRS; ++j)
#define FOR_COLUMNS for (uint n = 0; n < COLUMNS; ++n)

// What 128 hi + lo sums up to, from the sums of a record.
#if DIGITS == 2
#define DIGITS_TOTAL(sums) (128 * (sums).x + (sums).y)
#else
#define DIGITS_TOTAL(sums) (sums).x
#endif

// Item i of a loop over the columns' shares of so many: the column, and its place in the share.
#if COLUMNS == 1
#define COLUMN_OF(i, share) 0
#define IN_SHARE(i, share) (i)
#define ROW_OF(n) only_row
#else
#define COLUMN_OF(i, share) ((i) / (share))
#define IN_SHARE(i, share) ((i) % (share))
#define ROW_OF(n) INPUT_ROW(FIRST_ROW + (n))
#endif

#define SUMS_OF(element) convert_int2(as_short2(element))
// Stages what a block of x has beside its digits, from the sums and the scale of its record.
#define STAGE_BLOCK(to, sums, scale)                                                           \
    {                                                                                          \
        const uint4 e = sums;                                                                  \
        const int2 e0 = SUMS_OF(e.x), e1 = SUMS_OF(e.y), e2 = SUMS_OF(e.z), e3 = SUMS_OF(e.w); \
        x_scale[to] = scale * (1.0f / TOTAL_UNIT);                                             \
        STAGE_SUMS(to, e0, e1, e2, e3)                                                         \
        ON_MIN(x_sum[to] = (float)DIGITS_TOTAL(e0 + e1 + e2 + e3) * TOTAL_UNIT;)               \
    }

#if PREFETCH
// The items' shares of a chunk of x, 16 columns each, between their loads and their stores. Neighbours take a column each,
// which lie side by side in local memory.
#define STAGE_TURNS ((CHUNK_BLOCKS * COLUMNS * 2 + ITEMS - 1) / ITEMS)
#define SUMS_TURNS ((CHUNK_BLOCKS * COLUMNS + ITEMS - 1) / ITEMS)
#define STAGE_COLUMN(t) ((ITEM + (t)*ITEMS) % COLUMNS)
#define STAGE_PLACE(t) ((ITEM + (t)*ITEMS) / COLUMNS)
#define LOAD_STAGE(chunk)                                                                   \
    {                                                                                       \
        const uint loaded = min((uint)CHUNK_BLOCKS, n_blocks - (chunk));                    \
        for (uint t = 0; t < STAGE_TURNS; ++t) {                                            \
            if (STAGE_PLACE(t) < 2 * loaded) {                                              \
                const uint row = ROW_OF(STAGE_COLUMN(t));                                   \
                stage_hi[t] = RECORD_HI16(row, (chunk)*2 + STAGE_PLACE(t));                 \
                if (DIGITS == 2) stage_lo[t] = RECORD_LO16(row, (chunk)*2 + STAGE_PLACE(t)); \
            }                                                                               \
        }                                                                                   \
        for (uint t = 0; t < SUMS_TURNS; ++t) {                                             \
            if (STAGE_PLACE(t) < loaded) {                                                  \
                const uint row = ROW_OF(STAGE_COLUMN(t));                                   \
                stage_sums[t] = RECORD_SUMS(row, (chunk) + STAGE_PLACE(t));                 \
                stage_scale[t] = RECORD_SCALE(row, (chunk) + STAGE_PLACE(t));               \
            }                                                                               \
        }                                                                                   \
    }
#define STORE_QUAD(t, k, word)                                                                        \
    stage_quad(x + STAGED_AT(0, 4 * STAGE_PLACE(t) + (k), STAGE_COLUMN(t)), as_char4(stage_hi[t].word), \
               as_char4(stage_lo[t].word));
#endif

// Loops of at most one turn are written without a loop, which compilers would unroll into two.
#if CHUNK_BLOCKS * COLUMNS <= ITEMS
#define FOR_STAGED_BLOCKS   \
    const uint i = ITEM;    \
    if (i < staged_blocks)
#else
#define FOR_STAGED_BLOCKS for (uint i = ITEM; i < staged_blocks; i += ITEMS)
#endif
#if PASS_SUMS == SUMS
#define FOR_PASSES const uint first = 0;
#else
#define FOR_PASSES for (uint first = 0; first < SUMS + none; first += PASS_SUMS)
#endif
#if PASS_SUMS <= SLICES
#define FOR_PASS_SUMS     \
    const uint c = slice; \
    if (c < min((uint)PASS_SUMS, SUMS - first))
#else
#define FOR_PASS_SUMS for (uint c = slice; c < min((uint)PASS_SUMS, SUMS - first); c += SLICES)
#endif

#if HAS_MIN
#define ON_MIN(code) code
#else
#define ON_MIN(code)
#endif

#ifndef LAYOUT_LOCAL
#define LAYOUT_LOCAL
#endif

// Adds the totals of the sub-block that the cells' first half is in to the sums.
#define END_SUB_BLOCK                                                                                    \
    {                                                                                                    \
        float2 row_scale[PAIRS];                                                                           \
        FOR_PAIRS row_scale[j] = SCALES(cells[j]);                                                         \
        ON_MIN(float2 row_min[PAIRS]; FOR_PAIRS row_min[j] = MINS(cells[j]);)                                   \
        FOR_COLUMNS {                                                                                    \
            const float2 of_x = (float2)(x_scale[block * COLUMNS + n]);                                  \
            ON_MIN(const float2 sum_of_x = (float2)(x_sum[block * COLUMNS + n]);)                        \
            FOR_PAIRS {                                                                                  \
                ON_MIN(UNCENTRE(total[n][j], sum_of_x))                                                  \
                sum[n][j] = mad(total[n][j], row_scale[j] * of_x, sum[n][j]);                                \
                ON_MIN(sum[n][j] = mad(sum_of_x, row_min[j] * of_x, sum[n][j]);)                         \
            }                                                                                            \
        }                                                                                                \
    }

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(PLANE_ARGS, uint n_pairs, uint n_blocks, RECORD_ARGS, EPILOGUE_ARGS) {
    FIND_PLANES(n_pairs / TILE_PAIRS * n_blocks)
    __local staged_t x[STAGED];
    __local float x_scale[CHUNK_BLOCKS * COLUMNS];
    CORE_LOCAL
    LAYOUT_LOCAL
    ON_MIN(__local float x_sum[CHUNK_BLOCKS * COLUMNS];)
#if COLUMNS == 1
    const uint only_row = INPUT_ROW(FIRST_ROW);
#endif
#if !PREFETCH
    EPILOGUE_BEGIN
#endif

    const uint lane = ITEM % LANES, slice = ITEM / LANES;

    // Pairs past the end, which a group in one tile has not, compute the last tile's again.
    place_t at[PAIRS];
    uint tile_cell[PAIRS];
    FOR_PAIRS {
        const uint pair = FIRST_PAIR + j * LANES + lane;
        at[j] = place_of(pair % TILE_PAIRS);
#if IN_ONE_TILE
        tile_cell[j] = j == 0 ? mul24(pair / TILE_PAIRS, n_blocks) : tile_cell[0];
#else
        tile_cell[j] = mul24(min(pair, n_pairs - 1) / TILE_PAIRS, n_blocks);
#endif
    }
#if PREFETCH
    cell_t ahead[PAIRS];
    FOR_PAIRS { LOAD_CELL(ahead[j], tile_cell[j] + min(slice, n_blocks - 1), at[j]) }
    uint4 stage_hi[STAGE_TURNS], stage_lo[STAGE_TURNS], stage_sums[SUMS_TURNS];
    float stage_scale[SUMS_TURNS];
    LOAD_STAGE(0)
    EPILOGUE_BEGIN  // waits for loads of its own
#endif
#if EARLY
    const uint own_pair = FIRST_PAIR + slice % PAIRS * LANES + lane, own_row = FIRST_ROW + slice / PAIRS;
    EPILOGUE_EARLY(own_pair, own_row, slice < SUMS && own_pair < n_pairs)
#endif
#if PREFETCH
    const uint none = 0;
#else
    const uint none = n_pairs % TILE_PAIRS;  // 0; in the bounds of loops that compilers would unroll
#endif
    float2 sum[COLUMNS][PAIRS];
    FOR_COLUMNS FOR_PAIRS sum[n][j] = (float2)(0.0f);

    for (uint chunk = 0; chunk < n_blocks; chunk += CHUNK_BLOCKS) {
        const uint blocks = min((uint)CHUNK_BLOCKS, n_blocks - chunk) + none;
        barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
#pragma unroll
        for (uint t = 0; t < STAGE_TURNS; ++t) {
            if (STAGE_PLACE(t) < 2 * blocks) {
                STORE_QUAD(t, 0, x) STORE_QUAD(t, 1, y) STORE_QUAD(t, 2, z) STORE_QUAD(t, 3, w)
            }
        }
#pragma unroll
        for (uint t = 0; t < SUMS_TURNS; ++t) {
            const uint to = STAGE_PLACE(t) * COLUMNS + STAGE_COLUMN(t);
            if (STAGE_PLACE(t) < blocks) STAGE_BLOCK(to, stage_sums[t], stage_scale[t])
        }
#else
        // Row n of x begins at n CHUNK_BLOCKS. (Were the bound of these loops a constant, they would be unrolled.)
        const uint staged_blocks = (COLUMNS - 1) * CHUNK_BLOCKS + blocks;
        for (uint i = ITEM; i < QUADS * staged_blocks; i += ITEMS) {
            const uint n = COLUMN_OF(i, CHUNK_BLOCKS * QUADS), quad = IN_SHARE(i, CHUNK_BLOCKS * QUADS);
            if (quad < blocks * QUADS) {
                const uint row = ROW_OF(n), from = chunk * QUADS + quad;
                stage_quad(x + (quad * COLUMNS + n) * STAGED_WORDS, RECORD_HI4(row, from), RECORD_LO4(row, from));
            }
        }
        FOR_STAGED_BLOCKS {
            const uint n = COLUMN_OF(i, CHUNK_BLOCKS), block = IN_SHARE(i, CHUNK_BLOCKS);
            if (block < blocks) {
                const uint row = ROW_OF(n), from = chunk + block, to = block * COLUMNS + n;
                STAGE_BLOCK(to, RECORD_SUMS(row, from), RECORD_SCALE(row, from))
            }
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

#if PREFETCH
        if (chunk + CHUNK_BLOCKS < n_blocks) LOAD_STAGE(chunk + CHUNK_BLOCKS)
#else
        uint chunk_cell[PAIRS];
        FOR_PAIRS chunk_cell[j] = tile_cell[j] + chunk;
#endif
#pragma unroll 1
        for (uint block = slice; block < blocks; block += SLICES) {
            cell_t cells[PAIRS];
            CORE_DECLARE
#if PREFETCH
            const uint following = min(chunk + block + SLICES, n_blocks - 1);
            FOR_PAIRS {
                cells[j] = ahead[j];
                LOAD_CELL(ahead[j], tile_cell[j] + following, at[j])
            }
#else
            FOR_PAIRS { LOAD_CELL(cells[j], chunk_cell[j] + block, at[j]) }
#endif
            BEGIN_BLOCK
#if TURN_QUADS < QUADS
#pragma unroll 1
            for (uint half_block = 0; half_block < 2 + none; ++half_block) {
                ADD_HALF(half_block)
                FOR_PAIRS { NEXT_HALF(cells[j]) }
            }
#else
            ADD_HALF(0)
            FOR_PAIRS { NEXT_HALF(cells[j]) }
            ADD_HALF(1)
#endif
            END_BLOCK
        }
    }

    EPILOGUE_FOLD
#if SUMS == 1 && SLICES == 1
#if FOLDS
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const uint pair = FIRST_PAIR + lane;
    if (IN_ONE_TILE || pair < n_pairs) {
        FINISH(sum[0][0], pair, FIRST_ROW, 0)
    }
#else
    // The items of a lane, one for each slice, share its sums among them.
    __local float2* parts = (__local float2*)x;
    FOR_PASSES {
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_COLUMNS FOR_PAIRS {
            const uint c = n * PAIRS + j - first;
            if (c < PASS_SUMS) parts[(c * SLICES + slice) * LANES + lane] = sum[n][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_PASS_SUMS {
            float2 all = parts[c * SLICES * LANES + lane];
            for (uint s = 1; s < SLICES; ++s) all += parts[(c * SLICES + s) * LANES + lane];
            const uint column = (first + c) / PAIRS, pair = FIRST_PAIR + (first + c) % PAIRS * LANES + lane;
            if (IN_ONE_TILE || pair < n_pairs) {
                FINISH(all, pair, FIRST_ROW + column, column)
            }
        }
    }
#endif
    FINISH_GROUP
}
