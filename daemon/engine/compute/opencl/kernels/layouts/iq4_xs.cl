// The scales of IQ4_XS: two blocks share an element. Rows have an even number of blocks, since 256 columns share a super-block
// scale.

#define FURTHER_ARRAYS(array) array(scales, quants, 2 * 16) array(super_scales, scales, 2)
typedef struct {
    NIBBLES_FIELDS
    int4 sub_scales;
    float2 super_scale;
    uint is_second;
} block_t;
#define LOAD_BLOCK(c, block, at)                                      \
    LOAD_NIBBLES(c, block, at)                                        \
    c.sub_scales = LOAD_CHAR4(scales, (block) / 2u, 1, 0, at);        \
    c.super_scale = LOAD_HALF2(super_scales, (block) / 8u, 1, 0, at); \
    c.is_second = (block) % 2u;
#define SCALES(c) (c.super_scale * convert_float2(c.is_second != 0 ? c.sub_scales.zw : c.sub_scales.xy))
