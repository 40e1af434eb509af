// Planes of packed weights read through image1d_buffers: on small GPUs the texture unit computes addresses and converts
// halfs and bytes for nothing. Some drivers get that wrong, so it is tried first. Every launch pays for it on the host,
// where Mesa describes the images anew: twice what a launch costs otherwise. Thread-bound, as DeviceQueue.
#pragma once

#include "base/result.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// One texel is one element of plane_format(layout, plane, true), which must exist.
cl_image_format texel_format(Layout layout, Plane plane);

// Whether that is worth its price: an Adreno's instructions a weight are about halved for Q8_0, and those of Q6_K,
// which few launches read, brought from 4.0 to 3.7.
bool is_better_as_image(Layout layout);

// Reads a buffer through images of all these formats. False where the device has no images, refuses a format or reads
// something else than the buffer holds; errors are those of anything else.
base::Result<bool> images_work(DeviceQueue& queue);

}  // namespace llmd::compute::gpu
