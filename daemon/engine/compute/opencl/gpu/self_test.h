// Tests whether a device computes what the kernels should, with a model's own rows before it is loaded: drivers for
// small GPUs have been wrong. A pass is remembered in a file for this device, driver, kernel set and model shape, so
// that it costs once; a failure is found again at each load. The numeric fingerprint depends on one of the findings:
// whether the dot core is used. Thread-bound, as DeviceQueue.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/gpu/probe_matrix.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute::gpu {

// A sum may be off by so much of the sum of its products' magnitudes. What rounds is a multiply-add a block and a few
// of 2^-24 within it; a wrong bit in a weight gives more.
inline constexpr double kMatmulTolerance = 4e-6;

struct SelfTestResult {
    SoundKernels sound;
    std::vector<std::string> notes;  // what is not used, and why; empty: everything works
};

struct Model {
    const model::DecoderSpec& spec;
    const BackendLimits& limits;
    std::span<const model::Weight> weights;  // all
    const std::set<MatmulKind>& kinds;       // of their matmuls
    const std::set<Layout>& images;          // layouts that are to be read through images
};

// `kernel_choice` is the one without any findings, and has no dot core afterwards where the device fails with it and
// not without. DeviceError names the kernel that leaves nothing to compute with; the error is Cancelled when `goes_on`,
// which is asked before each kernel, gives up, and the queue's otherwise.
base::Result<SelfTestResult> self_test(DeviceQueue& queue, KernelChoice& kernel_choice, const Model& model,
                                       const GoesOn& goes_on);

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

// Compares kernels of one batch row with the host's sums, and kernels of more with those of one, bit for bit. Where
// images give something else, pointers are tested; where more batch rows do, fewer are left. DeviceError names the
// kernel when nothing is left. A row whose sum is not finite is passed over: the file, not the device, is to blame.
base::Result<SelfTestResult> test_matmuls(DeviceQueue& queue, std::span<const ProbeTest> tests,
                                          const MatmulBuilder& build, const GoesOn& goes_on);

// Returns what `attempt` finds with `kernel_choice`. Where that is a DeviceError and `kernel_choice` has the dot core,
// `kernel_choice` gives it up and `attempt` is made once more; a note then says why, or its DeviceError names both.
base::Result<SelfTestResult> with_or_without_dot(
    KernelChoice& kernel_choice, const std::function<base::Result<SelfTestResult>(const KernelChoice&)>& attempt);

// The self-test of attention compares one sequence of pseudo-random keys and values with the host's double-precision
// sums: rows at the positions kCheckedPositions, where the context has them, through the kernel that walks all KV
// splits and through the kernels for one split and for merging. DeviceError names the kernel that gives a wrong sum, or
// other bits than the other way.
base::Result<void> check_attention(DeviceQueue& queue, Kernels& kernels, const KernelChoice& kernel_choice,
                                   const model::LayerSpec& layer, const BackendLimits& limits);

inline constexpr std::array<uint32_t, 4> kCheckedPositions = {0, 37, 255, 300};

}  // namespace llmd::compute::gpu
