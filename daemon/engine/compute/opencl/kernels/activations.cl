// Quantized activations: one kernel hands a vector to the matmuls of the next launch as integers with a scale for each
// block of 32 values. A vector has K values (its width), padded with zeros to a multiple of 32.
//
//     x = scale * (128 hi + lo)   two bytes: 15 bits, |128 hi + lo| <= 16319, -63 <= lo <= 64
//     x = scale * hi              one byte: 8 bits, |hi| <= 127
//
// A block that holds a NaN or an infinity has the scale NaN, so that every sum it enters becomes NaN.
//
// A row is `bytes` long (layout.h computes the same):
//     hi     char[K]
//     lo     char[K]        only with two bytes
//     sums   short2[K / 8]  (sum of hi, sum of lo) of eight values
//     stats  float2[K / 32] (sum, sum of squares) of the residual stream in that block, before the norm's weight. Outputs
//                           of attention and feed-forward, which no norm reads, leave them unwritten
//     scale  float[K / 32]
// All parts but the scales begin at a multiple of 16 bytes.
//
// Options: VALUE_BYTES is the number of bytes of a value that a kernel reads, NEXT_VALUE_BYTES the number that it writes
// (VALUE_BYTES unless it is given).
//
// The rows lie in one buffer with x, the queries and the constants that are read beside them, since drivers take longer to
// enqueue a kernel the more buffers it has. A name ..._at is the byte at which something begins there. For the same reason a
// kernel's numbers are one structure, its last argument, of members of four bytes (Arguments in runtime/device_queue.h).
#ifndef NEXT_VALUE_BYTES
#define NEXT_VALUE_BYTES VALUE_BYTES
#endif

// Where the rows begin, the bytes of a row, its values. A kernel reads `input` and writes `next`, the next matmul's input.
typedef struct {
    uint at, bytes, width;
} quants_t;

#define SUMS_AT(value_bytes, width) ((value_bytes) * (width))
#define STATS_AT(value_bytes, width) (SUMS_AT(value_bytes, width) + (width) / 2)
#define SCALE_AT(value_bytes, width) (STATS_AT(value_bytes, width) + (width) / 4)

// A loop over i = item, item + items, ... below n; items and n are constants. The number of passes is a constant too:
// compilers make two copies of a loop that begins at `item`, because they do not see that there is no second pass.
#define FOR_SHARE(i, item, items, n) \
    for (uint i = (item), pass = 0; pass < ((n) + (items)-1) / (items); ++pass, i += (items)) if (i < (n))

// Offsets are 32 bits: the buffer is less than 4 GiB, a row less than 16 MiB.
//
// Reading, in a kernel that has `input`. HI4 and LO4 read values 4 i .. 4 i + 3, HI16 and LO16 values 16 i .. 16 i + 15;
// SCALE and SUMS read block b of 32, SUMS its four elements at once. A row's stats begin at byte INPUT_STATS_AT.
#define INPUT_AT(type, row, offset) \
    (*(__global const type*)(activations + (mad24((uint)(row), input.bytes, input.at) + (offset))))
#define INPUT_HI4(row, i) INPUT_AT(char4, row, 4 * (i))
#define INPUT_LO4(row, i) INPUT_AT(char4, row, input.width + 4 * (i))
#define INPUT_HI16(row, i) INPUT_AT(uint4, row, 16 * (i))
#define INPUT_LO16(row, i) INPUT_AT(uint4, row, input.width + 16 * (i))
#define INPUT_STATS_AT(row) (mad24((uint)(row), input.bytes, input.at) + STATS_AT(VALUE_BYTES, input.width))
#define INPUT_SCALE(row, b) INPUT_AT(float, row, SCALE_AT(VALUE_BYTES, input.width) + 4 * (b))
#define INPUT_SUMS(row, b) INPUT_AT(uint4, row, SUMS_AT(VALUE_BYTES, input.width) + 16 * (b))

// ACTIVATION is element i of an array that begins at byte `at`.
#define ACTIVATION(type, at, i) (*(__global type*)(activations + ((at) + (uint)sizeof(type) * (i))))

// Writing, in a kernel that has `next`: NEXT_ROW is where a row begins.
#define NEXT_ROW(row) mad24((uint)(row), next.bytes, next.at)
#if NEXT_VALUE_BYTES == 2
#define LARGEST_QUANT 16319.0f
#else
#define LARGEST_QUANT 127.0f
#endif
#define LEAST_MAGNITUDE 0x0da24260u  // bits of 1e-30: below it a reciprocal would overflow, so such a block counts as zeros
#define FIRST_NOT_FINITE 0x7f800000u  // magnitudes are compared as integers: infinity and NaN are above all numbers

// Both sums, of at most 16 bits each, as a short2.
INLINE uint sums_of_eight(int8 hi, int8 lo) {
    const int4 h = hi.lo + hi.hi, l = lo.lo + lo.hi;
    return ((uint)((h.x + h.y) + (h.z + h.w)) & 0xffffu) | ((uint)((l.x + l.y) + (l.z + l.w)) << 16);
}

// The low bytes of integers, stored eight at once: compilers for GPUs make eight stores of a vstore8.
INLINE uint low_bytes(int4 v) {
    return ((uint)v.x & 255u) | ((uint)v.y & 255u) << 8 | ((uint)v.z & 255u) << 16 | (uint)v.w << 24;
}
INLINE void store_bytes(int8 v, __global uchar* to, uint at) {
    *(__global uint2*)(to + at) = (uint2)(low_bytes(v.lo), low_bytes(v.hi));
}

// The largest magnitude among 32 values. (The loop does not count from 0: compilers for GPUs unroll a loop whose end they
// see.)
INLINE uint largest_magnitude(__local const float* block) {
    uint4 largest = (uint4)(0);
    for (__local const float* v = block; v != block + 32; v += 4) {
        largest = max(largest, as_uint4(vload4(0, v)) & 0x7fffffffu);
    }
    return max(max(largest.x, largest.y), max(largest.z, largest.w));
}

// Writes the eight values from 8 * eight on into the row that begins at byte `row`. `block` holds the 32 values that they
// are among.
INLINE void write_quantized(__global uchar* activations, uint row, uint width, uint eight, __local const float* block) {
    const uint largest = largest_magnitude(block);
    const bool is_finite = largest < FIRST_NOT_FINITE, is_zero = largest < LEAST_MAGNITUDE;
    const float inverse = is_finite && !is_zero ? LARGEST_QUANT * native_recip(as_float(largest)) : 0.0f;
    const int8 quants = convert_int8_rte(vload8(eight % 4, block) * inverse);
#if NEXT_VALUE_BYTES == 2
    const int8 hi = (quants + 63) >> 7;
    const int8 lo = quants - hi * 128;
    store_bytes(lo, activations, row + width + 8 * eight);
#else
    const int8 hi = quants;
    const int8 lo = (int8)(0);
#endif
    store_bytes(hi, activations, row + 8 * eight);
    *(__global uint*)(activations + (row + SUMS_AT(NEXT_VALUE_BYTES, width) + 4 * eight)) = sums_of_eight(hi, lo);
    if (eight % 4 == 0) {
        *(__global float*)(activations + (row + SCALE_AT(NEXT_VALUE_BYTES, width) + eight)) =
            !is_finite ? NAN : is_zero ? 0.0f : as_float(largest) * (1.0f / LARGEST_QUANT);
    }
}

// Writes the stats of block b, whose 32 values of the residual stream are in `block`.
INLINE void write_stats(__global uchar* activations, uint row, uint width, uint b, __local const float* block) {
    float4 sum = (float4)(0.0f), squares = (float4)(0.0f);
    for (__local const float* at = block; at != block + 32; at += 4) {
        const float4 v = vload4(0, at);
        sum += v;
        squares = mad(v, v, squares);
    }
    *(__global float2*)(activations + (row + STATS_AT(NEXT_VALUE_BYTES, width) + 8 * b)) =
        (float2)((sum.x + sum.y) + (sum.z + sum.w), (squares.x + squares.y) + (squares.z + squares.w));
}
