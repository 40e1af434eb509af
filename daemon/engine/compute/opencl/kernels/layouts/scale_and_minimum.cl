// The scales and minima of Q4_1 and Q5_1: weight = d * quant + m.

#define HAS_MIN 1
#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales)
typedef struct {
    BITS_FIELDS
    float4 scale_min;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_BITS(c, block, at)      \
    c.scale_min = LOAD_HALF4(scales, block, 1, 0, at);
#define SCALES(c) c.scale_min.xy
#define MINS(c) c.scale_min.zw
