// The order in which matmul_wide takes activations, packed[strip][chunk][pass][block][column of the strip], and what pack and
// matmul_wide share.
//
// A strip is STRIP columns, a chunk CHUNK values of each, a block sixteen of these. A pass takes one value of each block, that
// of its lane. Passes come in the order in which totals() adds lanes: one and its partner, another and its partner, and so on.
//
// Options: MICRO (product.cl).
#define CHUNK 768
#define PACKED_COLUMNS 128
#define STRIP (8 * MICRO)
__constant uchar kLaneOfPass[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

// Each as compilers make it one instruction: pairs of lanes out of each quarter of two vectors, pairs of such pairs, and
// quarters.
#define LOW_LANES(a, b)                                                                                             \
    ((float16)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5, (a).s8, (b).s8, (a).s9, (b).s9, (a).sc, \
               (b).sc, (a).sd, (b).sd))
#define HIGH_LANES(a, b)                                                                                            \
    ((float16)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7, (a).sa, (b).sa, (a).sb, (b).sb, (a).se, \
               (b).se, (a).sf, (b).sf))
#define LOW_PAIRS(a, b) \
    ((float16)((a).s01, (b).s01, (a).s45, (b).s45, (a).s89, (b).s89, (a).scd, (b).scd))
#define HIGH_PAIRS(a, b) \
    ((float16)((a).s23, (b).s23, (a).s67, (b).s67, (a).sab, (b).sab, (a).sef, (b).sef))
#define EVEN_QUARTERS(a, b) ((float16)((a).s0123, (a).s89ab, (b).s0123, (b).s89ab))
#define ODD_QUARTERS(a, b) ((float16)((a).s4567, (a).scdef, (b).s4567, (b).scdef))

// v[i] becomes lane i of all.
static inline void transpose(float16* v) {
    float16 fours[4][4];  // of vectors 4 n to 4 n + 3: lanes c, 4 + c, 8 + c, 12 + c in a quarter each
#pragma unroll
    for (uint n = 0; n < 4; ++n) {
        const float16 a = LOW_LANES(v[4 * n], v[4 * n + 1]), b = LOW_LANES(v[4 * n + 2], v[4 * n + 3]);
        const float16 c = HIGH_LANES(v[4 * n], v[4 * n + 1]), d = HIGH_LANES(v[4 * n + 2], v[4 * n + 3]);
        fours[n][0] = LOW_PAIRS(a, b);
        fours[n][1] = HIGH_PAIRS(a, b);
        fours[n][2] = LOW_PAIRS(c, d);
        fours[n][3] = HIGH_PAIRS(c, d);
    }
#pragma unroll
    for (uint c = 0; c < 4; ++c) {
        const float16 even = EVEN_QUARTERS(fours[0][c], fours[1][c]), odd = ODD_QUARTERS(fours[0][c], fours[1][c]);
        const float16 even_end = EVEN_QUARTERS(fours[2][c], fours[3][c]), odd_end = ODD_QUARTERS(fours[2][c], fours[3][c]);
        v[c] = EVEN_QUARTERS(even, even_end);
        v[4 + c] = EVEN_QUARTERS(odd, odd_end);
        v[8 + c] = ODD_QUARTERS(even, even_end);
        v[12 + c] = ODD_QUARTERS(odd, odd_end);
    }
}
