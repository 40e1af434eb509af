// A product of a kind at its real size on the device, to time kernels on. Its planes hold a sample's rows again and
// again, in several copies that launches read by turns, so that a launch finds hardly more of them in caches than it
// would between a step's other launches. Thread-bound, as DeviceQueue; borrows the queue and refers to nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/autotune/choices.h"
#include "engine/compute/opencl/autotune/store_product.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// Of all copies together: beyond the caches of a phone's GPU, little beside a model. Of larger products a part is
// timed, which still fills any device.
inline constexpr uint64_t kTimedBytes = 16u << 20;
inline constexpr uint32_t kMostTimedCopies = 16;
// What a round reads, divided by the columns: a millisecond's worth on a phone, so that the display does not wait.
inline constexpr uint64_t kRoundBytes = 16u << 20;
inline constexpr uint32_t kMostRoundLaunches = 32;
// Work-groups' worth of columns of the widest kernels, which prompts have more of; others are for one.
inline constexpr uint32_t kTimedPromptGroups = 4;

class TimedProduct {
public:
    // A sample of the kind's layout and columns. Errors are the queue's.
    static base::Result<TimedProduct> create(DeviceQueue& queue, const SampleMatrix& sample, const ProductKind& kind,
                                             bool image);

    // A round of launches of a kernel with the Store epilogue, without norm and shift, and what one of them took on
    // average. How many does not depend on the time.
    base::Result<std::chrono::nanoseconds> round(const ClKernel& kernel, const ProductShape& shape, uint32_t columns);

private:
    explicit TimedProduct(DeviceQueue& queue) : queue_(&queue) {}

    DeviceQueue* queue_;
    StoreProduct product_;  // whose planes are the first copy
    std::vector<PlaneBuffers> further_copies_;
    uint64_t bytes_ = 0;  // of a copy
    size_t next_ = 0;     // copy to read
};

// Bytes of a product's planes.
uint64_t plane_bytes(const ProductKind& kind, bool image);

}  // namespace llmd::compute::gpu
