// Rewrites rows of a GGUF tensor into the arrays of layout.h, one tile at a time, without a device. All functions are
// pure and callable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/compute/opencl/gpu/layout.h"
#include "engine/model/quantization.h"

namespace llmd::compute::gpu {

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

}  // namespace llmd::compute::gpu
