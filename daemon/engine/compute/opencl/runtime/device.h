// Finds OpenCL devices and asks them for what the backend depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/runtime/cl.h"

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
