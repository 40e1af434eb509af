// A model's tensors in memory of our own: matrices in the file's blocks, their rows
// interleaved if quantised (pack_rows()), vectors as floats. Filled while loading, then
// read from every worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/cpu_memory.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/quantization.h"
#include "engine/model/weights.h"

namespace llmd::compute {

// How the CPU backend keeps quantised matrices: the file's blocks, and 16 neighbouring rows of them interleaved, so
// that a vector holds the same sub-block of 16 rows and a matmul needs no sum across lanes.
//
// Of a group of 16 rows, all first blocks come first, then all second blocks and so on. A block is a sequence of
// elements: 4 bytes of quants, 1 byte of a superblock's scales or a 2-byte half. The element at byte o of row r's
// block, s bytes wide, lies at byte 16 * o + s * r of the group's. Where a block has one half, its size is no multiple
// of 4: the halves lie behind all blocks of the group, those of the first blocks of its rows first, so that no vector
// of quants crosses a cache line, and o counts as if they were not there. Groups begin at packed_group_bytes(). Rows
// that fill up the last group are zeros. Pure functions.

// Whether matrices of this format are kept so: all but plain numbers.
bool is_packed(model::TensorType type);

// Bytes of a packed matrix whose rows have row_bytes in the file.
constexpr uint64_t packed_bytes(uint64_t rows, uint64_t row_bytes) {
    return (rows + kPackedRows - 1) / kPackedRows * packed_group_bytes(row_bytes);
}

// to: packed_bytes() zeros; rows: whole rows of row_bytes each.
void pack_rows(model::TensorType type, size_t row_bytes, std::span<const std::byte> rows, uint8_t* to);

// Row `row` of a packed matrix in the file's own blocks; to has row_bytes.
void unpack_row(model::TensorType type, const uint8_t* packed, size_t row, std::span<std::byte> to);

// The values of a row: out has cols. `scratch` has row_bytes, and is used where the matrix is packed only.
void dequantize_row(const Matrix& from, uint32_t row, float* scratch, float* out);

// Few enough to count for nothing beside a model, enough that giving a file's pages back takes no time beside reading
// them.
inline constexpr size_t kCopiedBytes = 4u << 20;

class CpuWeights {
public:
    explicit CpuWeights(const model::DecoderSpec& spec);

    // Copies a tensor, some kCopiedBytes at a time, and calls on_copied after each part. OutOfMemory names it and its
    // size; ModelLoadFailed when check_weight() refuses it or it comes twice.
    base::Result<void> add(const model::Weight& weight, const OnCopied& on_copied);
    // ModelLoadFailed names the first role that the spec needs and that is missing.
    base::Result<void> check_complete() const;

    // Null when the model has none. Role::Output gives the token embedding where the two are tied.
    const Matrix* matrix(model::Role role, uint32_t layer = 0) const;
    const float* vector(model::Role role, uint32_t layer = 0) const;

    uint64_t size_bytes() const { return size_bytes_; }

private:
    size_t index(model::Role role, uint32_t layer) const;

    const model::DecoderSpec& spec_;
    HostArena arena_;
    std::vector<Matrix> tensors_;  // [role][layer]; data is null where there is none
    uint64_t size_bytes_ = 0;
};

}  // namespace llmd::compute
