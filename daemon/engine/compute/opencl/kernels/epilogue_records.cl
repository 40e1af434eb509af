// What epilogues have in common that write records (activations.cl) of what their group made: GROUP_OUTPUTS values a column
// in `made`, a multiple of 32, so that a block of a record is made by one group. With MADE_X also the stats of `made_x`.

#define OUTPUTS_PER_PAIR (GROUP_OUTPUTS / GROUP_PAIRS)
#if MADE_X
#define EPILOGUE_LOCAL                           \
    __local float made[COLUMNS * GROUP_OUTPUTS]; \
    __local float made_x[COLUMNS * GROUP_OUTPUTS];
#define WRITE_STATS(row, eight, at) \
    if ((eight) % 4 == 0) write_stats(activations, row, next_columns, (eight) / 4, made_x + (at));
#else
#define EPILOGUE_LOCAL __local float made[COLUMNS * GROUP_OUTPUTS];
#define WRITE_STATS(record, eight, at)
#endif
// GROUP_OUTPUTS is a multiple of 32, so a block of a record is made by one group.
#define FINISH_GROUP                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                         \
    FOR_SHARE(i, ITEM, ITEMS, COLUMNS * (GROUP_OUTPUTS / 8)) {                                            \
        const uint of_column = i / (GROUP_OUTPUTS / 8), of_group = i % (GROUP_OUTPUTS / 8);               \
        const uint eight = (first_pair + FIRST_PAIR) * OUTPUTS_PER_PAIR / 8 + of_group;                   \
        if (8 * of_group >= (n_pairs - FIRST_PAIR) * OUTPUTS_PER_PAIR || 8 * eight >= next_columns) continue; \
        const uint to = NEXT_ROW(FIRST_ROW + of_column);                                                  \
        const uint at = of_column * GROUP_OUTPUTS + of_group / 4 * 32;                                    \
        write_record(activations, to, next_columns, eight, made + at);                                    \
        WRITE_STATS(to, eight, at)                                                                        \
    }
