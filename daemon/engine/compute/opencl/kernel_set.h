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

// What a work-group of one variant of matvec computes: `rows` of the matrix times `columns` rows of the batch.
struct MatvecShape {
    uint32_t columns;
    uint32_t rows;
    uint32_t group_items;
};
inline constexpr uint32_t kMaxColumns = 4;
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

    // By rising columns, the first with one. Every variant gives the same bits.
    std::span<const MatvecShape> matvec_shapes() const { return matvec_shapes_; }
    // Rows of the matrix that a work-group of any variant computes at least.
    uint32_t rows_per_group() const;
    // What decides the order and kind of float operations, beside the device itself.
    std::string profile() const;

private:
    uint32_t slices_ = 1;
    bool wide_ = false;
    std::vector<MatvecShape> matvec_shapes_;
    std::string shape_options_;
    ClProgram norm_, rope_kv_, attention_, sample_;
    std::map<std::pair<model::TensorType, uint32_t>, ClProgram> typed_;  // by type and columns; 0 columns: embed
};

}  // namespace llmd::compute
