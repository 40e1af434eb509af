// The layouts of 4 to 6 bits share the low nibbles of a row pair.
#define NIBBLES_FIELDS uint4 quants_0, quants_1;
#define LOAD_NIBBLES(c, block, at)                    \
    c.quants_0 = LOAD_UINT4(quants, block, 2, 0, at); \
    c.quants_1 = LOAD_UINT4(quants, block, 2, 1, at);

#define NIBBLE_WORD(c, k) NIBBLE_WORD_##k(c)
#define NIBBLE_WORD_0(c) c.quants_0.x
#define NIBBLE_WORD_1(c) c.quants_0.y
#define NIBBLE_WORD_2(c) c.quants_0.z
#define NIBBLE_WORD_3(c) c.quants_0.w
#define NEXT_QUARTER_NIBBLES(c) c.quants_0.xy = c.quants_0.zw;
#define NEXT_HALF_NIBBLES(c) c.quants_0 = c.quants_1;

// As bytes, columns 0 and 2 of both rows, or 1 and 3, are in one word.
#define EVEN_NIBBLES(w) ((w) & 0x0f0f0f0fu)
#define ODD_NIBBLES(w) (((w) >> 4) & 0x0f0f0f0fu)
// Column i of a word.
#define NIBBLE(w, i) (((w) >> (4 * (i))) & 0x000f000fu)
