// Finds OpenCL devices and asks them for what the backend depends on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/compute/opencl/runtime/cl.h"

namespace llmd::compute {

struct ClDevice {
    cl_platform_id platform = nullptr;
    cl_device_id id = nullptr;
    OpenClDevice names;
};

// The devices behind list_opencl_devices(), in the same order: those that are available and can compile.
base::Result<std::vector<ClDevice>> find_cl_devices(std::vector<std::string>* notes = nullptr);

struct DeviceLimits {
    uint64_t max_buffer_bytes = 0;  // one allocation
    uint64_t memory_bytes = 0;      // all allocations
    uint64_t local_bytes = 0;       // of a work-group
    uint64_t group_items = 0;       // of a work-group
    uint64_t image_texels = 0;      // of an image over a buffer; 0: no images
    bool has_priorities = false;    // a queue may have a low one (cl_khr_priority_hints)
    bool has_own_memory = false;    // apart from the host's
    bool has_dot = false;           // NVIDIA's dp2a: two bytes times two of 16 bits, added up (core_dot.cl)
    uint32_t vendor_id = 0;         // PCI vendor
    bool is_cpu = false;            // the host's own cores
};

// Platform, device and driver with their versions, the compiler's among them: equal where a compiled program fits.
base::Result<std::string> device_identity(const ClDevice& device);

// DeviceError when the device cannot run the kernels, naming the limit.
base::Result<DeviceLimits> query_limits(cl_device_id device);

}  // namespace llmd::compute
