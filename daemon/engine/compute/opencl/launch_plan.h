// Every launch of a step, bound once: the kernels of the model's verbs with their arguments set. What changes from step
// to step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read. They exist
// once however many steps are in flight: the queue is in order, and a second plan would cost some drivers the memory of
// every kernel again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/compute/opencl/device_weights.h"
#include "engine/compute/opencl/kernel_set.h"
#include "engine/compute/opencl/launch.h"
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
