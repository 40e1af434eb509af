// The scales of IQ4_NL.

#define FURTHER_ARRAYS(array) array(scales, quants, 2 * 16)
typedef struct {
    NIBBLES_FIELDS
    float2 scale;
} block_t;
#define LOAD_BLOCK(c, block, at) \
    LOAD_NIBBLES(c, block, at)   \
    c.scale = LOAD_HALF2(scales, block, 1, 0, at);
#define SCALES(c) c.scale
