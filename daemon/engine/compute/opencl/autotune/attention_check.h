// The self-test of attention: one sequence of pseudo-random keys and values against the host's double-precision sums.
// Thread-bound, as DeviceQueue.
#pragma once

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute::gpu {

// Rows at the positions kCheckedPositions, where the context has them, through the kernel that walks all leaves and
// through the one of a leaf and merge. DeviceError names the kernel that gives a wrong sum, or other bits than the
// other way.
base::Result<void> check_attention(DeviceQueue& queue, Kernels& kernels, const Variants& variants,
                                   const model::ModelConfig& config, const BackendLimits& limits);

inline constexpr std::array<uint32_t, 4> kCheckedPositions = {0, 37, 255, 300};

}  // namespace llmd::compute::gpu
