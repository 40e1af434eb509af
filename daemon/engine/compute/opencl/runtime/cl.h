// Owners of OpenCL objects: move-only, released at destruction.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <utility>

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

}  // namespace llmd::compute
