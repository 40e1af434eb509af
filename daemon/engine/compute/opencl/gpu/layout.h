// How kernels hold weights: the layout that a tensor type takes, the arrays of each layout, which is a structure of
// arrays (SoA), and how rows of a GGUF tensor are rewritten into them.
//
// Rows 2 p and 2 p + 1 are a pair, 32 pairs a tile, 32 columns a block; rows are padded with zeros to a whole tile,
// columns to a whole block. An array's elements are so many bytes of one pair; neighbouring pairs have theirs side by
// side:
//
//     element(tile, entry, word, pair in tile) = ((tile * entries + entry) * words + word) * 32 + pair in tile
//
// where an entry covers one block, in SuperScales eight, in the Scales of IQ4_XS two. So a tile is contiguous in every
// array.
//
//     layout         Quants          High           Scales (per block)            SuperScales (per 256 columns)
//     Q4_0           2 x uint4                      half2 d
//     Q4_1           2 x uint4                      half4 d d m m
//     Q5_0           2 x uint4       uint2          half2 d
//     Q5_1           2 x uint4       uint2          half4 d d m m
//     Q4_K           2 x uint4                      uchar4 scale scale min min    half4 d d dmin dmin
//     Q5_K           2 x uint4       uint2          uchar4 scale scale min min    half4 d d dmin dmin
//     Q6_K           2 x uint4       uint4          char4 scale of columns 0-15   half2 d
//                                                   twice, of 16-31 twice
//     IQ4_NL         2 x uint4                      half2 d
//     IQ4_XS         2 x uint4                      char4 scale scale of a block,   half2 d
//                                                   scale scale of the next
//     Q8_0           4 x uint4                      half2 d
//       for images   16 x char4                     half2 d
//     F16            16 x half4
//
// "d d" stands for row 2 p, row 2 p + 1. Quants of 4 to 6 bits: uint i of the two uint4 holds the low nibbles of
// columns 4 i to 4 i + 3, row 2 p in bits 0-15, row 2 p + 1 in bits 16-31, lowest column lowest. High: uint i holds the
// bits above the nibble, of 16 columns one bit each or of 8 columns two bits each, the rows in the same halves. Q8_0,
// F16: uint4 w holds bytes 16 w onwards of row 2 p, and after its last one those of row 2 p + 1.
//
// The bytes are those of the file, but for Q4_K, Q5_K and IQ4_XS, whose 6-bit scales take 8 bits (2.8 %, 2.3 % and 1.5
// % more), so that one load brings those of a block. All functions are pure and callable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/compute/opencl/kernels/constants.h"
#include "engine/model/quantization.h"

namespace llmd::compute::gpu {

inline constexpr uint32_t kTileRows = 2 * kTilePairs;
inline constexpr uint32_t kBlockCols = 32;
inline constexpr uint32_t kSuperBlocks = 8;  // blocks that share an element of SuperScales

enum class Layout : uint8_t { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, F16 };
inline constexpr std::array kLayouts = {Layout::Q4_0,   Layout::Q4_1,   Layout::Q5_0, Layout::Q5_1,
                                        Layout::Q8_0,   Layout::Q4_K,   Layout::Q5_K, Layout::Q6_K,
                                        Layout::IQ4_NL, Layout::IQ4_XS, Layout::F16};

// The order is that of the matmul kernel's arguments.
enum class WeightArray : uint8_t { Quants, High, Scales, SuperScales };
inline constexpr std::array kWeightArrays = {WeightArray::Quants, WeightArray::High, WeightArray::Scales,
                                             WeightArray::SuperScales};

struct ArrayFormat {
    uint32_t element_bytes = 0;  // 0: the layout has no such array
    uint32_t words = 0;          // elements that a pair has in one entry
    uint32_t entry_blocks = 0;
};

Layout layout_for(model::TensorType type);
// The block that the layout holds, of the type of its name.
const model::BlockLayout& block_of(Layout layout);
// Whether the layout holds the type's weights in another way than the file: Q3_K exactly; Q2_K, BF16 and F32 rounded to
// half precision.
bool is_reencoded(model::TensorType type);
bool is_rounded(model::TensorType type);

std::string_view layout_name(Layout layout);  // "Q4_0"
// The sources of kernels/layouts that a layout consists of, one behind the other; empty at the end.
std::array<std::string_view, 3> layout_parts(Layout layout);
ArrayFormat array_format(Layout layout, WeightArray array, bool image = false);
// Whether a matmul can be summed as integers, two rows in one word (core_int.cl).
bool has_integer_core(Layout layout);
// Whether it can be summed as integers from bytes and columns of 16 bits (core_dot.cl). Where the layout has an
// integer core too, it gives the same bits.
bool has_dot_core(Layout layout);

inline uint32_t round_up(uint32_t n, uint32_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}
inline uint32_t block_count(uint32_t cols) {
    return (cols + kBlockCols - 1) / kBlockCols;
}
inline uint32_t tile_count(uint32_t rows) {
    return (rows + kTileRows - 1) / kTileRows;
}
// The bytes of one tile of `cols` columns in an array; 0 where the layout has none.
uint64_t tile_bytes(Layout layout, WeightArray array, uint32_t cols, bool image = false);
// The bytes of a tile in all arrays together.
uint64_t tile_bytes(Layout layout, uint32_t cols, bool image = false);

// The file's bytes of the rows of a tile, in the order they are to have; null is a row of zeros.
using TileRows = std::array<const std::byte*, kTileRows>;
// Where a tile goes: tile_bytes() bytes for each array, aligned for uint64_t; empty for arrays that the layout does not
// have.
using TileArrays = std::array<std::span<std::byte>, kWeightArrays.size()>;

// Writes every byte of `out`. `cols` weights a row are a whole number of the type's blocks. `image` is for weights that
// are read through images.
void repack_tile(model::TensorType type, uint32_t cols, const TileRows& rows, const TileArrays& out,
                 bool image = false);

// Whether some rows of a type that goes into the Q8_0 layout hold a -128, which images read as -127. Quantizers do not
// write it, but the format allows it.
bool holds_minus_128(model::TensorType type, std::span<const std::byte> blocks);

// The host's side of activations.cl: how long a row of quantized activations is.
inline constexpr uint32_t kQuantBlock = 32;  // values that share a scale
inline constexpr uint32_t kMostValueBytes = 2;

// The width of a vector of n values when it is quantized.
inline uint32_t padded_width(uint32_t n) {
    return (n + kQuantBlock - 1) / kQuantBlock * kQuantBlock;
}

// The bytes from one row to the next: the bytes of the values, sums, stats and scales; `width` is padded, and a value
// has 1 to kMostValueBytes bytes.
inline uint32_t quantized_row_bytes(uint32_t width, uint32_t value_bytes) {
    constexpr uint32_t kAlignment = 16;
    const uint32_t bytes = value_bytes * width + width / 4 + width / 8 + width / 2;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace llmd::compute::gpu
