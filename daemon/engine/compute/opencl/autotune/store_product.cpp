#include "engine/compute/opencl/autotune/store_product.h"

#include "engine/compute/opencl/gpu/weight_addressing.h"

namespace llmd::compute::gpu {

using base::Result;

Result<PlaneBuffers> make_planes(DeviceQueue& queue, std::string_view what, Layout layout,
                                 const std::array<std::vector<std::byte>, kPlanes.size()>& contents, bool image) {
    const auto upload = [&](const std::vector<std::byte>& content) -> Result<ClBuffer> {
        auto buffer = queue.allocate_scratch(what, content.size());
        if (!buffer) return buffer;
        if (auto ok = queue.upload(*buffer, 0, content); !ok) return ok.error();
        return buffer;
    };
    if (!image) {
        std::vector<std::byte> all;
        for (const auto& content : contents) all.insert(all.end(), content.begin(), content.end());
        auto probe = WindowProbe::create(queue);
        if (!probe) return probe.error();
        return probe->make_in_windows([&]() -> Result<PlaneBuffers> {
            auto buffer = upload(all);
            if (!buffer) return buffer.error();
            PlaneBuffers one;
            one[0] = std::move(*buffer);
            return one;
        });
    }
    PlaneBuffers planes;
    for (size_t p = 0; p < kPlanes.size(); ++p) {
        if (contents[p].empty()) continue;
        auto plane = upload(contents[p]);
        if (!plane) return plane.error();
        const uint64_t texels = contents[p].size() / plane_format(layout, kPlanes[p], true).element_bytes;
        plane = queue.image_of(*plane, texel_format(layout, kPlanes[p]), texels);
        if (!plane) return plane.error();
        planes[p] = std::move(*plane);
    }
    return planes;
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

}  // namespace llmd::compute::gpu
