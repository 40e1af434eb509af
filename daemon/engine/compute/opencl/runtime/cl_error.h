// OpenCL status codes as errors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/compute/opencl/runtime/cl.h"

namespace llmd::compute {

// "CL_OUT_OF_RESOURCES", or "status -9999" for one that OpenCL 1.2 does not define.
std::string cl_status_name(cl_int status);

// DeviceError "<call>: <status name>: <what>"; OutOfMemory where the status says that memory ran out.
base::Error cl_failure(std::string_view call, cl_int status, std::string_view what = {});

// Success, or cl_failure().
inline base::Result<void> cl_check(std::string_view call, cl_int status, std::string_view what = {}) {
    if (status == CL_SUCCESS) return {};
    return cl_failure(call, status, what);
}

}  // namespace llmd::compute
