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

// v[i] becomes lane i of all.
static inline void transpose(float16* v) {
    // Moves the lowest bit of the vector's number to the top of the lane's, and that of the lane's to the top of the vector's.
#pragma unroll
    for (uint bit = 0; bit < 4; ++bit) {
        float16 moved[16];
#pragma unroll
        for (uint i = 0; i < 8; ++i) {
            moved[i] = (float16)(v[2 * i].even, v[2 * i + 1].even);
            moved[8 + i] = (float16)(v[2 * i].odd, v[2 * i + 1].odd);
        }
#pragma unroll
        for (uint i = 0; i < 16; ++i) v[i] = moved[i];
    }
}
