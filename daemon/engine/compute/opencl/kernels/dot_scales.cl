// Scales and minima of the layouts in dot_q4.cl and dot_q5.cl.

#if defined(LAYOUT_Q4_0) || defined(LAYOUT_Q5_0)
#define FURTHER_PLANES(plane) BITS_PLANES(plane, scales)
typedef struct {
    BITS_FIELDS
    float2 scale;
} cell_t;
#define LOAD_CELL(c, cell, at) \
    LOAD_BITS(c, cell, at)     \
    c.scale = PLANE_HALF2(scales, cell, 1, 0, at);
#define SCALES(c) c.scale

#elif defined(LAYOUT_Q4_1) || defined(LAYOUT_Q5_1)
#define HAS_MIN 1
#define FURTHER_PLANES(plane) BITS_PLANES(plane, scales)
typedef struct {
    BITS_FIELDS
    float4 scale_min;
} cell_t;
#define LOAD_CELL(c, cell, at) \
    LOAD_BITS(c, cell, at)     \
    c.scale_min = PLANE_HALF4(scales, cell, 1, 0, at);
#define SCALES(c) c.scale_min.xy
#define MINS(c) c.scale_min.zw

#else
// Q4_K, Q5_K: d * scale * code - dmin * min, every product exact.
#define HAS_MIN 1
#define FURTHER_PLANES(plane) BITS_PLANES(plane, scales) plane(supers, scales, 4)
typedef struct {
    BITS_FIELDS
    uint4 sub_scales;
    float4 super_scale;
} cell_t;
#define LOAD_CELL(c, cell, at)                                    \
    LOAD_BITS(c, cell, at)                                        \
    c.sub_scales = PLANE_UCHAR4(scales, cell, 1, 0, at); \
    c.super_scale = PLANE_HALF4(supers, (cell) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale.xy * convert_float2(c.sub_scales.xy))
#define MINS(c) (-c.super_scale.zw * convert_float2(c.sub_scales.zw))
#endif
