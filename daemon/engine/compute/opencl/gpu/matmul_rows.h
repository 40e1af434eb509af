// Which rows of which tensors make up each matmul of a model, and where they are cut into parts. Follows from the
// tensors' shapes and types alone. Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute::gpu {

using TensorKey = std::pair<model::Role, uint32_t>;  // of a layer

// Where a row of a matmul comes from; no tensor: zeros.
struct SourceRow {
    TensorKey tensor = {};
    uint32_t row = 0;
    bool is_zero = true;
};

// Whole tiles of a matmul that lie together.
struct RowRange {
    Layout layout = Layout::Q4_0;
    size_t first = 0;
    size_t count = 0;
    bool is_cut = false;  // what follows has the same layout, but one buffer would not hold it too
};

class MatmulRows {
public:
    explicit MatmulRows(const model::DecoderSpec& spec) : spec_(spec) {}

    // Every tensor of the model, before anything is asked.
    void add(const model::Weight& weight);

    bool has(model::Role role, uint32_t layer) const { return tensors_.count({role, layer}) != 0; }
    // The matmul that a matrix belongs to, named for one of its matrices, each of which begins a new tile:
    //   TokenEmbedding  only where it is not the output matrix too
    //   AttnQ           queries, keys, values; in the former two, rotary pairs are neighbours
    //   FfnGate         only where gate and up have different types
    //   FfnUp           else of gate and up, by turns; or only up
    //   Output          or the tied embedding
    //   AttnOutput, FfnDown
    model::Role matmul_of(model::Role matrix, uint32_t layer) const;
    // The matrices of a matmul.
    std::vector<model::Role> sources_of(model::Role matmul, uint32_t layer) const;
    // The kinds of all matmuls that a step computes, with the bytes that KernelChoice gives their quantized
    // activations.
    std::set<MatmulKind> kinds(const KernelChoice& kernel_choice) const;
    // Precondition: the model has the matmul.
    uint32_t cols_of(model::Role matmul, uint32_t layer) const;
    std::vector<SourceRow> rows_of(model::Role matmul, uint32_t layer) const;
    // The row of a query or key matrix, or of what is as long as one of its heads, that comes in the i-th place: rotary
    // pairs are neighbours.
    static uint32_t rotary_order(const model::LayerSpec& layer, uint32_t i);
    std::vector<RowRange> parts_of(std::span<const SourceRow> rows, uint32_t cols, uint64_t max_buffer_bytes) const;
    // A tile's rows but for its padding are of one tensor type.
    model::TensorType tile_type(std::span<const SourceRow> tile) const { return tensors_.at(tile[0].tensor).type; }

private:
    struct Shape {
        model::TensorType type;
        uint32_t rows, cols;
    };

    bool has_interleaved_gate(uint32_t layer) const;

    model::DecoderSpec spec_;
    std::map<TensorKey, Shape> tensors_;
};

// Most bytes that GpuWeights holds for a model.
uint64_t gpu_weight_bytes(std::span<const model::Weight> weights);

}  // namespace llmd::compute::gpu
