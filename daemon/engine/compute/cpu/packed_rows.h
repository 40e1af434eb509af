// How the CPU backend keeps quantised matrices: the file's blocks, and 16 neighbouring rows of them interleaved, so
// that a vector holds the same piece of 16 rows and a product needs no sum across lanes.
//
// Of a group of 16 rows, all first blocks come first, then all second blocks and so on. A block is a sequence of units:
// 4 bytes of codes, 1 byte of a superblock's scales or a 2-byte half. The unit at byte o of row r's block, s bytes
// wide, lies at byte 16 * o + s * r of the group's. Rows that fill up the last group are zeros. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/quantization.h"

namespace llmd::compute {

inline constexpr uint32_t kPackedRows = 16;

// Whether matrices of this format are kept so: all but plain numbers.
bool is_packed(model::TensorType type);

// Rows a packed matrix has room for.
constexpr uint64_t padded_rows(uint64_t rows) {
    return (rows + kPackedRows - 1) / kPackedRows * kPackedRows;
}

// to: padded_rows(rows) * row_bytes zeros; rows: whole rows of row_bytes each.
void pack_rows(model::TensorType type, size_t row_bytes, std::span<const std::byte> rows, uint8_t* to);

// Row `row` of a packed matrix in the file's own blocks; to has row_bytes.
void unpack_row(model::TensorType type, const uint8_t* packed, size_t row, std::span<std::byte> to);

}  // namespace llmd::compute
