// Tests whether a device computes what the kernels should, with a model's own rows before it is loaded: drivers for
// small GPUs have been wrong. Thread-bound, as DeviceQueue.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/decoder_spec.h"

namespace llmd::compute::gpu {

// A sum may be off by so much of the sum of its products' magnitudes. What rounds is a multiply-add a block and a few
// of 2^-24 within it; a wrong bit in a weight gives more.
inline constexpr double kMatmulTolerance = 4e-6;

// A launch that is tested.
struct MatmulTest {
    uint32_t batch_rows = 1;
    KernelConfig config;

    bool operator==(const MatmulTest&) const = default;
};

// The kernels that are tested with a probe, by rising batch rows.
struct ProbeTest {
    const ProbeMatrix* probe = nullptr;
    std::vector<MatmulTest> kernels;  // for every number of K splits one of one batch row
    bool image = false;               // whether weights are to be read through images
};

// Builds a kernel for a probe with the Store epilogue, without norm and bias.
using MatmulBuilder =
    std::function<base::Result<ClKernel>(const ProbeMatrix& probe, const MatmulTest& test, bool image)>;
// Is called before each kernel is built; false gives up: Cancelled.
using Tick = std::function<bool()>;

struct SelfTestResult {
    KernelConfigs configs;
    std::vector<std::string> notes;  // what is not used, and why; empty: everything works
};

// Checks that two kernels gave the same bits in all rows whose sums are finite. DeviceError has the values that differ.
base::Result<void> check_same(const ProbeMatrix& probe, std::span<const float> got, std::span<const float> expected);

// Compares kernels of one batch row with the host's sums, and kernels of more with those of one, bit for bit. Where
// images give something else, pointers are tested; where more batch rows do, fewer are left. DeviceError names the
// kernel when nothing is left. A row whose sum is not finite is passed over: the file, not the device, is to blame.
base::Result<SelfTestResult> test_matmuls(DeviceQueue& queue, std::span<const ProbeTest> tests,
                                          const MatmulBuilder& build, const Tick& tick);

// A probe of a model's matrix on the device, to run matmul kernels on. Borrows the queue and the probe.
class ProbeMatmul {
public:
    // `image`: weights are read through images. Errors are the queue's.
    static base::Result<ProbeMatmul> create(DeviceQueue& queue, const ProbeMatrix& probe, bool image);

    // Gives [vector][row] of all the probe's vectors, by a kernel of such a shape and number of batch rows with the
    // Store epilogue, without norm and bias. What the kernel does not write is NaN.
    base::Result<std::vector<float>> multiply(const ClKernel& kernel, const MatmulShape& shape, uint32_t batch_rows);

private:
    ProbeMatmul(DeviceQueue& queue, const ProbeMatrix& probe) : queue_(&queue), probe_(&probe) {}

    DeviceQueue* queue_;
    const ProbeMatrix* probe_;
    StoreMatmul matmul_;
};

// The self-test of attention compares one sequence of pseudo-random keys and values with the host's double-precision
// sums: rows at the positions kCheckedPositions, where the context has them, through the kernel that walks all KV
// splits and through the kernels for one split and for merging. DeviceError names the kernel that gives a wrong sum, or
// other bits than the other way.
base::Result<void> check_attention(DeviceQueue& queue, Kernels& kernels, const KernelChoice& kernel_choice,
                                   const model::LayerSpec& layer, const BackendLimits& limits);

inline constexpr std::array<uint32_t, 4> kCheckedPositions = {0, 37, 255, 300};

}  // namespace llmd::compute::gpu
