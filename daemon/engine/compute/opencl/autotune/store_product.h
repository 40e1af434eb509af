// A packed matrix and records on the device, for product kernels with the Store epilogue, without norm and shift. Owns
// its buffers. Thread-bound, as DeviceQueue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/gpu/window_probe.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

// Planes with such contents, none where that is empty: a buffer in a window (window_probe.h), or images of buffers.
// Errors are the queue's and WindowProbe's.
base::Result<PlaneBuffers> make_planes(DeviceQueue& queue, std::string_view what, Layout layout,
                                       const std::array<std::vector<std::byte>, kPlanes.size()>& contents, bool image);
// The arguments that planes are, which come first.
base::Result<void> set_planes(const ClKernel& kernel, const PlaneBuffers& planes);

struct StoreProduct {
    PlaneBuffers planes;
    uint32_t n_pairs = 0, n_blocks = 0;
    ClBuffer records;
    uint32_t record_bytes = 0, record_columns = 0;
    ClBuffer y;  // float [row of the records][2 n_pairs]

    base::Result<void> bind(const ClKernel& kernel) const;
    // A kernel of such a shape, bound, for so many work-groups' worth of columns.
    base::Result<void> launch(DeviceQueue& queue, const ClKernel& kernel, const ProductShape& shape,
                              uint32_t column_groups) const;
};

}  // namespace llmd::compute::gpu
