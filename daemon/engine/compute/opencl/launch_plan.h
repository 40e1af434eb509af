// Every launch of a step, bound once: the kernels of the model's verbs with their arguments set. What changes from step
// to step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read. They exist
// once however many steps are in flight: the queue is in order, and a second plan would cost some drivers the memory of
// every kernel again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/compute/opencl/device_weights.h"
#include "engine/compute/opencl/kernel_set.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

// Device memory beside the weights. Activations have one row for each row of a batch, up to a multiple of
// kMaxColumns.
struct DeviceBuffers {
    ClBuffer step;               // the batch (common.cl)
    ClBuffer page_tables;        // [slot][pages of a context]
    ClBuffer rotation;           // [position][n_rot / 2] (cos, sin)
    ClBuffer x;                  // [rows][n_embd]
    ClBuffer normed;             // [rows][n_embd]
    ClBuffer qkv;                // [rows][q_rows + 2 kv_rows]
    ClBuffer attended;           // [rows][q_rows]
    ClBuffer hidden;             // [rows][n_ff]
    ClBuffer logits;             // [outputs][n_vocab]
    ClBuffer requests;           // sample_exchange.h
    ClBuffer answer;             // sample_exchange.h
    ClBuffer sampled;            // [slot] the id sampled last, -1 where there was none
    std::vector<ClBuffer> keys;  // of each layer; layouts in rope_kv.cl
    std::vector<ClBuffer> values;
};

// More rows than a batch can have.
inline constexpr uint32_t kWholeBatch = 1u << 16;

// A kernel with all its arguments set. A work-group computes `columns` rows of a batch together; those of the grid's
// last work-groups that no row stands in are computed too and never used.
struct LaunchVariant {
    ClKernel kernel;
    uint32_t columns = 1;
    uint32_t groups = 1;  // the grid's first dimension
    uint32_t group_items = kGroupItems;
};

// One computation in all its variants, by rising columns, the first with one.
struct Launch {
    std::vector<LaunchVariant> variants;

    // The narrowest variant that takes `rows` at once, else the widest.
    const LaunchVariant& for_rows(uint32_t rows) const {
        const auto fits = [rows](const LaunchVariant& variant) { return variant.columns >= rows; };
        const auto found = std::find_if(variants.begin(), variants.end(), fits);
        return found == variants.end() ? variants.back() : *found;
    }
};
using Launches = std::vector<Launch>;

struct LayerLaunches {
    Launches norm_qkv, attend, attend_output, norm_up, down;
};

struct LaunchPlan {
    Launches embed, head, sample;
    std::vector<LayerLaunches> layers;

    // ModelLoadFailed names a tensor that was not uploaded. The plan refers to the weights and buffers.
    static base::Result<LaunchPlan> bind(const DeviceQueue& queue, KernelSet& kernels, const model::ModelConfig& config,
                                         const DeviceWeights& weights, const DeviceBuffers& buffers);
};

}  // namespace llmd::compute
