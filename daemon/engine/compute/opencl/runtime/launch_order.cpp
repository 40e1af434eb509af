#include "engine/compute/opencl/runtime/launch_order.h"

#include <algorithm>
#include <vector>

#include "kernel_sources.h"

namespace llmd::compute {

using base::Result;

namespace {

constexpr uint32_t kChainSize = 16 * 1024;
constexpr uint32_t kChainLinks = 32;  // even: the result is in the first buffer

}  // namespace

Result<bool> launches_are_ordered(DeviceQueue& queue) {
    auto program = queue.build("chain", {kernels::kChainCl}, base::concat("-DCHAIN_SIZE=", kChainSize));
    if (!program) return program.error();
    std::vector<uint32_t> values(kChainSize, 0);
    ClBuffer buffers[2];
    ClKernel kernels[2];
    for (int i = 0; i < 2; ++i) {
        auto buffer = queue.allocate_scratch("the self-test", kChainSize * sizeof(uint32_t));
        if (!buffer) return buffer.error();
        buffers[i] = std::move(*buffer);
        if (auto ok = queue.upload(buffers[i], 0, std::as_bytes(std::span(values))); !ok) return ok.error();
        auto kernel = make_kernel(*program, "chain");
        if (!kernel) return kernel.error();
        kernels[i] = std::move(*kernel);
    }
    for (int i = 0; i < 2; ++i) {
        if (auto ok = set_args(kernels[i], buffers[i], buffers[1 - i]); !ok) return ok.error();
    }
    for (uint32_t link = 0; link < kChainLinks; ++link) {
        if (auto ok = queue.launch(kernels[link % 2], kChainSize / kGroupItems, 1); !ok) return ok.error();
    }
    if (auto ok = queue.read(buffers[0], 0, std::as_writable_bytes(std::span(values))); !ok) return ok.error();
    return std::all_of(values.begin(), values.end(), [](uint32_t v) { return v == kChainLinks; });
}

}  // namespace llmd::compute
