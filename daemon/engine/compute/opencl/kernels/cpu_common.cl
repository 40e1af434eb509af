// Shared by the kernels for CPU devices, whose items run one after the other with wide vectors: a work-group is one item.
#define BLOCK_AT_ONCE 1
#define ONE_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))

// fma() where it is one instruction. Elsewhere it is a slow function.
#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMAF)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#endif

// The sums of the lanes of sixteen vectors: lanes 8 apart are added first, then 4, 2 and 1.
#define ADD_HALVES(p, q) ((float16)((p).lo, (q).lo) + (float16)((p).hi, (q).hi))
#define ADD_QUARTERS(p, q)                                        \
    ((float16)((p).s0123, (p).s89ab, (q).s0123, (q).s89ab) +      \
     (float16)((p).s4567, (p).scdef, (q).s4567, (q).scdef))
#define ADD_PAIRS(p, q)                                                                                  \
    ((float16)((p).s01, (q).s01, (p).s45, (q).s45, (p).s89, (q).s89, (p).scd, (q).scd) +                 \
     (float16)((p).s23, (q).s23, (p).s67, (q).s67, (p).sab, (q).sab, (p).sef, (q).sef))
#define ADD_NEIGHBOURS(p, q)                                                                             \
    ((float16)((p).s02, (q).s02, (p).s46, (q).s46, (p).s8a, (q).s8a, (p).sce, (q).sce) +                 \
     (float16)((p).s13, (q).s13, (p).s57, (q).s57, (p).s9b, (q).s9b, (p).sdf, (q).sdf))
static inline float16 quarter_totals(float16 a, float16 b, float16 c, float16 d) {
    const float16 p = ADD_HALVES(a, b), q = ADD_HALVES(c, d);
    return ADD_QUARTERS(p, q);
}
static inline float16 totals(const float16* v) {
    const float16 a = quarter_totals(v[0], v[4], v[8], v[12]), b = quarter_totals(v[1], v[5], v[9], v[13]);
    const float16 c = quarter_totals(v[2], v[6], v[10], v[14]), d = quarter_totals(v[3], v[7], v[11], v[15]);
    const float16 p = ADD_PAIRS(a, b), q = ADD_PAIRS(c, d);
    return ADD_NEIGHBOURS(p, q);
}

// The sum and the largest of the lanes of one vector; the order of totals().
static inline float lane_sum(float16 v) {
    const float8 a = v.lo + v.hi;
    const float4 b = a.lo + a.hi;
    return (b.x + b.z) + (b.y + b.w);
}
static inline float lane_max(float16 v) {
    const float8 a = fmax(v.lo, v.hi);
    const float4 b = fmax(a.lo, a.hi);
    return fmax(fmax(b.x, b.z), fmax(b.y, b.w));
}
#define LANES ((uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
