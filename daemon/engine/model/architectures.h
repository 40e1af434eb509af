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
    uint32_t unrotated_period = 0;  // every so many layers the last one is not rotated; 0: all are
    // Keys that other architectures ignore, as llama.cpp does.
    bool reads_scales = false;        // embedding_scale, residual_scale, logit_scale
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
