// The OpenCL backend, for devices that gain by repacked weights and integer activations: GPUs, and llvmpipe. It uses
// OpenCL C 1.2 without subgroups and without half arithmetic, so that one source serves Adreno through Rusticl, PoCL,
// llvmpipe and NVIDIA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::compute {

// `device_index` is an index into list_opencl_devices(). `notes` go into the report as they are.
base::Result<std::unique_ptr<Backend>> create_opencl_backend(const model::DecoderSpec& spec,
                                                             const BackendLimits& limits, size_t device_index,
                                                             const OpenClOverrides& overrides = {},
                                                             std::vector<std::string> notes = {},
                                                             Precision precision = Precision::Faithful);

}  // namespace llmd::compute
