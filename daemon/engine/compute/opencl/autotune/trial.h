// A sample of a model's matrix on the device, to run product kernels on. Thread-bound, as DeviceQueue; borrows the
// queue and the sample.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/autotune/store_product.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

class Trial {
public:
    // image: planes are read through images. Errors are the queue's.
    static base::Result<Trial> create(DeviceQueue& queue, const SampleMatrix& sample, bool image);

    // [vector][row] of all the sample's vectors, by a kernel of such a shape and column count with the Store epilogue,
    // without norm and shift. What the kernel does not write is NaN.
    base::Result<std::vector<float>> products(const ClKernel& kernel, const ProductShape& shape, uint32_t columns);

private:
    Trial(DeviceQueue& queue, const SampleMatrix& sample) : queue_(&queue), sample_(&sample) {}

    DeviceQueue* queue_;
    const SampleMatrix* sample_;
    StoreProduct product_;
};

}  // namespace llmd::compute::gpu
