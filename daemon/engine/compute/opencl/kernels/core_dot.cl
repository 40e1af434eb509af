// The dot core of matmul.cl, for GPUs that multiply two integers of 16 bits by two bytes and add the products up in one
// instruction. x lies in local memory as integers of 16 bits, 128 hi + lo, of four columns in two words in BYTE_QUANTS' order;
// BYTE_QUANTS of dot.cl has the quants of both rows in two words. Sums are 32-bit integers. That of a block or sub-block is below 2^24,
// so that it is exact as a float, but for Q8_0's: these are rounded once.

typedef uint2 staged_t;
#define STAGED_WORDS 1
#define STAGED_BYTES 8
#define TOTAL_SCALE 1.0f

#if ZERO_POINT != 0 && !HAS_MIN
#define STARTS_AT_ZERO_POINT 1
// The starting values, by block, batch row and sub-block.
#define CORE_LOCAL __local int x_zero_point[CHUNK_BLOCKS * BATCH_ROWS * SUB_BLOCKS];
#else
#define CORE_LOCAL
#endif

// sum + x's low half * one byte of `quants` + x's high half * the next byte: of bytes 0 and 1, or of bytes 2 and 3.
#ifdef __NV_CL_C_VERSION
INLINE int dot_low(uint x, uint quants, int sum) {
    int all;
    __asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(all) : "r"(x), "r"(quants), "r"(sum));
    return all;
}
INLINE int dot_high(uint x, uint quants, int sum) {
    int all;
    __asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(all) : "r"(x), "r"(quants), "r"(sum));
    return all;
}
#else
INLINE int dot_low(uint x, uint quants, int sum) {
    const int2 of_x = convert_int2(as_short2(x)), of_row = convert_int2(as_char4(quants).lo);
    return sum + of_x.x * of_row.x + of_x.y * of_row.y;
}
INLINE int dot_high(uint x, uint quants, int sum) {
    return dot_low(x, quants >> 16, sum);
}
#endif

// Both halves of a word at once: bytes become positive, so that nothing is carried from one half to the other, up to where a
// half is its value + 2^15.
#define BYTES_0_AND_2(word) ((word) & 0x00ff00ffu)
#if VALUE_BYTES == 2
#define JOINED_VALUE_BYTES(high, low) \
    (((BYTES_0_AND_2(high) << 7) + BYTES_0_AND_2(low) + 65537u * (32768 - 128 * 128 - 128)) ^ 0x80008000u)
#else
#define JOINED_VALUE_BYTES(high, low) ((BYTES_0_AND_2(high) + 65537u * (32768 - 128)) ^ 0x80008000u)
#endif

INLINE void stage_vec4(__local staged_t* to, char4 high, char4 low) {
    const uint h = as_uint(high) ^ 0x80808080u, l = as_uint(low) ^ 0x80808080u;
    const uint even = JOINED_VALUE_BYTES(h, l), odd = JOINED_VALUE_BYTES(h >> 8, l >> 8);
#if BYTE_QUANTS_BY_ROW
    to[0] = (uint2)((even & 0xffffu) | (odd << 16), (even >> 16) | (odd & 0xffff0000u));
#else
    to[0] = (uint2)(even, odd);
#endif
}

#if STARTS_AT_ZERO_POINT && SUB_BLOCKS == 1
#define STAGE_SUMS(item, e0, e1, e2, e3) x_zero_point[item] = -ZERO_POINT * VALUE_BYTES_TOTAL((e0) + (e1) + (e2) + (e3));
#elif STARTS_AT_ZERO_POINT
#define STAGE_SUMS(item, e0, e1, e2, e3)                                     \
    x_zero_point[2 * (item)] = -ZERO_POINT * VALUE_BYTES_TOTAL((e0) + (e1)); \
    x_zero_point[2 * (item) + 1] = -ZERO_POINT * VALUE_BYTES_TOTAL((e2) + (e3));
#else
#define STAGE_SUMS(item, e0, e1, e2, e3)
#endif

#define CORE_DECLARE                       \
    int2 products[BATCH_ROWS][PAIRS]; \
    float2 total[BATCH_ROWS][PAIRS];

#if STARTS_AT_ZERO_POINT
#define START(n, sub) (int2)(x_zero_point[(block * BATCH_ROWS + (n)) * SUB_BLOCKS + (sub)])
#else
#define START(n, sub) (int2)(0)
#endif
#define BEGIN_SUM(sub) FOR_BATCH_ROWS FOR_PAIRS products[n][j] = START(n, sub);
#define END_SUM FOR_BATCH_ROWS FOR_PAIRS total[n][j] = convert_float2(products[n][j]);

// BYTE_QUANTS have a row's two columns in each half of a word, or a row in each word.
#if BYTE_QUANTS_BY_ROW
#define ADD_BYTE_QUANTS(sum, first, second, v)                            \
    sum.x = dot_high((v).y, first, dot_low((v).x, first, sum.x));   \
    sum.y = dot_high((v).y, second, dot_low((v).x, second, sum.y));
#else
#define ADD_BYTE_QUANTS(sum, first, second, v)                            \
    sum.x = dot_low((v).y, second, dot_low((v).x, first, sum.x));   \
    sum.y = dot_high((v).y, second, dot_high((v).x, first, sum.y));
#endif

#define ADD_VEC4(at, k)                                                           \
    {                                                                             \
        uint first[PAIRS], second[PAIRS];                                         \
        FOR_PAIRS { BYTE_QUANTS(loaded[j], k, first[j], second[j]) }              \
        FOR_BATCH_ROWS {                                                          \
            const staged_t v = x[STAGED_AT(block, at, n)];                        \
            FOR_PAIRS { ADD_BYTE_QUANTS(products[n][j], first[j], second[j], v) } \
        }                                                                         \
    }

#if SUB_BLOCKS == 1
#define BEGIN_BLOCK BEGIN_SUM(0)
#define ADD_HALF(half) ADD_VEC4S(half)
#define END_BLOCK END_SUM END_SUB_BLOCK
#else
#define BEGIN_BLOCK
#define ADD_HALF(half) BEGIN_SUM(half) ADD_VEC4S(half) END_SUM END_SUB_BLOCK
#define END_BLOCK
#endif

#define ADD_ZERO_POINT(total, sum_of_x)
