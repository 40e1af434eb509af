// Finds out about a device what a model needs to know before its weights go there: whether the kernels that this model
// will use compute what they should (self_test.h), and which of those that give the same bits are the fastest
// (autotuner.h). Both are remembered in one file (kernel_config_cache.h) for this device, driver, kernel set and model
// shape, so they cost once; without the file they are found out again. Where the process ended in a kernel that was
// timed, the usual kernels are on record. The numeric fingerprint depends on one of the findings: whether the dot core
// is used. Thread-bound, as DeviceQueue.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/autotune/self_test.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute::gpu {

struct Model {
    const model::DecoderSpec& spec;
    const BackendLimits& limits;
    std::span<const model::Weight> weights;  // all
    const std::set<MatmulKind>& kinds;       // of their matmuls
    const std::set<Layout>& images;          // layouts that are usually read through images
    const std::set<Layout>& free_images;     // layouts that give the same bits through images and without
};

// A matmul of fewer bytes is not worth tuning: its launch takes longer than its reading.
inline constexpr uint64_t kLeastTunedBytes = 64u << 10;

// `kernel_choice` is the one without any findings, and has no dot core afterwards where the device fails with it and
// not without. Tunes for queue.tuning_budget() at most, and only where every kernel passes. DeviceError names the
// kernel that leaves nothing to compute with; the error is Cancelled when `on_preparation` gives up, and the queue's
// otherwise.
base::Result<SelfTestResult> prepare(DeviceQueue& queue, KernelChoice& kernel_choice, const Model& model,
                                     const OnPreparation& on_preparation);

// Returns what `attempt` finds with `kernel_choice`. Where that is a DeviceError and `kernel_choice` has the dot core,
// `kernel_choice` gives it up and `attempt` is made once more; a note then says why, or its DeviceError names both.
// That is found out anew at each load.
base::Result<SelfTestResult> with_or_without_dot(
    KernelChoice& kernel_choice, const std::function<base::Result<SelfTestResult>(const KernelChoice&)>& attempt);

}  // namespace llmd::compute::gpu
