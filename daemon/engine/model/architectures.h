// The architectures that llmd runs, one row each, and the reading of a model file's keys into a DecoderSpec.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"
#include "engine/model/key_reader.h"

namespace llmd::model {

// Which layers see only the last positions, by attention.sliding_window.
enum class Windows : uint8_t {
    None,
    All,       // every layer with attention
    Periodic,  // all but the last of every window_period, unless attention.sliding_window_pattern says which
};

// How the layers with a window are rotated.
enum class LocalRope : uint8_t {
    Shared,    // as the others
    Scaled,    // as the others, with a base that may be their own
    Unscaled,  // with a base of their own and neither factor nor YaRN; rope.scaling.attn_factor holds for them too
    Plain,     // with a base that may be their own and nothing else
};

// The properties that an architecture's name implies; the numbers are in the file's keys.
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
    Windows windows = Windows::None;
    uint32_t window_period = 0;
    LocalRope local_rope = LocalRope::Shared;
    float local_theta = 0;               // default of the base of Scaled, Unscaled and Plain; 0: that of the others
    bool unrotated_globals = false;      // beside layers with a window those without one are not rotated
    uint32_t window = 0;                 // default of the window; 0: there is none without the key
    uint32_t window_default_layers = 0;  // only a model of so many layers has that default; 0: all have
    bool scales_embedding = false;       // by the root of its width
    // Defaults of keys that are then read; 0: the architecture ignores the key.
    float score_cap = 0;
    bool reads_logit_cap = false;
    float logit_cap = 0;             // its default; 0: there is none
    uint32_t wide_scale_layers = 0;  // a model of so many layers scales scores by n_embd / n_heads, not by head_dim
    // The frequencies' divisors rope_factors_long and rope_factors_short are used without rope.scaling.type too.
    bool implies_longrope = false;
    // Keys that llama.cpp reads in these architectures only.
    bool reads_scales = false;       // embedding_scale, residual_scale, logit_scale
    bool is_granite = false;         // attention.scale too, and no rotation without rope.scaling.finetuned
    bool reads_multiplier = false;   // the multiplier of YaRN's magnitude
    bool reads_alpha = false;        // rope.scaling.alpha, which makes the base greater
    bool reads_temperature = false;  // of queries
};

std::span<const Architecture> architectures();

// "gpt2, llama, qwen2, …"
std::string architecture_names(std::span<const Architecture> known = architectures());

// Reads every key of the file's architecture. ModelLoadFailed names the key and its value: an unknown architecture, a
// number out of range, heads that do not divide, an unknown rope scaling (by its name), a key that may change what the
// model computes and that is not read (KeyReader::check_all_read), and so on. `report`, if it is not null, becomes what
// was read.
base::Result<DecoderSpec> read_decoder_spec(const Gguf& gguf, std::span<const Architecture> known = architectures(),
                                            KeyReport* report = nullptr);

}  // namespace llmd::model
