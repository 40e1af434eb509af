// Every launch of a step, bound once: the kernels of the model's verbs with their arguments set. What changes from step
// to step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/kv_buffers.h"
#include "engine/compute/opencl/launch.h"
#include "engine/compute/opencl/packed/kernels.h"
#include "engine/compute/opencl/packed/packed_weights.h"
#include "engine/compute/opencl/packed/variants.h"
#include "engine/compute/opencl/step_exchange.h"
#include "engine/model/model_config.h"

namespace llmd::compute::packed {

// Device memory beside the weights. Activations have one row for each row of a batch, up to a multiple of kMaxColumns.
struct Buffers : StepBuffers, KvBuffers {
    ClBuffer rotation;    // rotary_buffer.h
    ClBuffer x;           // [rows][n_embd, padded]
    ClBuffer residual;    // records of x for the next norm
    ClBuffer queries;     // [rows][q_rows]
    ClBuffer partials;    // of attention that is split
    ClBuffer attended;    // records
    ClBuffer gate;        // [rows][n_ff, padded], where gate and up lie apart
    ClBuffer hidden;      // records
    ClBuffer summaries;   // choice.cl
    ClBuffer answer;      // [outputs] of choose.cl
    ClBuffer candidates;  // sample_exchange.h
};

struct LayerLaunches {
    Launches norm_qkv;
    Launch attend;               // writes records; no variants where a group's heads fill no whole blocks
    LaunchVariant attend_split;  // groups of one chunk; leaves partial results for merge
    Launch merge;
    Launches attend_output, norm_up, down;
};

inline constexpr uint32_t kEmbedColumns = 8 * kGroupItems;  // EMBED_COLUMNS in embed.cl
inline constexpr uint32_t kMergeColumns = 4 * kGroupItems;  // MERGE_COLUMNS in merge.cl
inline constexpr uint32_t kChoiceWords = 4;                 // of a summary in choice.cl
inline constexpr uint32_t kAnswerWords = 4;                 // ANSWER_WORDS in choose.cl

// Work-groups of the output product: each leaves kChoiceWords words an output in `summaries`.
uint32_t choice_groups(const PackedProduct& product, const Variants& variants);

struct LaunchPlan {
    Launches embed, head;
    Launch choose, candidates;
    std::vector<LayerLaunches> layers;

    // The weights are complete. The plan refers to them and to the buffers.
    static base::Result<LaunchPlan> bind(const DeviceQueue& queue, Kernels& kernels, const Variants& variants,
                                         const model::ModelConfig& config, const BackendLimits& limits,
                                         const PackedWeights& weights, const Buffers& buffers);
};

}  // namespace llmd::compute::packed
