// The programs that one model needs on one device, each built once, and kernels made from them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/cl_handle.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::compute {

// Columns that one matvec launch computes together: one for a lone row, else groups of four.
inline constexpr uint32_t kBatchColumns = 4;
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
    // Build their program at the first call for a type.
    base::Result<ClKernel> embed(const DeviceQueue& queue, model::TensorType type);
    base::Result<ClKernel> matvec(const DeviceQueue& queue, model::TensorType type, uint32_t columns);

    // Rows of the matrix that one work-group of matvec computes.
    uint32_t rows_per_group() const { return static_cast<uint32_t>(kGroupItems) / slices_; }
    // What decides the order and kind of float operations, beside the device itself.
    std::string profile() const;

private:
    uint32_t slices_ = 1;
    bool wide_ = false;
    std::string shape_options_;
    ClProgram norm_, rope_kv_, attention_, sample_;
    std::map<std::pair<model::TensorType, uint32_t>, ClProgram> typed_;  // by type and columns; 0 columns: embed
};

}  // namespace llmd::compute
