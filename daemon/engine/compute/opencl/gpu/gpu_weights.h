// A model's tensors in the form that the packed kernels read. What one launch multiplies lies together: a matmul is a
// list of rows, of one tensor or of several, in the order that its epilogue wants (kernels/epilogue.cl).
//
// A tensor that shares a matmul with others is kept in host memory until the last of them has arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/runtime/device_queue.h"
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

// Which rows of which tensors make up each matmul of a model, and where they are cut into parts. Follows from the
// tensors' shapes and types alone. Thread-compatible.
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

// Some whole tiles of a matmul, in one layout.
struct MatmulPart {
    Layout layout = Layout::Q4_0;
    WeightBuffers arrays;
    bool image = false;       // arrays are images over buffers (weight_addressing.h)
    uint32_t first_pair = 0;  // among all pairs of the matmul
    uint32_t n_pairs = 0;     // a multiple of kTilePairs
};

struct MatmulWeights {
    uint32_t rows = 0;  // with padding: a multiple of kTileRows
    uint32_t cols = 0;
    std::vector<MatmulPart> parts;  // in the order of their pairs
    ClBuffer bias;                  // float a row: W b + bias; none if all are zero
    ClBuffer norm_sum;              // float a row: W w; only behind a LayerNorm
};

class GpuWeights {
public:
    GpuWeights(const model::DecoderSpec& spec, uint32_t n_ctx) : spec_(spec), n_ctx_(n_ctx), rows_(spec) {}

    // Before the first upload: arrays of these layouts are read through images where they can be.
    void use_images(std::set<Layout> layouts) { images_ = std::move(layouts); }
    // Before the first upload: arrays that are no images lie in one address segment.
    void use_segments(SegmentProbe probe) { probe_ = std::move(probe); }
    // Backend::declare_tensors(), once. ModelLoadFailed as upload().
    base::Result<void> declare_tensors(std::span<const model::Weight> weights);
    // The kinds of all matmuls that a step computes, after declare_tensors().
    std::set<MatmulKind> kinds(const KernelChoice& kernel_choice) const { return rows_.kinds(kernel_choice); }
    // OutOfMemory names the matmul and its size; ModelLoadFailed when a tensor's shape is not the spec's, or it was
    // not declared or comes twice.
    base::Result<void> upload(DeviceQueue& queue, const model::Weight& weight);
    // After the last upload. ModelLoadFailed names a required tensor that did not come.
    base::Result<void> check_complete() const;

    // The matmul that a matrix belongs to; null where the model has none.
    const MatmulWeights* matmul(model::Role matrix, uint32_t layer = 0) const;
    // The weight of a norm, of heads too, or the taps of a convolution, which are left to the caller to upload.
    const std::vector<float>& vector(model::Role role, uint32_t layer) const { return vectors_.at({role, layer}); }
    // [position][n_embd] floats; none when the model has none.
    const ClBuffer& position_embedding() const { return positions_; }
    // Each frequency's divisor; empty without RopeFactors.
    const std::vector<float>& rope_factors() const { return rope_factors_; }

    // Floats of a row of what matmuls leave for another launch: gates apart from up, and what heads, convolutions and
    // post-norms read.
    uint32_t intermediate_width() const;

    uint64_t size_bytes() const { return size_bytes_; }
    size_t split_matmuls() const { return split_matmuls_; }
    // The types of the tensors that are held another way than in the file.
    const std::set<model::TensorType>& reencoded() const { return reencoded_; }

private:
    struct Tensor {
        model::TensorView view;       // its data are valid from upload() until the matmul is packed
        std::vector<std::byte> kept;  // behind `view`, where others have to arrive first
        bool is_uploaded = false;
    };
    const Tensor* find(model::Role role, uint32_t layer) const;
    // Whether images give what the arrays of these rows hold.
    bool fits_images(const DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols, Layout layout) const;

    base::Result<void> pack(DeviceQueue& queue, model::Role matmul, uint32_t layer);
    base::Result<void> pack_part(DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols,
                                 const std::string& name, MatmulPart& part);
    base::Result<WeightBuffers> upload_arrays(DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols,
                                              const std::string& name, const MatmulPart& part);
    base::Result<void> add_constants(DeviceQueue& queue, model::Role matmul, uint32_t layer,
                                     std::span<const SourceRow> rows, MatmulWeights& to);
    base::Result<void> upload_vector(DeviceQueue& queue, const model::Weight& weight);
    base::Result<ClBuffer> upload_floats(DeviceQueue& queue, const std::string& name, std::span<const float> floats);

    model::DecoderSpec spec_;
    uint32_t n_ctx_;
    MatmulRows rows_;
    std::map<TensorKey, Tensor> tensors_;
    std::map<TensorKey, std::vector<float>> vectors_;
    std::map<TensorKey, MatmulWeights> matmuls_;  // by MatmulRows::matmul_of()
    ClBuffer positions_;
    std::vector<float> rope_factors_;
    std::set<model::TensorType> reencoded_;
    uint64_t size_bytes_ = 0;
    size_t split_matmuls_ = 0;
    std::set<Layout> images_;
    std::optional<SegmentProbe> probe_;
};

// Most bytes that GpuWeights holds for a model.
uint64_t gpu_weight_bytes(std::span<const model::Weight> weights);

}  // namespace llmd::compute::gpu
