// The architectures that llmd runs, one row each, and the reading of a model file's keys into a DecoderSpec.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"

namespace llmd::model {

// What an architecture's name implies; the numbers are in the file's keys.
struct Architecture {
    std::string_view name;  // general.architecture
    Norm norm = Norm::RmsNorm;
    Activation activation = Activation::SwiGlu;
    Rotation rotation = Rotation::Interleaved;  // None: positions are learned
    QkNorm qk_norm = QkNorm::None;
    bool norms_after_rotation = false;
    bool has_pre_norms = true, has_post_norms = false;
    bool has_convolutions = false;  // layers without key/value heads are short convolutions
    uint32_t unrotated_period = 0;  // every so many layers the last one is not rotated; 0: all are
    // Every so many layers all but the last one have a window, unless a key says which; 0: none has.
    uint32_t window_period = 0;
    bool scales_embedding = false;  // by the root of its width
    // Defaults of keys that are then read; 0: the architecture ignores the key.
    uint32_t window = 0;
    float score_cap = 0;
    bool reads_logit_cap = false;
    float logit_cap = 0;             // its default; 0: there is none
    float local_theta = 0;           // base of the frequencies of layers with a window; 0: as the others'
    uint32_t wide_scale_layers = 0;  // a model of so many layers scales scores by n_embd / n_heads, not by head_dim
    // Keys that other architectures ignore, as llama.cpp does.
    bool reads_scales = false;        // embedding_scale, residual_scale, logit_scale
    bool is_granite = false;          // attention.scale too, and no rotation without rope.scaling.finetuned
    bool reads_yarn_details = false;  // the betas and the multiplier of the magnitude
    bool reads_temperature = false;   // of queries
};

std::span<const Architecture> architectures();

// "gpt2, llama, qwen2, …"
std::string architecture_names(std::span<const Architecture> known = architectures());

// ModelLoadFailed names the key and its value: an unknown architecture, a number out of range, heads that do not
// divide, an unknown rope scaling (by its name), and so on.
base::Result<DecoderSpec> read_decoder_spec(const Gguf& gguf, std::span<const Architecture> known = architectures());

}  // namespace llmd::model
