#include "engine/compute/opencl/packed/store_product.h"

#include "engine/compute/opencl/packed/images.h"

namespace llmd::compute::packed {

using base::Result;

Result<PlaneBuffers> make_planes(DeviceQueue& queue, std::string_view what, Layout layout,
                                 const std::array<std::vector<std::byte>, kPlanes.size()>& contents, bool image) {
    const auto make = [&]() -> Result<PlaneBuffers> {
        PlaneBuffers planes;
        for (size_t p = 0; p < kPlanes.size(); ++p) {
            const auto& content = contents[p];
            if (content.empty()) continue;
            auto plane = queue.allocate_scratch(what, content.size());
            if (!plane) return plane.error();
            if (auto ok = queue.upload(*plane, 0, content); !ok) return ok.error();
            if (image) {
                const uint64_t texels = content.size() / plane_format(layout, kPlanes[p], true).element_bytes;
                plane = queue.image_of(*plane, texel_format(layout, kPlanes[p]), texels);
                if (!plane) return plane.error();
            }
            planes[p] = std::move(*plane);
        }
        return planes;
    };
    if (image) return make();
    auto probe = WindowProbe::create(queue);
    return probe ? probe->make_in_windows(make) : probe.error();
}

Result<void> set_planes(const ClKernel& kernel, const PlaneBuffers& planes) {
    cl_uint index = 0;
    for (const ClBuffer& plane : planes) {
        if (!plane) continue;
        if (auto ok = set_arg(kernel, index++, plane); !ok) return ok;
    }
    return {};
}

Result<void> StoreProduct::bind(const ClKernel& kernel) const {
    cl_uint index = 0;
    Result<void> set;
    const auto add = [&](const auto& arg) {
        if (set) set = set_arg(kernel, index, arg);
        ++index;
    };
    for (const ClBuffer& plane : planes) {
        if (plane) add(plane);
    }
    add(n_pairs);
    add(n_blocks);
    add(records);
    add(uint32_t{0});  // record_at
    add(record_bytes);
    add(record_columns);
    add(uint32_t{0});  // first_pair
    add(y);
    add(2 * n_pairs);
    return set;
}

Result<void> StoreProduct::launch(DeviceQueue& queue, const ClKernel& kernel, const ProductShape& shape,
                                  uint32_t column_groups) const {
    const uint32_t groups = (n_pairs + shape.group_pairs() - 1) / shape.group_pairs();
    return queue.launch(kernel, groups, column_groups, shape.items());
}

}  // namespace llmd::compute::packed
