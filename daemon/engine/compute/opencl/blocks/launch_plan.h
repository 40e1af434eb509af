// Every launch of a step, bound once: the kernels of the model's verbs with their arguments set. What changes from step
// to step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read. They exist
// once however many steps are in flight: the queue is in order, and a second plan would cost some drivers the memory of
// every kernel again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/blocks/block_weights.h"
#include "engine/compute/opencl/blocks/kernels.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/compute/opencl/kv_buffers.h"
#include "engine/compute/opencl/launch.h"
#include "engine/compute/opencl/step_exchange.h"
#include "engine/model/model_config.h"

namespace llmd::compute::blocks {

// Device memory beside the weights. Activations have one row for each row of a batch, up to a multiple of
// kTileColumns.
struct Buffers : StepBuffers, KvBuffers {
    ClBuffer rotation;  // rotary_buffer.h
    ClBuffer x;         // [rows][n_embd]
    ClBuffer normed;    // [rows][n_embd]
    ClBuffer qkv;       // [rows][q_rows + 2 kv_rows]
    ClBuffer attended;  // [rows][q_rows]
    ClBuffer hidden;    // [rows][n_ff]
    ClBuffer packed;    // normed, attended or hidden as pack leaves it; null where no product takes that
    ClBuffer answer;    // sample_exchange.h
};

struct LayerLaunches {
    Launches norm_qkv, attend, attend_output, norm_up, down;
};

struct LaunchPlan {
    Launches embed, head, sample;
    std::vector<LayerLaunches> layers;

    // ModelLoadFailed names a tensor that was not uploaded. The plan refers to the weights and buffers.
    static base::Result<LaunchPlan> bind(const DeviceQueue& queue, Kernels& kernels, const model::ModelConfig& config,
                                         const BlockWeights& weights, const Buffers& buffers);
};

}  // namespace llmd::compute::blocks
