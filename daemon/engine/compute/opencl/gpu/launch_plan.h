// The launches of a decoder, recorded once: kernels with their arguments set. What changes from step to
// step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/gpu/gpu_weights.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/compute/opencl/runtime/step_exchange.h"

namespace llmd::compute::gpu {

// A kernel with all its arguments set. A work-group computes `batch_rows` rows of a batch together; those of the grid's
// last work-groups that no row stands in are computed too and never used.
struct LaunchChoice {
    ClKernel kernel;
    uint32_t batch_rows = 1;
    uint32_t groups = 1;  // the grid's first dimension
    uint32_t group_items = kGroupItems;
    uint32_t spread_rows = 0;  // rows up to which several of its work-groups are better than one of a wider one
};

// One computation in all its choices, by rising batch_rows, the first with one.
struct Launch {
    std::vector<LaunchChoice> choices;

    // The narrowest choice that takes `rows` at once or well enough, else the widest.
    const LaunchChoice& for_rows(uint32_t rows) const {
        const auto fits = [rows](const LaunchChoice& choice) {
            return std::max(choice.batch_rows, choice.spread_rows) >= rows;
        };
        const auto found = std::find_if(choices.begin(), choices.end(), fits);
        return found == choices.end() ? choices.back() : *found;
    }
};
using Launches = std::vector<Launch>;

// Runs them one after the other for `rows` rows of a batch.
base::Result<void> run(DeviceQueue& queue, const Launch& launch, uint32_t rows);
base::Result<void> run(DeviceQueue& queue, const Launches& launches, uint32_t rows);

// Where in the buffer of activations each begins, in bytes. Activations have one row for each row of a batch, up to a
// multiple of kMaxBatchRows.
struct Activations {
    uint32_t x = 0;         // [rows][n_embd, padded]
    uint32_t residual = 0;  // quantized activations of x for the next norm, by turns of qkv_value_bytes() and
                            // value_bytes() (KernelChoice)
    uint32_t queries = 0;   // [rows][q_rows]
    uint32_t attended = 0;  // quantized activations
    uint32_t hidden = 0;    // quantized activations

    // Constants.
    std::map<TensorKey, uint32_t> vectors;  // weights of norms and taps, as GpuBackend::arranged() has them
    uint32_t ones = 0;                      // [n_embd, padded with zeros]
    uint32_t rotation = 0;                  // upload_rotations()
    uint32_t rotation_bytes = 0;            // of one rope's table
};

// Device memory beside the weights.
struct Buffers : StepBuffers, KvBuffers {
    ClBuffer activations;
    Activations at;
    ClBuffer partials;      // of attention that is split
    ClBuffer intermediate;  // [rows][GpuWeights::intermediate_width()] what one launch leaves for the next
    ClBuffer summaries;     // sample.cl
    ClBuffer answer;        // [outputs] of the kernel choose
    ClBuffer candidates;    // candidate_words()
};

// The launches of one of decode()'s steps: `launches` one after the other, or, where a step's rows are too long for
// one work-group or a group's heads fill no whole blocks, attention's split and merge in their place.
struct PlannedLaunches {
    Launches launches;
    LaunchChoice split;  // groups of one KV split, which leave partial results for `merge`; no kernel but for attention
    Launch merge;
};

inline constexpr uint32_t kChoiceWords = 4;  // of a summary, a uint4 in sample.cl

// Work-groups of the output matmul: each leaves kChoiceWords words an output in `summaries`.
uint32_t choice_groups(const MatmulWeights& matmul, const KernelChoice& kernel_choice);

struct LaunchPlan {
    std::vector<PlannedLaunches> body;
    Launches head;
    Launch choose, candidates;

    // The weights are complete. The plan refers to them and to the buffers. DeviceError names what the GPU cannot do.
    static base::Result<LaunchPlan> bind(Kernels& kernels, const KernelChoice& kernel_choice,
                                         const model::DecoderSpec& spec, const BackendLimits& limits,
                                         const GpuWeights& weights, const Buffers& buffers);
};

}  // namespace llmd::compute::gpu
