// The programs that one model needs on one device, each built once, and kernels made from them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/cl_handle.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::compute {

// What a work-group of one variant of matvec computes: `rows` of the matrix times `columns` rows of the batch, or times
// as many of them as there are.
struct MatvecShape {
    uint32_t columns;
    uint32_t rows;
    uint32_t group_items;
};
// Kernels may touch so many rows of activations together, whatever the batch has.
inline constexpr uint32_t kMaxColumns = 4;
// Values of the EPILOGUE_* of matvec.cl and cpu_matvec.cl.
enum class Epilogue : uint32_t { Store = 0, Add = 1, Gelu = 2, SwiGlu = 3 };
// y[column][y_first + first_row + r] = weights[r] . x[column] (+ bias), then the epilogue.
struct MatvecArguments {
    const ClBuffer& weights;
    uint32_t row_bytes, rows, cols;
    const ClBuffer& x;
    const ClBuffer* bias;  // null: none
    const ClBuffer& y;
    uint32_t y_stride, y_first, first_row;
    Epilogue epilogue;
    const ClBuffer& step;  // says how many columns there are
    bool of_outputs;       // the columns are the step's outputs, not its rows
};
// Pieces of the vocabulary and the candidates that each gives (sample.cl).
inline constexpr uint32_t kSampleChunks = 64;
inline constexpr uint32_t kChunkCandidates = kMaxCandidates / kSampleChunks;

class KernelSet {
public:
    // Builds all but the programs that depend on a weight type. DeviceError names the program that does not build.
    static base::Result<KernelSet> build(const DeviceQueue& queue, const model::ModelConfig& config,
                                         const BackendLimits& limits);

    base::Result<ClKernel> norm() const { return make_kernel(norm_, "norm"); }
    base::Result<ClKernel> rope_kv() const { return make_kernel(rope_kv_, "rope_kv"); }
    base::Result<ClKernel> attention() const { return make_kernel(attention_, "attention"); }
    base::Result<ClKernel> sample() const { return make_kernel(sample_, "sample"); }
    base::Result<ClKernel> choose() const { return make_kernel(sample_, "choose"); }
    // Build their program at the first call for a type.
    base::Result<ClKernel> embed(const DeviceQueue& queue, model::TensorType type);
    base::Result<ClKernel> matvec(const DeviceQueue& queue, model::TensorType type, const MatvecShape& shape);

    base::Result<void> set_matvec_args(const ClKernel& kernel, const MatvecShape& shape,
                                       const MatvecArguments& arguments) const;

    // By rising columns, the first with one. Every variant gives the same bits.
    std::span<const MatvecShape> matvec_shapes() const { return matvec_shapes_; }
    // Rows of the matrix that a work-group of any variant computes at least.
    uint32_t rows_per_group() const;
    // What decides the order and kind of float operations, beside the device itself.
    std::string profile() const;

    // Work-items of a group of norm, rope_kv, attention and sample.
    uint32_t group_items() const { return for_cpu_ ? 1 : kGroupItems; }
    // One group of rope_kv serves all rows of a batch.
    bool rope_kv_takes_batch() const { return for_cpu_; }
    uint32_t rope_kv_groups(const model::ModelConfig& config) const;

private:
    base::Result<ClProgram> build_matvec(const DeviceQueue& queue, model::TensorType type, uint32_t columns) const;

    bool for_cpu_ = false;  // kernels/cpu_*.cl
    uint32_t micro_ = 0;    // MICRO of cpu_matvec.cl
    std::vector<MatvecShape> matvec_shapes_;
    std::string shape_options_;
    ClProgram norm_, rope_kv_, attention_, sample_;
    std::map<std::pair<model::TensorType, uint32_t>, ClProgram> typed_;  // by type and columns; 0 columns: embed
};

}  // namespace llmd::compute
