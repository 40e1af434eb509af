// The integer core of matmul.cl. A 32-bit word holds the sums of quant * high or low byte of both rows of a pair, the even row's in its
// low half. A sum starts at -ZERO_POINT * (sum of the bytes), which takes the zero point from every quant at once, and
// stays within 16 bits, so that the halves come apart exactly: |quant - ZERO_POINT| * 127 summed over SUM_VEC4S vec4s is
// below 2^15, and with low bytes, which are -63 to 64, a whole sub-block's sum is.

typedef int4 staged_t;
#define STAGED_WORDS VALUE_BYTES
#define STAGED_BYTES 16
#define HIGH_SUMS (VEC4S / SUM_VEC4S)  // of a block; low sums: one a sub-block
// Totals are kept as multiples of 2^16, as the odd row has them; x_scale makes up for it.
#define TOTAL_SCALE 65536.0f

#if VALUE_BYTES == 2
#define ON_SECOND_LIMB(code) code
#else
#define ON_SECOND_LIMB(code)
#endif

// The starting values, by block, batch row and sum.
#define CORE_LOCAL                                                 \
    __local int high_start[CHUNK_BLOCKS * BATCH_ROWS * HIGH_SUMS]; \
    ON_SECOND_LIMB(__local int low_start[CHUNK_BLOCKS * BATCH_ROWS * SUB_BLOCKS];)

INLINE void stage_vec4(__local staged_t* to, char4 high, char4 low) {
    to[0] = convert_int4(high);
    ON_SECOND_LIMB(to[1] = convert_int4(low);)
}

#define START(sum) mul24(-ZERO_POINT * 65537, sum)
// e0 to e3 are the sums of the bytes of eight columns each.
#if SUM_VEC4S == 8
#define STAGE_HIGH(item, e0, e1, e2, e3) high_start[item] = START((e0).x + (e1).x + (e2).x + (e3).x);
#elif SUM_VEC4S == 4
#define STAGE_HIGH(item, e0, e1, e2, e3)             \
    high_start[2 * (item)] = START((e0).x + (e1).x); \
    high_start[2 * (item) + 1] = START((e2).x + (e3).x);
#else
#define STAGE_HIGH(item, e0, e1, e2, e3)        \
    high_start[4 * (item)] = START((e0).x);     \
    high_start[4 * (item) + 1] = START((e1).x); \
    high_start[4 * (item) + 2] = START((e2).x); \
    high_start[4 * (item) + 3] = START((e3).x);
#endif
#if SUB_BLOCKS == 1
#define STAGE_LOW(item, e0, e1, e2, e3) low_start[item] = START((e0).y + (e1).y + (e2).y + (e3).y);
#else
#define STAGE_LOW(item, e0, e1, e2, e3)             \
    low_start[2 * (item)] = START((e0).y + (e1).y); \
    low_start[2 * (item) + 1] = START((e2).y + (e3).y);
#endif
#define STAGE_SUMS(item, e0, e1, e2, e3) \
    STAGE_HIGH(item, e0, e1, e2, e3)     \
    ON_SECOND_LIMB(STAGE_LOW(item, e0, e1, e2, e3))

// Both sums of a word, times 2^16. The low half has borrowed from the high one where it is negative.
INLINE float2 split(int word) {
    const int even = word << 16;
    return (float2)((float)even, (float)(word - (even >> 16)));
}

#define CORE_DECLARE                                \
    int high_sum[BATCH_ROWS][PAIRS];                \
    ON_SECOND_LIMB(int low_sum[BATCH_ROWS][PAIRS];) \
    float2 total[BATCH_ROWS][PAIRS];

#define BEGIN_SUB_BLOCK(sub) \
    ON_SECOND_LIMB(FOR_BATCH_ROWS FOR_PAIRS low_sum[n][j] = low_start[(block * BATCH_ROWS + n) * SUB_BLOCKS + (sub)];)
#define BEGIN_HIGH(g) \
    FOR_BATCH_ROWS FOR_PAIRS high_sum[n][j] = high_start[(block * BATCH_ROWS + n) * HIGH_SUMS + (g)];
#define BEGIN_TOTAL FOR_BATCH_ROWS FOR_PAIRS total[n][j] = (float2)(-0.0f);
#define END_FIRST_HIGH FOR_BATCH_ROWS FOR_PAIRS total[n][j] = split(high_sum[n][j]);
#define END_NEXT_HIGH FOR_BATCH_ROWS FOR_PAIRS total[n][j] += split(high_sum[n][j]);
#define END_VALUE_BYTES \
    ON_SECOND_LIMB(FOR_BATCH_ROWS FOR_PAIRS total[n][j] = mad(total[n][j], (float2)(128.0f), split(low_sum[n][j]));)

#ifdef __NV_CL_C_VERSION  // multiplies 32 bits in one instruction, 24 bits in several
#define MULTIPLY_ADD(a, b, sum) ((a) * (b) + (sum))
#else
#define MULTIPLY_ADD(a, b, sum) mad24(a, b, sum)
#endif
#define ADD_VALUE_BYTES(sum, quants, value_bytes)         \
    sum = MULTIPLY_ADD((quants).x, (value_bytes).x, sum); \
    sum = MULTIPLY_ADD((quants).y, (value_bytes).y, sum); \
    sum = MULTIPLY_ADD((quants).z, (value_bytes).z, sum); \
    sum = MULTIPLY_ADD((quants).w, (value_bytes).w, sum);

#define ADD_VEC4(at, k)                                                                        \
    {                                                                                          \
        int4 pair_quants[PAIRS];                                                               \
        FOR_PAIRS pair_quants[j] = DUAL(loaded[j], k);                                         \
        FOR_BATCH_ROWS {                                                                       \
            const int4 high = x[STAGED_AT(block, at, n)];                                      \
            FOR_PAIRS { ADD_VALUE_BYTES(high_sum[n][j], pair_quants[j], high) }                \
            ON_SECOND_LIMB(const int4 low = x[STAGED_AT(block, at, n) + 1];                    \
                            FOR_PAIRS { ADD_VALUE_BYTES(low_sum[n][j], pair_quants[j], low) }) \
        }                                                                                      \
    }

#if SUM_VEC4S == 8
#define BEGIN_BLOCK BEGIN_SUB_BLOCK(0) BEGIN_HIGH(0)
#define ADD_HALF(half) ADD_VEC4S(half)
#define END_BLOCK END_FIRST_HIGH END_VALUE_BYTES END_SUB_BLOCK
#elif SUM_VEC4S == 4
#define BEGIN_BLOCK BEGIN_SUB_BLOCK(0) BEGIN_TOTAL
#define ADD_HALF(half) BEGIN_HIGH(half) ADD_VEC4S(half) END_NEXT_HIGH
#define END_BLOCK END_VALUE_BYTES END_SUB_BLOCK
#else
#define BEGIN_BLOCK
#if UNROLLED_VEC4S == 2
#define ADD_HALF(half)                                                                \
    BEGIN_SUB_BLOCK(half) BEGIN_TOTAL                                                 \
    FOR_QUARTERS { BEGIN_HIGH(2 * (half) + quarter) ADD_QUARTER(half) END_NEXT_HIGH } \
    END_VALUE_BYTES END_SUB_BLOCK
#else
#define ADD_HALF(half)                                                                               \
    BEGIN_SUB_BLOCK(half)                                                                            \
    BEGIN_HIGH(2 * (half)) ADD_VEC4(4 * (half), 0) ADD_VEC4(4 * (half) + 1, 1) END_FIRST_HIGH        \
    BEGIN_HIGH(2 * (half) + 1) ADD_VEC4(4 * (half) + 2, 2) ADD_VEC4(4 * (half) + 3, 3) END_NEXT_HIGH \
    END_VALUE_BYTES END_SUB_BLOCK
#endif
#define END_BLOCK
#endif

// Weights with a minimum have no zero point, so it is added back.
#define ADD_ZERO_POINT(total, sum_of_x) total = mad(sum_of_x, (float2)(ZERO_POINT), total);
