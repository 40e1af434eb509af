// Every launch of a step, bound once: the kernels of the model's verbs with their arguments set. What changes from step
// to step (rows, positions, tokens, pages, sampling requests) lies in small buffers that the kernels read.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/gpu/gpu_weights.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/gpu/launch.h"
#include "engine/compute/opencl/runtime/kv_buffers.h"
#include "engine/compute/opencl/runtime/step_exchange.h"
#include "engine/model/model_config.h"

namespace llmd::compute::gpu {

// Where in the buffer of activations each begins, in bytes. Activations have one row for each row of a batch, up to a
// multiple of kMaxColumns.
struct Activations {
    uint32_t x = 0;         // [rows][n_embd, padded]
    uint32_t residual = 0;  // records of x for the next norm, by turns of qkv_digits() and digits() (Variants)
    uint32_t queries = 0;   // [rows][q_rows]
    uint32_t attended = 0;  // records
    uint32_t hidden = 0;    // records

    // Constants.
    uint32_t norms = 0;  // [2 n_layers + 1][n_embd, padded with zeros]: attention's and feed-forward's, the output's
    uint32_t norm_bytes = 0;  // of each
    uint32_t rotation = 0;    // rotary_buffer.h

    uint32_t attention_norm(uint32_t layer) const {
        return norms + 2 * layer * norm_bytes;
    }  // after the last the output's
    uint32_t feed_forward_norm(uint32_t layer) const { return attention_norm(layer) + norm_bytes; }
};

// Device memory beside the weights.
struct Buffers : StepBuffers, KvBuffers {
    ClBuffer activations;
    Activations at;
    ClBuffer partials;    // of attention that is split
    ClBuffer gate;        // [rows][n_ff, padded], where gate and up lie apart
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
uint32_t choice_groups(const MatmulWeights& product, const Variants& variants);

struct LaunchPlan {
    Launches embed, head;
    Launch choose, candidates;
    std::vector<LayerLaunches> layers;

    // The weights are complete. The plan refers to them and to the buffers.
    static base::Result<LaunchPlan> bind(Kernels& kernels, const Variants& variants, const model::ModelConfig& config,
                                         const BackendLimits& limits, const GpuWeights& weights,
                                         const Buffers& buffers);
};

}  // namespace llmd::compute::gpu
