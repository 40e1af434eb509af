// What the layouts of 4 to 6 bits share: the low nibbles of a pair of rows.
//
// A file like this one gives product.cl a layout, as macros over the pair j of an item and the quad k (columns 4 k to
// 4 k + 3 of a block, a literal):
//     PLANE_ARGS            kernel arguments
//     CELL_DECLARE          registers for one block of every pair
//     CELL_LOAD(j, cell, at)
//     DUAL(j, k)            int4, for each column code(even row) + 65536 code(odd row)
//  or ROWS(j, k, even, odd) sets two float4 to the weights of each row without their scale, where there are no such codes
//     SCALES(j, sub)        float2, the scales of both rows in sub-block sub (a literal)
//     MINS(j)               float2, what every weight has in addition, if HAS_MIN
//     LAYOUT_LOCAL          local memory and what fills it, if any
//     SUB_BLOCKS            parts of a block with a scale of their own, 1 or 2
//     CENTRE                what is taken from every code for sums to be small; weight = scale * (code - CENTRE), or
//                           scale * code + min
//     SUM_QUADS             quads whose centred codes times digits up to 127 sum up to 16 bits: 2^15 / (CENTRE * 127) / 4

#define NIBBLES_DECLARE uint4 quants_0[PAIRS], quants_1[PAIRS];
#define NIBBLES_LOAD(j, cell, at)                               \
    quants_0[j] = PLANE_UINT4(quants, ELEMENT(cell, 2, 0, at)); \
    quants_1[j] = PLANE_UINT4(quants, ELEMENT(cell, 2, 1, at));

#define NIBBLE_WORD(j, k) NIBBLE_WORD_##k(j)
#define NIBBLE_WORD_0(j) quants_0[j].x
#define NIBBLE_WORD_1(j) quants_0[j].y
#define NIBBLE_WORD_2(j) quants_0[j].z
#define NIBBLE_WORD_3(j) quants_0[j].w
#define NIBBLE_WORD_4(j) quants_1[j].x
#define NIBBLE_WORD_5(j) quants_1[j].y
#define NIBBLE_WORD_6(j) quants_1[j].z
#define NIBBLE_WORD_7(j) quants_1[j].w

// Column i of a word.
#define NIBBLE(w, i) (((w) >> (4 * (i))) & 0x000f000fu)
