#include "engine/compute/opencl/gpu/launch.h"

namespace llmd::compute {

using base::Result;

Result<void> run(DeviceQueue& queue, const Launch& launch, uint32_t rows) {
    if (rows == 0) return {};
    const LaunchVariant& variant = launch.for_rows(rows);
    if (!variant.kernel) return {};
    const uint32_t grid_rows = (rows + variant.columns - 1) / variant.columns;
    return queue.launch(variant.kernel, variant.groups, grid_rows, variant.group_items);
}

Result<void> run(DeviceQueue& queue, const Launches& launches, uint32_t rows) {
    for (const Launch& launch : launches) {
        if (auto ok = run(queue, launch, rows); !ok) return ok;
    }
    return {};
}

}  // namespace llmd::compute
