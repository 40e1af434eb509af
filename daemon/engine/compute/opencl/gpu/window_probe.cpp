#include "engine/compute/opencl/gpu/window_probe.h"

#include <vector>

#include "engine/compute/opencl/runtime/cl_error.h"

#include "kernel_sources.h"

namespace llmd::compute::gpu {

using base::Result;

namespace {

constexpr std::string_view kWindowProbe = "the window probe";

using UpperHalves = std::array<uint32_t, 2>;  // of the addresses of the first and the last byte

}  // namespace

Result<WindowProbe> WindowProbe::create(DeviceQueue& queue) {
    WindowProbe probe(queue);
    auto program = queue.build(kWindowProbe, {kernels::kProbeWindowCl}, "");
    if (!program) return program.error();
    auto kernel = make_kernel(*program, "probe_window");
    if (!kernel) return kernel.error();
    probe.kernel_ = std::move(*kernel);
    auto upper = queue.allocate_scratch(kWindowProbe, sizeof(UpperHalves));
    if (!upper) return upper.error();
    probe.upper_ = std::move(*upper);
    return probe;
}

Result<bool> WindowProbe::is_in_window(const ClBuffer& buffer) {
    size_t bytes = 0;
    auto ok =
        cl_check("clGetMemObjectInfo", clGetMemObjectInfo(buffer.get(), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr));
    if (ok) ok = set_args(kernel_, buffer, static_cast<uint32_t>(bytes - 1), upper_);
    if (ok) ok = queue_->launch(kernel_, 1, 1, 1);
    UpperHalves upper{};
    if (ok) ok = queue_->read(upper_, 0, std::as_writable_bytes(std::span(upper)));
    if (!ok) return ok.error();
    return upper[0] == upper[1];
}

Result<PlaneBuffers> WindowProbe::make_in_windows(const MakePlanes& make) {
    std::vector<PlaneBuffers> across;  // held: while they are, no other buffer meets their borders
    while (across.size() < kMostTries) {
        auto planes = make();
        if (!planes) return planes;
        bool all = true;
        for (const ClBuffer& plane : *planes) {
            if (!plane) continue;
            const auto one = is_in_window(plane);
            if (!one) return one.error();
            all = all && *one;
        }
        if (all) return planes;
        across.push_back(std::move(*planes));
    }
    return base::fail(base::ErrorCode::DeviceError, "the device gave buffers across borders of 4 GiB ", kMostTries,
                      " times in a row");
}

}  // namespace llmd::compute::gpu
