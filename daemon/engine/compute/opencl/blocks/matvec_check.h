// Whether a device computes what the products of the file's own blocks say, tried with the model's own rows after it is
// loaded. Drivers have been wrong. Thread-bound, as DeviceQueue.
#pragma once

#include "base/result.h"
#include "engine/compute/opencl/blocks/block_weights.h"
#include "engine/compute/opencl/blocks/kernels.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::compute::blocks {

// Multiplies `rows` of a matrix with pseudo-random columns in every matvec variant. DeviceError names the
// kernel when a sum differs from the host's double-precision one by more than kMatvecTolerance times the sum of the
// products' magnitudes, or when the variants differ in a single bit. Rows whose reference is not finite are passed
// over: the file, not the device, is to blame.
base::Result<void> check_matvec(DeviceQueue& queue, Kernels& kernels, const TestRows& rows);

// Float rounding of sums of up to 2^17 products stays far below; a wrong bit in a weight does not.
inline constexpr double kMatvecTolerance = 2e-5;

}  // namespace llmd::compute::blocks
