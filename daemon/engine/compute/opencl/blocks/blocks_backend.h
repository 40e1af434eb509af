// The OpenCL backend for CPU devices with wide vectors (PoCL): products of the file's own blocks and floats, faithful
// in either precision.
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::compute::blocks {

// `report` has the device's names, notes, and the profile's beginning.
base::Result<std::unique_ptr<Backend>> create_blocks_backend(const model::ModelConfig& config,
                                                             const BackendLimits& limits, DeviceQueue queue,
                                                             Precision precision, DeviceReport report);

}  // namespace llmd::compute::blocks
