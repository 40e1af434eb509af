// Planes that lie in one window of 4 GiB, so that their addresses differ in their lower halves alone: what
// planes.cl's WINDOW goes by. OpenCL tells no addresses and drivers do not keep buffers off the borders of windows, so
// the device is asked. Thread-bound, as DeviceQueue, which it refers to.
#pragma once

#include <array>
#include <functional>

#include "base/result.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// Images, none where a layout has no such plane; or one buffer, the first, with all planes one behind the other.
using PlaneBuffers = std::array<ClBuffer, kPlanes.size()>;

class WindowProbe {
public:
    // Errors are the queue's.
    static base::Result<WindowProbe> create(DeviceQueue& queue);

    // Of a buffer after its last write, since a driver may move what is written whole.
    base::Result<bool> is_in_window(const ClBuffer& buffer);

    // Makes planes until all of them are in windows. `make` allocates and writes them; its errors are passed on.
    // DeviceError when kMostTries found none.
    using MakePlanes = std::function<base::Result<PlaneBuffers>()>;
    base::Result<PlaneBuffers> make_in_windows(const MakePlanes& make);
    static constexpr size_t kMostTries = 4;  // two are enough where few buffers lie across borders

private:
    explicit WindowProbe(DeviceQueue& queue) : queue_(&queue) {}

    DeviceQueue* queue_;
    ClKernel kernel_;
    ClBuffer upper_;
};

}  // namespace llmd::compute::gpu
