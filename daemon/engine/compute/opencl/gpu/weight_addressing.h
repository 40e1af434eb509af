// How kernels address weights: through images, or by pointers within one address segment. A device is asked first
// whether either works. Thread-bound, as DeviceQueue.
//
// Images are image1d_buffers: on small GPUs the texture unit computes addresses and converts halfs and bytes at no
// cost, though some drivers get that wrong. Every launch pays for them on the host, where Mesa describes the images
// anew: twice what a launch costs otherwise.
#pragma once

#include <array>
#include <functional>

#include "base/result.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// The format in which one texel is one element of array_format(layout, array, true), which must exist.
cl_image_format texel_format(Layout layout, WeightArray array);

// Whether an image is worth its price: an Adreno's instructions a weight are about halved for Q8_0, and those of Q6_K,
// which few launches read, brought from 4.0 to 3.7.
bool is_better_as_image(Layout layout);

// Reads a buffer through images of all these formats. False where the device has no images, refuses a format or reads
// something else than the buffer holds; other failures are errors.
base::Result<bool> images_work(DeviceQueue& queue);

// The buffers of a matrix: images, none where a layout has no such array; or one buffer, the first, with all arrays one
// behind the other.
using WeightBuffers = std::array<ClBuffer, kWeightArrays.size()>;

// Finds buffers that lie in one address segment of 4 GiB, so that the addresses in them differ in their lower halves
// alone: dot.cl's SEGMENT relies on it. OpenCL tells no addresses and drivers do not keep buffers off the borders of
// segments, so the device is asked. Refers to the queue.
class SegmentProbe {
public:
    // Errors are the queue's.
    static base::Result<SegmentProbe> create(DeviceQueue& queue);

    // Is asked of a buffer after its last write, since a driver may move what is written whole.
    base::Result<bool> is_in_segment(const ClBuffer& buffer);

    // Makes buffers until all of them lie in segments. `make` allocates and writes them; its errors are passed on.
    // DeviceError when kMostTries found none.
    using MakeWeights = std::function<base::Result<WeightBuffers>()>;
    base::Result<WeightBuffers> make_in_segments(const MakeWeights& make);
    static constexpr size_t kMostTries = 4;  // two suffice where few buffers lie across borders

private:
    explicit SegmentProbe(DeviceQueue& queue) : queue_(&queue) {}

    DeviceQueue* queue_;
    ClKernel kernel_;
    ClBuffer upper_;
};

}  // namespace llmd::compute::gpu
