// Whether the device runs launches in their order. Thread-bound, as DeviceQueue.
#pragma once

#include "base/result.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute {

// Runs a chain of launches, each reading what the one before wrote, in one submission. False when a launch saw old
// values: Rusticl before Mesa 26 can omit the barrier between launches on Adreno.
base::Result<bool> launches_are_ordered(DeviceQueue& queue);

}  // namespace llmd::compute
