// Checks at start that the device computes what the kernels say. Drivers for small GPUs have been wrong in both ways.
#pragma once

#include "base/result.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/compute/opencl/device_weights.h"
#include "engine/compute/opencl/kernel_set.h"

namespace llmd::compute {

// Runs a chain of launches, each reading what the one before wrote, in one submission. False when a launch saw old
// values: Rusticl before Mesa 26 can omit the barrier between launches on Adreno.
base::Result<bool> launches_are_ordered(DeviceQueue& queue);

// Multiplies `rows` of a matrix with pseudo-random columns in every matvec variant. DeviceError names the
// kernel when a sum differs from the host's double-precision one by more than kMatvecTolerance times the sum of the
// products' magnitudes, or when the variants differ in a single bit. Rows whose reference is not finite are passed
// over: the file, not the device, is to blame.
base::Result<void> check_matvec(DeviceQueue& queue, KernelSet& kernels, const TestRows& rows);

// Float rounding of sums of up to 2^17 products stays far below; a wrong bit in a weight does not.
inline constexpr double kMatvecTolerance = 2e-5;

}  // namespace llmd::compute
