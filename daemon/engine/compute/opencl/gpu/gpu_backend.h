// The OpenCL backend for devices that gain by repacked weights and integer activations: GPUs, and llvmpipe. Five
// launches a layer and three more for a step, of any number of rows; one more a layer for norms of heads, one for each
// post-norm, one where a row is beyond kWholeAttention positions, and a few more where the tensors of one matmul have
// several types or do not fit into one buffer.
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// Up to so many positions one work-group walks all of a row's attention; beyond, each KV split has one of its own.
inline constexpr uint32_t kWholeAttention = 1024;

// `report` has the device's names, notes, and the fingerprint's beginning.
base::Result<std::unique_ptr<Backend>> create_gpu_backend(const model::DecoderSpec& spec, const BackendLimits& limits,
                                                          DeviceQueue queue, Precision precision, DeviceReport report);

}  // namespace llmd::compute::gpu
