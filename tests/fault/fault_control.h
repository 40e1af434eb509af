// What the fault layer (fault_layer.cpp) does and has seen: the content of the file that LLMD_FAULT_CONTROL names.
// Every process that loads the layer maps the file, and so does the test, which may change all of it at any time. Calls
// are counted over all of these processes, so a fault meets one call, not one in each engine that llmd starts.
// tests/integration/harness.py knows the layout.
#pragma once

#include <cstdint>

namespace llmd::test {

enum class FaultAction : uint32_t {
    Fail = 0,   // the call returns `status` without reaching the driver
    Delay = 1,  // it is made `delay_ms` late
    Abort = 2,  // the process ends as when a driver aborts
    Panic = 3,  // the same, in a thread of the driver while the call waits for it
};

enum HiddenFeature : uint32_t {
    kHideCpuType = 1,       // every device says that it is a GPU
    kHideImages = 2,        // CL_DEVICE_IMAGE_SUPPORT, and images cannot be made
    kHideFp16 = 4,          // cl_khr_fp16 is not among the extensions
    kHideLargeBuffers = 8,  // one buffer holds at most kSmallBufferBytes
    kHideLargeGroups = 16,  // a work-group has at most kSmallGroupItems items
    kChangeDriver = 64,     // CL_DRIVER_VERSION is another one
    kMiscompile = 128,      // kernels named `matmul` subtract where they say mad()
    kPassForRusticl =
        256,  // every platform says that it is Mesa's Rusticl beside its own name, in version kRusticlVersion
    kOfferPriorities = 32,  // the opposite: cl_khr_priority_hints is offered, see `low_priority_queues`
};
inline constexpr char kRusticlVersion[] = "26.1.6";
inline constexpr uint64_t kSmallBufferBytes = 64u << 20;
inline constexpr uint64_t kSmallGroupItems = 128;

struct FaultControl {
    uint64_t calls = 0;        // made so far; those that only release are not counted
    uint64_t first_fault = 0;  // the first call that meets the fault, counted from 1; 0: none
    uint64_t last_fault = 0;   // the last one
    int64_t live_objects = 0;  // made and not released
    uint32_t low_priority_queues = 0;
    int32_t status = 0;
    FaultAction action = FaultAction::Fail;
    uint32_t delay_ms = 0;
    uint32_t hidden = 0;      // HiddenFeature
    uint32_t reserved = 0;    // the layout has no holes
    char function[64] = {};   // the only one whose calls are counted; empty: all
    char last_call[64] = {};  // the function that met the last fault
    char wrong_function[32] =
        {};  // of OpenCL C, whose value is twice what it should be in every program that is compiled
};
static_assert(sizeof(FaultControl) == 216);

}  // namespace llmd::test
