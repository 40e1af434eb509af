// The scales of Q4_0, Q5_0 and IQ4_NL: weight = d * (quant - ZERO_POINT).

#define FURTHER_ARRAYS(array) BITS_ARRAYS(array, scales)
typedef struct {
    BITS_FIELDS
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_BITS(c, block, at)      \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) c.scale
