// A gated short convolution: query * the sum over the taps of taps[tap] * (key * value) at position - TAPS + 1 + tap, each
// channel by itself, quantized for the matmul behind it. Before position 0 the product is 0.
//
// `from`, [rows][from_width], is what a matmul has left: queries, keys, values, each CHANNELS long and padded to whole tiles
// of a matmul's rows. taps is [TAPS][CHANNELS]. A row's own product goes into its page, [page][PAGE_TOKENS][CHANNELS]; those
// of earlier rows of the batch are computed again, those before them are read from their pages. A group makes EMBED_WIDTH
// values of a row. Needs activations.cl. Grid: (ceil(next.width / EMBED_WIDTH), batch rows).
//
// Options: CHANNELS; TAPS; MAX_ROWS, MAX_PAGES, TABLES_AT.
#define PADDED_CHANNELS (((CHANNELS) + 2 * TILE_PAIRS - 1) / (2 * TILE_PAIRS) * (2 * TILE_PAIRS))

typedef struct {
    uint from_width, taps_at;
    quants_t next;
} convolution_numbers_t;

__kernel GROUP_SIZE void convolve(__global const float* from, __global uchar* activations, __global float* products,
                                  __global const int* step, const convolution_numbers_t numbers) {
    const quants_t next = numbers.next;
    __local float group_output[EMBED_WIDTH];
    const uint item = get_local_id(0);
    const uint row = get_group_id(1);
    const int slot = step[STEP_SLOT(row)];
    const uint position = (uint)step[STEP_POSITION(row)];

    for (uint i = item; i < EMBED_WIDTH; i += GROUP) {
        const uint channel = get_group_id(0) * EMBED_WIDTH + i;
        float sum = 0.0f;
        if (channel < CHANNELS) {
            for (uint tap = 0; tap < TAPS; ++tap) {
                const uint back = TAPS - 1 - tap;
                if (back > position) continue;
                const uint page = (uint)step[STEP_PAGES(slot) + (position - back) / PAGE_TOKENS];
                const uint at = (page * PAGE_TOKENS + (position - back) % PAGE_TOKENS) * CHANNELS + channel;
                float product;
                if (back <= row && step[STEP_SLOT(row - back)] == slot) {
                    const uint of_row = (row - back) * numbers.from_width + channel;
                    product = from[of_row + PADDED_CHANNELS] * from[of_row + 2 * PADDED_CHANNELS];
                } else {
                    product = products[at];
                }
                if (back == 0) products[at] = product;
                sum = mad(ACTIVATION(const float, numbers.taps_at, tap * CHANNELS + channel), product, sum);
            }
            sum *= from[row * numbers.from_width + channel];
        }
        group_output[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint eight = get_group_id(0) * GROUP + item;
    if (8 * eight < next.width) {
        write_quantized(activations, NEXT_ROW(row), next.width, eight, group_output + item / 4 * 32);
    }
}
