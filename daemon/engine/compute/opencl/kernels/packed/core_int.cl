// The integer core of product.cl: sums of code * digit for both rows of a pair in one 32-bit word, the even row's in its low
// half. |code - CENTRE| * 127 summed over SUM_QUADS quads stays below 2^15, so the halves come apart exactly; a sum starts
// at -CENTRE * (sum of the digits), which centres every code at once.

typedef int4 staged_t;
#define STAGED_WORDS DIGITS
#define CENTRES (QUADS / SUM_QUADS)  // sums of a block
// Totals are kept as multiples of 2^16, as the odd row has them; x_scale makes up for it.
#define TOTAL_UNIT 65536.0f

// Starting values by (block, column, sum, digit).
#define CORE_LOCAL __local int x_centre[CHUNK_BLOCKS * COLUMNS * CENTRES * DIGITS];

#if DIGITS == 2
#define ON_SECOND_DIGIT(...) __VA_ARGS__
#else
#define ON_SECOND_DIGIT(...)
#endif

static inline void stage_quad(__local staged_t* to, char4 high, char4 low) {
    to[0] = convert_int4(high);
    ON_SECOND_DIGIT(to[1] = convert_int4(low);)
}

#define STAGE_CENTRE(item, g, sums)                                                                   \
    x_centre[((item)*CENTRES + (g)) * DIGITS] = -CENTRE * 65537 * (sums).x;                           \
    ON_SECOND_DIGIT(x_centre[((item)*CENTRES + (g)) * DIGITS + 1] = -CENTRE * 65537 * (sums).y;)
// e0 to e3: sums of the digits of eight columns each.
#if SUM_QUADS == 8
#define STAGE_SUMS(item, e0, e1, e2, e3) STAGE_CENTRE(item, 0, (e0) + (e1) + (e2) + (e3))
#elif SUM_QUADS == 4
#define STAGE_SUMS(item, e0, e1, e2, e3) \
    STAGE_CENTRE(item, 0, (e0) + (e1))   \
    STAGE_CENTRE(item, 1, (e2) + (e3))
#else
#define STAGE_SUMS(item, e0, e1, e2, e3) \
    STAGE_CENTRE(item, 0, e0)            \
    STAGE_CENTRE(item, 1, e1)            \
    STAGE_CENTRE(item, 2, e2)            \
    STAGE_CENTRE(item, 3, e3)
#endif

// Both sums of a word, times 2^16. The low half has borrowed from the high one where it is negative.
static inline float2 split(int word) {
    const int even = word << 16;
    return (float2)((float)even, (float)(word - (even >> 16)));
}
#if DIGITS == 2
#define SPLIT_SUM(n, j) mad(split(high_sum[n][j]), (float2)(128.0f), split(low_sum[n][j]))
#else
#define SPLIT_SUM(n, j) split(high_sum[n][j])
#endif

#define CORE_DECLARE                              \
    int high_sum[COLUMNS][PAIRS];                 \
    ON_SECOND_DIGIT(int low_sum[COLUMNS][PAIRS];) \
    float2 total[COLUMNS][PAIRS];

#define BEGIN_SUM(g)                                                                          \
    FOR_COLUMNS FOR_PAIRS {                                                                   \
        high_sum[n][j] = x_centre[((block * COLUMNS + n) * CENTRES + (g)) * DIGITS];          \
        ON_SECOND_DIGIT(low_sum[n][j] = x_centre[((block * COLUMNS + n) * CENTRES + (g)) * DIGITS + 1];) \
    }

#define ADD_PRODUCTS(sum, codes, digits)     \
    sum = mad24((codes).x, (digits).x, sum); \
    sum = mad24((codes).y, (digits).y, sum); \
    sum = mad24((codes).z, (digits).z, sum); \
    sum = mad24((codes).w, (digits).w, sum);

#define ADD_QUAD(k)                                                            \
    {                                                                          \
        int4 codes[PAIRS];                                                       \
        FOR_PAIRS codes[j] = DUAL(j, k);                                         \
        FOR_COLUMNS {                                                          \
            const int4 high = x[STAGED_AT(block, k, n)];                       \
            FOR_PAIRS { ADD_PRODUCTS(high_sum[n][j], codes[j], high) }             \
            ON_SECOND_DIGIT(const int4 low = x[STAGED_AT(block, k, n) + 1];    \
                            FOR_PAIRS { ADD_PRODUCTS(low_sum[n][j], codes[j], low) }) \
        }                                                                      \
    }

#define END_FIRST_SUM FOR_COLUMNS FOR_PAIRS total[n][j] = SPLIT_SUM(n, j);
#define END_NEXT_SUM FOR_COLUMNS FOR_PAIRS total[n][j] += SPLIT_SUM(n, j);

#if SUM_QUADS == 8
#define SUM_SUB_BLOCK_0 BEGIN_SUM(0) REPEAT_QUADS(ADD_QUAD) END_FIRST_SUM
#elif SUM_QUADS == 4
#define SUM_SUB_BLOCK_0                                                        \
    BEGIN_SUM(0) ADD_QUAD(0) ADD_QUAD(1) ADD_QUAD(2) ADD_QUAD(3) END_FIRST_SUM \
    BEGIN_SUM(1) ADD_QUAD(4) ADD_QUAD(5) ADD_QUAD(6) ADD_QUAD(7) END_NEXT_SUM
#else
#define SUM_SUB_BLOCK_0                                \
    BEGIN_SUM(0) ADD_QUAD(0) ADD_QUAD(1) END_FIRST_SUM \
    BEGIN_SUM(1) ADD_QUAD(2) ADD_QUAD(3) END_NEXT_SUM
#define SUM_SUB_BLOCK_1                                \
    BEGIN_SUM(2) ADD_QUAD(4) ADD_QUAD(5) END_FIRST_SUM \
    BEGIN_SUM(3) ADD_QUAD(6) ADD_QUAD(7) END_NEXT_SUM
#endif

// Where the centre is no part of the weight it is taken back.
#define UNCENTRE(total, sum_of_x) total = mad(sum_of_x, (float2)(CENTRE), total);
