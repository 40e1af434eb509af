// Scales and minima of the layouts in dot_q4.cl and dot_q5.cl.

#if defined(LAYOUT_Q4_0) || defined(LAYOUT_Q5_0)
#define PLANE_ARGS BITS_ARGS, PLANE(scales)
#define CELL_DECLARE BITS_DECLARE float2 scale[PAIRS];
#define CELL_LOAD(j, cell, at) \
    BITS_LOAD(j, cell, at)     \
    scale[j] = PLANE_HALF2(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(j, sub) scale[j]

#elif defined(LAYOUT_Q4_1) || defined(LAYOUT_Q5_1)
#define HAS_MIN 1
#define PLANE_ARGS BITS_ARGS, PLANE(scales)
#define CELL_DECLARE BITS_DECLARE float4 scale_min[PAIRS];
#define CELL_LOAD(j, cell, at) \
    BITS_LOAD(j, cell, at)     \
    scale_min[j] = PLANE_HALF4(scales, ELEMENT(cell, 1, 0, at));
#define SCALES(j, sub) scale_min[j].xy
#define MINS(j) scale_min[j].zw

#else
// Q4_K, Q5_K: d * scale * code - dmin * min, every product exact.
#define HAS_MIN 1
#define PLANE_ARGS BITS_ARGS, PLANE(scales), PLANE(supers)
#define CELL_DECLARE BITS_DECLARE uint4 sub_scales[PAIRS]; float4 super_scale[PAIRS];
#define CELL_LOAD(j, cell, at)                                    \
    BITS_LOAD(j, cell, at)                                        \
    sub_scales[j] = PLANE_UCHAR4(scales, ELEMENT(cell, 1, 0, at)); \
    super_scale[j] = PLANE_HALF4(supers, ELEMENT((cell) / 8u, 1, 0, at));
#define SCALES(j, sub) (super_scale[j].xy * convert_float2(sub_scales[j].xy))
#define MINS(j) (-super_scale[j].zw * convert_float2(sub_scales[j].zw))
#endif
