// Kernels that are ready to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute {

// More rows than a batch can have.
inline constexpr uint32_t kWholeBatch = 1u << 16;

// A kernel with all its arguments set. A work-group computes `columns` rows of a batch together; those of the grid's
// last work-groups that no row stands in are computed too and never used. Without a kernel there is nothing to do.
struct LaunchVariant {
    ClKernel kernel;
    uint32_t columns = 1;
    uint32_t groups = 1;  // the grid's first dimension
    uint32_t group_items = kGroupItems;
    uint32_t spread_rows = 0;  // rows up to which several of its work-groups are better than one of a wider variant
};

// One computation in all its variants, by rising columns, the first with one.
struct Launch {
    std::vector<LaunchVariant> variants;

    // The narrowest variant that takes `rows` at once or well enough, else the widest.
    const LaunchVariant& for_rows(uint32_t rows) const {
        const auto fits = [rows](const LaunchVariant& variant) {
            return std::max(variant.columns, variant.spread_rows) >= rows;
        };
        const auto found = std::find_if(variants.begin(), variants.end(), fits);
        return found == variants.end() ? variants.back() : *found;
    }
};
using Launches = std::vector<Launch>;

// Runs them one after the other for `rows` rows of a batch.
base::Result<void> run(DeviceQueue& queue, const Launch& launch, uint32_t rows);
base::Result<void> run(DeviceQueue& queue, const Launches& launches, uint32_t rows);

}  // namespace llmd::compute
