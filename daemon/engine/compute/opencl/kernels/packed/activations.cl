// Activation records: how one kernel hands a vector to the products of the next launch, as integers with a scale for
// each block of 32 columns, K columns in all (padded with zeros to a multiple of 32).
//
//     x = scale * (128 hi + lo)   DIGITS == 2: 15 bits, |128 hi + lo| <= 16319, -63 <= lo <= 64
//     x = scale * hi              DIGITS == 1: 8 bits, |hi| <= 127
// A block that holds a NaN or an infinity has the scale NaN, so whatever it enters becomes NaN.
//
// A row of records is record_bytes long (activations.h has the same layout):
//     hi     char[K]
//     lo     char[K]        only with two digits
//     sums   short2[K / 8]  (sum of hi, sum of lo) of eight columns
//     stats  float2[K / 32] (sum, sum of squares) of the residual stream in that block, before the norm's weight. For the
//                           records of attention and feed-forward, which no norm reads, they are not written
//     scale  float[K / 32]
// All but the scales begin at a multiple of 16 bytes.
//
// Options: DIGITS.
#define RECORD_ARGS __global const uchar *record, uint record_bytes, uint record_columns

#define RECORD_SUMS_AT(columns) (DIGITS * (columns))
#define RECORD_STATS_AT(columns) (RECORD_SUMS_AT(columns) + (columns) / 2)
#define RECORD_SCALE_AT(columns) (RECORD_STATS_AT(columns) + (columns) / 4)

// For i = item, item + items, ... below n; items and n are constants. So is the number of turns: of a loop that begins at
// `item` compilers make two copies, not knowing that there is no second turn.
#define FOR_SHARE(i, item, items, n) \
    for (uint i = (item), turn = 0; turn < ((n) + (items)-1) / (items); ++turn, i += (items)) if (i < (n))

// Reading, in a kernel that has RECORD_ARGS: columns 4 i .. 4 i + 3, block b of 32, and of its sums four
// elements at once, each of eight columns.
#define RECORD_ROW(row) (record + (row) * record_bytes)
#define RECORD_HI4(row, i) (((__global const char4*)RECORD_ROW(row))[i])
#define RECORD_LO4(row, i) (((__global const char4*)(RECORD_ROW(row) + record_columns))[i])
#define RECORD_STATS(row, b) (((__global const float2*)(RECORD_ROW(row) + RECORD_STATS_AT(record_columns)))[b])
#define RECORD_SCALE(row, b) (((__global const float*)(RECORD_ROW(row) + RECORD_SCALE_AT(record_columns)))[b])
#define RECORD_SUMS(row, b) (((__global const uint4*)(RECORD_ROW(row) + RECORD_SUMS_AT(record_columns)))[b])

// Writing.
#if DIGITS == 2
#define LARGEST_DIGITS 16319.0f
#else
#define LARGEST_DIGITS 127.0f
#endif
#define LEAST_MAGNITUDE 0x0da24260u  // bits of 1e-30: a block below it counts as zeros, its reciprocal would overflow
#define FIRST_NOT_FINITE 0x7f800000u

// Orders magnitudes as floats do, with infinity and NaN above all numbers.
static inline uint magnitude_bits(float v) { return as_uint(v) & 0x7fffffffu; }

// Two sums of at most 16 bits as a short2.
static inline uint sums_of_eight(int8 hi, int8 lo) {
    const int4 h = hi.lo + hi.hi, l = lo.lo + lo.hi;
    return ((uint)((h.x + h.y) + (h.z + h.w)) & 0xffffu) | ((uint)((l.x + l.y) + (l.z + l.w)) << 16);
}

// The low bytes of eight integers. One store of eight bytes: compilers for GPUs make eight of a vstore8.
static inline uint packed_bytes(int4 v) {
    return ((uint)v.x & 255u) | ((uint)v.y & 255u) << 8 | ((uint)v.z & 255u) << 16 | (uint)v.w << 24;
}
static inline void store_bytes(int8 v, uint eight, __global uchar* to) {
    ((__global uint2*)to)[eight] = (uint2)(packed_bytes(v.lo), packed_bytes(v.hi));
}

// Writes the eight columns from 8 * eight on into one row's record. `block` holds the 32 values that they are among.
static inline void write_record(__global uchar* record, uint columns, uint eight, __local const float* block) {
    uint largest = 0;
    for (uint i = 0; i < 32; ++i) largest = max(largest, magnitude_bits(block[i]));
    float scale = 0.0f;
    float8 v = (float8)(0.0f);
    if (largest >= FIRST_NOT_FINITE) {
        scale = NAN;
    } else if (largest >= LEAST_MAGNITUDE) {
        scale = as_float(largest) * (1.0f / LARGEST_DIGITS);
        v = vload8(eight % 4, block) * (LARGEST_DIGITS / as_float(largest));
    }
    const int8 digits = convert_int8_rte(v);
#if DIGITS == 2
    const int8 hi = (digits + 63) >> 7;
    const int8 lo = digits - hi * 128;
    store_bytes(lo, eight, record + columns);
#else
    const int8 hi = digits;
    const int8 lo = (int8)(0);
#endif
    store_bytes(hi, eight, record);
    ((__global uint*)(record + RECORD_SUMS_AT(columns)))[eight] = sums_of_eight(hi, lo);
    if (eight % 4 == 0) ((__global float*)(record + RECORD_SCALE_AT(columns)))[eight / 4] = scale;
}

// Writes the stats of block b, whose 32 values of the residual stream are in `block`.
static inline void write_stats(__global uchar* record, uint columns, uint b, __local const float* block) {
    float4 sum = (float4)(0.0f), squares = (float4)(0.0f);
    for (uint i = 0; i < 8; ++i) {
        const float4 v = vload4(i, block);
        sum += v;
        squares = mad(v, v, squares);
    }
    ((__global float2*)(record + RECORD_STATS_AT(columns)))[b] =
        (float2)((sum.x + sum.y) + (sum.z + sum.w), (squares.x + squares.y) + (squares.z + squares.w));
}
