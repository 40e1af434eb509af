// OpenCL's C interface made safe: owners of its objects, which are move-only and release them at destruction, and its
// status codes as errors.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace llmd::compute {

template <typename Raw, cl_int (*kRelease)(Raw)>
class ClHandle {
public:
    ClHandle() = default;
    explicit ClHandle(Raw raw) : raw_(raw) {}  // takes the reference over
    ClHandle(ClHandle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    ClHandle& operator=(ClHandle&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ClHandle(const ClHandle&) = delete;
    ClHandle& operator=(const ClHandle&) = delete;
    ~ClHandle() {
        if (raw_ != nullptr) kRelease(raw_);
    }

    Raw get() const { return raw_; }
    explicit operator bool() const { return raw_ != nullptr; }

private:
    Raw raw_ = nullptr;
};

using ClContext = ClHandle<cl_context, clReleaseContext>;
using ClQueue = ClHandle<cl_command_queue, clReleaseCommandQueue>;
using ClProgram = ClHandle<cl_program, clReleaseProgram>;
using ClKernel = ClHandle<cl_kernel, clReleaseKernel>;
using ClEvent = ClHandle<cl_event, clReleaseEvent>;
using ClBuffer = ClHandle<cl_mem, clReleaseMemObject>;
using ClImage = ClBuffer;  // an image over a buffer, which it keeps alive

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
