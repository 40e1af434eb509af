// What the layouts of 4 to 6 bits share: the low nibbles of a pair of rows.
//
// A file like this one gives product.cl a layout, as macros over a cell (the registers of one pair and one block) and the
// quad k (columns 4 k to 4 k + 3 of the part of the block that comes next; a literal, 0 to 3, or 0 or 1 in a quarter):
//     FURTHER_PLANES(plane) see planes.cl
//     cell_t, LOAD_CELL(c, cell, at)
//     DUAL(c, k)            int4, for each column code(even row) + 65536 code(odd row)
//     ROWS(c, k, even, odd) sets two float4 to the codes of each row, if that is shorter than to make them of DUAL's; or,
//                           in place of DUAL where there are no such codes, to the weights of each row without their scale
//     SCALES(c)             float2, the scales of both rows in the sub-block that quad 0 is in
//     MINS(c)               float2, what every weight has in addition, if HAS_MIN
//     NEXT_QUARTER(c)       turns to the other quarter of a half
//     NEXT_HALF(c)          turns to the second half, from the first or from behind its quarters
//     LAYOUT_LOCAL          local memory and what fills it, if any
//     SUB_BLOCKS            parts of a block with a scale of their own, 1 or 2
//     CENTRE                what is taken from every code for sums to be small; weight = scale * (code - CENTRE), or
//                           scale * code + min
//     SUM_QUADS             quads whose centred codes times digits up to 127 sum up to 16 bits: 2^15 / (CENTRE * 127) / 4

#define NIBBLES_FIELDS uint4 quants_0, quants_1;
#define LOAD_NIBBLES(c, cell, at)                               \
    c.quants_0 = PLANE_UINT4(quants, cell, 2, 0, at); \
    c.quants_1 = PLANE_UINT4(quants, cell, 2, 1, at);

#define NIBBLE_WORD(c, k) NIBBLE_WORD_##k(c)
#define NIBBLE_WORD_0(c) c.quants_0.x
#define NIBBLE_WORD_1(c) c.quants_0.y
#define NIBBLE_WORD_2(c) c.quants_0.z
#define NIBBLE_WORD_3(c) c.quants_0.w
#define NEXT_QUARTER_NIBBLES(c) c.quants_0.xy = c.quants_0.zw;
#define NEXT_HALF_NIBBLES(c) c.quants_0 = c.quants_1;

// Column i of a word.
#define NIBBLE(w, i) (((w) >> (4 * (i))) & 0x000f000fu)
