// The OpenCL backend. It uses OpenCL C 1.2 without subgroups and without half arithmetic, so that one source serves
// Adreno through Rusticl, PoCL, llvmpipe and NVIDIA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

struct OpenClDevice {
    std::string platform;             // "rusticl"
    std::string name;                 // "FD630"
    std::string driver;               // "26.1.6"
    bool is_gpu = false;              // a GPU that `auto` may take: not a CPU device, not llvmpipe
    uint64_t memory_bytes = 0;        // of the device
    uint64_t max_buffer_bytes = 0;    // of one buffer
    bool shares_host_memory = false;  // its memory is the host's
};

// Lists every OpenCL device of every platform, in the loader's order. It sets the environment that Rusticl needs first
// (unless the user has): call it before anything else that might touch OpenCL. An error when the loader fails or when
// platforms failed and no device is left; an empty list when there simply is none. A platform that fails is passed over
// otherwise; `notes`, if given, gets a sentence for each.
base::Result<std::vector<OpenClDevice>> list_opencl_devices(std::vector<std::string>* notes = nullptr);

// For tests and measurements: a device with narrower limits than the one at hand.
struct OpenClOverrides {
    uint64_t max_buffer_bytes = 0;    // one allocation; 0: what the device says
    uint64_t max_group_items = 0;     // of a work-group; 0: what the device says
    bool submit_each_launch = false;  // as if the driver did not order dependent launches
    bool use_gpu_kernels = false;     // kernels as for GPUs on a CPU device too
    bool untried = false;             // kernels are used without a self-test (gpu/self_test.h)
    bool compile_only = false;        // a driver without its hardware: nothing is checked, reads give zeros
};

// `device_index` is an index into list_opencl_devices(). `notes` go into the report as they are.
base::Result<std::unique_ptr<Backend>> create_opencl_backend(const model::DecoderSpec& spec,
                                                             const BackendLimits& limits, size_t device_index,
                                                             const OpenClOverrides& overrides = {},
                                                             std::vector<std::string> notes = {},
                                                             Precision precision = Precision::Faithful);

}  // namespace llmd::compute
