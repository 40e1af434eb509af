// The scales and minima of Q4_K and Q5_K: weight = d * scale * quant - dmin * min, every multiplication exact.

#define HAS_MIN 1
#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales) array(super_scales, scales, 4)
typedef struct {
    BITS_FIELDS
    uint4 sub_scales;
    float4 super_scale;
} block_t;
#define LOAD_BLOCK(c, block, at)                         \
    LOAD_BITS(c, block, at)                              \
    c.sub_scales = LOAD_UCHAR4(scales, block, 1, 0, at); \
    c.super_scale = LOAD_HALF4(super_scales, (block) / 8u, 1, 0, at);
#define SCALES(c) (c.super_scale.xy * convert_float2(c.sub_scales.xy))
#define MINS(c) (-c.super_scale.zw * convert_float2(c.sub_scales.zw))
