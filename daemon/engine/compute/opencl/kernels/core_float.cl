// The float core of matmul.cl: bytes are widened to floats in local memory, and floats are multiplied and added.

typedef float4 staged_t;
#define STAGED_WORDS 1
#define STAGED_BYTES 16
#define TOTAL_SCALE 1.0f

#if ZERO_POINT != 0 && !HAS_MIN
#define STARTS_AT_ZERO_POINT 1
// The starting values, by block, batch row and sub-block.
#define CORE_LOCAL __local float x_zero_point[CHUNK_BLOCKS * BATCH_ROWS * SUB_BLOCKS];
#else
#define CORE_LOCAL
#endif

INLINE void stage_vec4(__local staged_t* to, char4 high, char4 low) {
#if VALUE_BYTES == 2
    to[0] = mad(convert_float4(high), (float4)(128.0f), convert_float4(low));
#else
    to[0] = convert_float4(high);
#endif
}

#if STARTS_AT_ZERO_POINT && SUB_BLOCKS == 1
#define STAGE_SUMS(item, e0, e1, e2, e3) \
    x_zero_point[item] = -(float)(ZERO_POINT * VALUE_BYTES_TOTAL((e0) + (e1) + (e2) + (e3)));
#elif STARTS_AT_ZERO_POINT
#define STAGE_SUMS(item, e0, e1, e2, e3)                                              \
    x_zero_point[2 * (item)] = -(float)(ZERO_POINT * VALUE_BYTES_TOTAL((e0) + (e1))); \
    x_zero_point[2 * (item) + 1] = -(float)(ZERO_POINT * VALUE_BYTES_TOTAL((e2) + (e3)));
#else
#define STAGE_SUMS(item, e0, e1, e2, e3)
#endif

#define CORE_DECLARE float2 total[BATCH_ROWS][PAIRS];

#ifndef ROWS
#define ROWS(c, k, even, odd)                 \
    {                                         \
        const int4 dual = DUAL(c, k);         \
        even = convert_float4(dual & 0xffff); \
        odd = convert_float4(dual >> 16);     \
    }
#endif

#if STARTS_AT_ZERO_POINT
#define BEGIN_SUM(sub) \
    FOR_BATCH_ROWS FOR_PAIRS total[n][j] = (float2)(x_zero_point[(block * BATCH_ROWS + n) * SUB_BLOCKS + (sub)]);
#else
#define BEGIN_SUM(sub) FOR_BATCH_ROWS FOR_PAIRS total[n][j] = (float2)(0.0f);
#endif

#define ADD_VEC4(at, k)                                                             \
    {                                                                               \
        float4 even[PAIRS], odd[PAIRS];                                             \
        FOR_PAIRS ROWS(loaded[j], k, even[j], odd[j])                               \
        FOR_BATCH_ROWS {                                                            \
            const float4 v = x[STAGED_AT(block, at, n)];                            \
            FOR_PAIRS {                                                             \
                float2 t = total[n][j];                                             \
                t = mad((float2)(even[j].x, odd[j].x), (float2)(v.x), t);           \
                t = mad((float2)(even[j].y, odd[j].y), (float2)(v.y), t);           \
                t = mad((float2)(even[j].z, odd[j].z), (float2)(v.z), t);           \
                total[n][j] = mad((float2)(even[j].w, odd[j].w), (float2)(v.w), t); \
            }                                                                       \
        }                                                                           \
    }

#if SUB_BLOCKS == 1
#define BEGIN_BLOCK BEGIN_SUM(0)
#define ADD_HALF(half) ADD_VEC4S(half)
#define END_BLOCK END_SUB_BLOCK
#else
#define BEGIN_BLOCK
#define ADD_HALF(half) BEGIN_SUM(half) ADD_VEC4S(half) END_SUB_BLOCK
#define END_BLOCK
#endif

#define ADD_ZERO_POINT(total, sum_of_x)
