// Asks a device what the built-in functions give whose values no other part of the self-test sees, or sees only in a
// quotient in which an error may cancel: a driver whose library of them is not made for its compiler computes some of
// them wrong. Thread-bound, as DeviceQueue.
#pragma once

#include "base/result.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// A function may be off by so much of its value: by five units in the last place (OpenCL C's bound of tanh), and as
// much again for what a contraction rounds.
inline constexpr double kBuiltInTolerance = 4e-6;
// Native functions have no bound in OpenCL C. What is computed with them is quantized to eight bits or more.
inline constexpr double kNativeTolerance = 1e-3;

// DeviceError names the function that gives something else than on the host, with its argument and both values. Other
// errors are the queue's.
base::Result<void> check_built_ins(DeviceQueue& queue);

}  // namespace llmd::compute::gpu
