// Shared by the kernels for CPU devices, whose items run one after the other with wide vectors: a work-group is one item.
#define ONE_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))

// fma() where it is one instruction. Elsewhere it is a slow function.
#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMAF)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#endif

// The cache line at p comes nearer; p may lie where nothing may be read.
#ifdef __has_builtin
#if __has_builtin(__builtin_prefetch)
#define FETCH(p) __builtin_prefetch((const void*)(size_t)(p), 0, 2)
#endif
#endif
#ifndef FETCH
#define FETCH(p)
#endif

// Where a norm puts a row and products read it.
#ifndef NORMED_SPACE
#define NORMED_SPACE __global
#endif

// The sums of the lanes of sixteen vectors: lanes 8 apart are added first, then 4, 2 and 1.
#define ADD_HALVES(p, q) ((float16)((p).lo, (q).lo) + (float16)((p).hi, (q).hi))
#define ADD_QUARTERS(p, q)                                        \
    ((float16)((p).s0123, (p).s89ab, (q).s0123, (q).s89ab) +      \
     (float16)((p).s4567, (p).scdef, (q).s4567, (q).scdef))
#define ADD_PAIRS(p, q) ((float16)((p).s014589cd, (q).s014589cd) + (float16)((p).s2367abef, (q).s2367abef))
#define ADD_NEIGHBOURS(p, q) ((float16)((p).even, (q).even) + (float16)((p).odd, (q).odd))
static inline float16 quarter_totals(const float16* v) {
    const float16 p = ADD_HALVES(v[0], v[1]), q = ADD_HALVES(v[2], v[3]);
    return ADD_QUARTERS(p, q);
}
static inline float16 totals(const float16* v) {
    const float16 a = quarter_totals(v), b = quarter_totals(v + 4), c = quarter_totals(v + 8), d = quarter_totals(v + 12);
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
