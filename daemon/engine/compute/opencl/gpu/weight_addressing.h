// Arrays of packed weights read through image1d_buffers: on small GPUs the texture unit computes addresses and converts
// halfs and bytes for nothing. Some drivers get that wrong, so it is tried first. Every launch pays for it on the host,
// where Mesa describes the images anew: twice what a launch costs otherwise. Thread-bound, as DeviceQueue.
#pragma once

#include <array>
#include <functional>

#include "base/result.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// One texel is one element of array_format(layout, plane, true), which must exist.
cl_image_format texel_format(Layout layout, WeightArray array);

// Whether that is worth its price: an Adreno's instructions a weight are about halved for Q8_0, and those of Q6_K,
// which few launches read, brought from 4.0 to 3.7.
bool is_better_as_image(Layout layout);

// Reads a buffer through images of all these formats. False where the device has no images, refuses a format or reads
// something else than the buffer holds; errors are those of anything else.
base::Result<bool> images_work(DeviceQueue& queue);

// Arrays that are no images lie in one window of 4 GiB where dot.cl's SEGMENT is on, so that their addresses differ in
// their lower halves alone. OpenCL tells no addresses and drivers do not keep buffers off the borders of windows, so
// the device is asked. Refers to the queue.

// Images, none where a layout has no such plane; or one buffer, the first, with all planes one behind the other.
using WeightBuffers = std::array<ClBuffer, kWeightArrays.size()>;

class SegmentProbe {
public:
    // Errors are the queue's.
    static base::Result<SegmentProbe> create(DeviceQueue& queue);

    // Of a buffer after its last write, since a driver may move what is written whole.
    base::Result<bool> is_in_segment(const ClBuffer& buffer);

    // Makes planes until all of them are in windows. `make` allocates and writes them; its errors are passed on.
    // DeviceError when kMostTries found none.
    using MakeWeights = std::function<base::Result<WeightBuffers>()>;
    base::Result<WeightBuffers> make_in_segments(const MakeWeights& make);
    static constexpr size_t kMostTries = 4;  // two are enough where few buffers lie across borders

private:
    explicit SegmentProbe(DeviceQueue& queue) : queue_(&queue) {}

    DeviceQueue* queue_;
    ClKernel kernel_;
    ClBuffer upper_;
};

}  // namespace llmd::compute::gpu
