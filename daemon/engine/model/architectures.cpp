#include "engine/model/architectures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "engine/model/gguf.h"

namespace llmd::model {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
using Limits = DecoderSpecLimits;

// The computations of src/models/ of llama.cpp (build 11669) under these names.
constexpr Architecture kArchitectures[] = {
    {.name = "gpt2", .norm = Norm::LayerNorm, .activation = Activation::Gelu, .rotation = Rotation::None},
    {.name = "llama"},
    {.name = "qwen2", .rotation = Rotation::HalfSplit},
    {.name = "qwen3", .rotation = Rotation::HalfSplit, .qk_norm = QkNorm::Head},
    {.name = "gemma2",
     .activation = Activation::GeGlu,
     .rotation = Rotation::HalfSplit,
     .has_post_norms = true,
     .windows = Windows::Periodic,
     .window_period = 2,
     .local_rope = LocalRope::Scaled,
     .window = 4096,
     .scales_embedding = true,
     .score_cap = 50,
     .reads_logit_cap = true,
     .logit_cap = 30,
     .wide_scale_layers = 46},
    {.name = "gemma3",
     .activation = Activation::GeGlu,
     .rotation = Rotation::HalfSplit,
     .qk_norm = QkNorm::Head,
     .has_post_norms = true,
     .windows = Windows::Periodic,
     .window_period = 6,
     .local_rope = LocalRope::Unscaled,
     .local_theta = 10000,
     .scales_embedding = true,
     .reads_logit_cap = true,
     .wide_scale_layers = 62},
    {.name = "arcee", .activation = Activation::ReluSquared},
    {.name = "ernie4_5"},
    {.name = "exaone4",
     .rotation = Rotation::HalfSplit,
     .qk_norm = QkNorm::Head,
     .has_pre_norms = false,
     .has_post_norms = true,
     .windows = Windows::Periodic,
     .window_period = 4,
     .unrotated_globals = true,
     .window = 4096,
     .window_default_layers = 64},
    {.name = "granite", .reads_scales = true, .is_granite = true},
    {.name = "hunyuan-dense",
     .rotation = Rotation::HalfSplit,
     .qk_norm = QkNorm::Head,
     .norms_after_rotation = true,
     .reads_alpha = true},
    {.name = "lfm2",
     .rotation = Rotation::HalfSplit,
     .qk_norm = QkNorm::Head,
     .has_convolutions = true,
     .windows = Windows::All},
    {.name = "minicpm", .reads_scales = true},
    {.name = "mistral3", .reads_multiplier = true, .reads_temperature = true},
    {.name = "olmo2",
     .rotation = Rotation::HalfSplit,
     .qk_norm = QkNorm::Row,
     .has_pre_norms = false,
     .has_post_norms = true,
     .windows = Windows::Periodic,
     .window_period = 4,
     .local_rope = LocalRope::Plain},
    {.name = "phi3", .rotation = Rotation::HalfSplit, .windows = Windows::All, .implies_longrope = true},
    {.name = "smollm3", .unrotated_period = 4},
};

void read_heads(KeyReader& keys, uint32_t n_embd, uint32_t n_layers, LayerSpec& layer,
                std::optional<uint32_t> n_kv_heads) {
    layer.n_heads = keys.number_of_all_layers("attention.head_count", n_layers, 1, Limits::kMaxHeads);
    layer.n_kv_heads = n_kv_heads ? *n_kv_heads
                                  : keys.number_of_all_layers("attention.head_count_kv", n_layers, 1, Limits::kMaxHeads,
                                                              layer.n_heads);
    if (keys.error()) return;
    if (layer.n_heads % layer.n_kv_heads != 0) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.head_count"), " is ", layer.n_heads,
                       ", not a multiple of attention.head_count_kv ", layer.n_kv_heads));
        return;
    }
    const std::string_view key_length = keys.present({"attention.key_length", "attention.head_dim"});
    if (keys.has(key_length)) {
        layer.head_dim = keys.number(key_length, 1, Limits::kMaxHeadDim);
    } else if (n_embd % layer.n_heads == 0) {
        layer.head_dim = n_embd / layer.n_heads;
    } else {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("embedding_length"), " is ", n_embd,
                       ", not a multiple of attention.head_count ", layer.n_heads));
        return;
    }
    if (layer.head_dim % 4 != 0 || layer.head_dim > Limits::kMaxHeadDim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.key_length"), ": heads of ", layer.head_dim,
                       " are not supported (a multiple of 4 up to ", Limits::kMaxHeadDim, " is)"));
    }
    const uint32_t value_dim = keys.number("attention.value_length", 1, Limits::kMaxHeadDim, layer.head_dim);
    if (value_dim != layer.head_dim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.value_length"), " is ", value_dim,
                       ", but the keys of a head have ", layer.head_dim));
    }
    if (uint64_t{layer.n_heads} * layer.head_dim > Limits::kMaxWidth) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.head_count"), ": ", layer.n_heads, " heads of ",
                       layer.head_dim, " are wider than ", Limits::kMaxWidth));
    }
}

// The layers that are short convolutions.
struct Convolutions {
    uint32_t taps = 0;                   // 0: there are none
    std::vector<bool> is_one;            // by layer
    std::optional<uint32_t> n_kv_heads;  // of the other layers
};

// attention.head_count_kv is an array, one number a layer: 0 of a convolution, the same of all others.
Convolutions read_convolutions(KeyReader& keys, const Architecture& row, uint32_t n_layers) {
    Convolutions read;
    if (!row.has_convolutions || keys.error()) return read;
    const std::string heads = keys.key("attention.head_count_kv");
    const auto listed = keys.numbers_of_layers("attention.head_count_kv", n_layers);
    if (listed.empty()) return read;
    for (const int32_t n : listed) {
        read.is_one.push_back(n == 0);
        if (n == 0) continue;
        if (n < 0 || static_cast<uint32_t>(n) > Limits::kMaxHeads ||
            static_cast<uint32_t>(n) != read.n_kv_heads.value_or(static_cast<uint32_t>(n))) {
            keys.keep(fail(ErrorCode::ModelLoadFailed, heads, " has ", n,
                           ", which is not supported (0 for a convolution and one number up to ", Limits::kMaxHeads,
                           " for all other layers are)"));
            return read;
        }
        read.n_kv_heads = static_cast<uint32_t>(n);
    }
    const auto n_convolutions = std::count(read.is_one.begin(), read.is_one.end(), true);
    if (n_convolutions == 0 || n_convolutions == n_layers) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, heads, " is 0 in ", n_convolutions, " of ", n_layers,
                       " layers: models of attention alone, or of convolutions alone, are not supported"));
    }
    read.taps = keys.number("shortconv.l_cache", 2, Limits::kMaxTaps);
    return read;
}

LayerSpec convolution(const LayerSpec& attention, const Convolutions& convolutions, const DecoderSpec& spec) {
    LayerSpec layer;
    layer.mixer = Mixer::Convolution;
    layer.n_heads = 1;
    layer.n_kv_heads = 1;
    layer.head_dim = spec.n_embd;
    layer.n_ff = attention.n_ff;
    layer.window = convolutions.taps;
    return layer;
}

void leave_unrotated(LayerSpec& layer) {
    layer.rotation = Rotation::None;
    layer.n_rot = 0;
}

float read_magnitude(KeyReader& keys) {
    constexpr float kLeast = 0.01f, kMost = 100;
    return keys.real("rope.scaling.attn_factor", kLeast, kMost, 1.0f);
}

// YaRN as Peng et al. 2023 define it, with the magnitude that DeepSeek-V2 made of it (llama.cpp, src/llama-context.cpp;
// transformers, modeling_rope_utils.py). llama.cpp reads the two betas for mistral3 alone; transformers uses them
// wherever a config.json has them. Ollama's converter has other names for them and for the multiplier.
void read_yarn(KeyReader& keys, const Architecture& row, float factor, DecoderSpec& spec) {
    Rope& rope = spec.ropes[0];
    Yarn& yarn = rope.yarn.emplace();
    yarn.original_context =
        keys.number("rope.scaling.original_context_length", 1, Limits::kMaxContext, spec.n_ctx_train);
    rope.factor = factor;
    constexpr float kLeastBeta = 0.01f, kMaxBeta = 1e4f, kMaxMultiplier = 100;
    yarn.beta_fast = keys.real(keys.present({"rope.scaling.yarn_beta_fast", "rope.scaling.beta_fast"}), kLeastBeta,
                               kMaxBeta, yarn.beta_fast);
    yarn.beta_slow = keys.real(keys.present({"rope.scaling.yarn_beta_slow", "rope.scaling.beta_slow"}), kLeastBeta,
                               kMaxBeta, yarn.beta_slow);
    keys.real(keys.present({"rope.scaling.yarn_ext_factor", "rope.scaling.extrapolation_factor"}), 1, 1, 1.0f);
    float multiplier = 0;
    if (row.reads_multiplier) {
        multiplier = keys.real(keys.present({"rope.scaling.yarn_log_multiplier", "rope.scaling.mscale_all_dim"}), 0,
                               kMaxMultiplier, multiplier);
        keys.real("rope.scaling.mscale", 1, 1, 1.0f);
    }
    const auto magnitude = [factor](float k) { return 1 + 0.1f * k * std::log(factor); };
    const float scaled = magnitude(1) / magnitude(multiplier);
    rope.magnitude *= scaled;
    // Both peers compute the magnitude from the factor where a config.json says attn_factor, and so they do here, as
    // long as the key says that or 1; what a model with another value computes depends on who runs it.
    constexpr std::string_view kMagnitude = "rope.scaling.yarn_attn_factor";
    constexpr float kMostMagnitude = 100, kTolerance = 1e-3f;
    const float said = keys.real(kMagnitude, 0, kMostMagnitude, scaled);
    if (said != 1 && std::fabs(said - scaled) > kTolerance) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key(kMagnitude), " is ", said,
                       ", which is not supported (1 and that of the factor, ", scaled, ", are)"));
    }
}

// LongRoPE (DecoderSpec::longrope_context). Phi's converter writes no scaling type beside the two tensors, and
// MiniCPM4's no original context.
void read_longrope(KeyReader& keys, const Gguf& gguf, const Architecture& row, std::string_view scaling, float factor,
                   DecoderSpec& spec) {
    const bool has_factors =
        gguf.tensor("rope_factors_long.weight") != nullptr || gguf.tensor("rope_factors_short.weight") != nullptr;
    if (scaling != "longrope" && !(row.implies_longrope && has_factors)) return;
    spec.longrope_context =
        keys.number("rope.scaling.original_context_length", 1, Limits::kMaxContext, spec.n_ctx_train);
    if (scaling == "longrope" && factor != 1) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("rope.scaling.factor"), " is ", factor,
                       ", which is not supported together with longrope"));
    }
}

// rope_freqs.weight, LLaMA 3's scaling, is a tensor: see Role::RopeFactors.
void read_rope(KeyReader& keys, const Gguf& gguf, const Architecture& row, DecoderSpec& spec, LayerSpec& layer) {
    layer.n_rot = keys.number("rope.dimension_count", 2, Limits::kMaxHeadDim, layer.head_dim);
    if (layer.n_rot % 2 != 0 || layer.n_rot > layer.head_dim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("rope.dimension_count"), " is ", layer.n_rot,
                       ", not an even number up to the head's ", layer.head_dim));
    }
    Rope& rope = spec.ropes[0];
    rope.theta =
        keys.real(keys.present({"rope.freq_base", "rope.global.freq_base"}), 1, Limits::kMaxRopeTheta, 10000.0f);
    constexpr float kMaxAlpha = 1e6f;
    if (const float alpha = row.reads_alpha ? keys.real("rope.scaling.alpha", 0, kMaxAlpha, 0.0f) : 0; alpha > 0) {
        // llama.cpp, src/models/hunyuan-vl.cpp.
        const auto dim = static_cast<float>(layer.head_dim);
        rope.theta = std::min(rope.theta * std::pow(alpha, dim / (dim - 2)), Limits::kMaxRopeTheta);
    }
    // Files from before rope.scaling.type have rope.scale_linear alone.
    const float factor =
        keys.real(keys.present({"rope.scaling.factor", "rope.scale_linear"}), 1, Limits::kMaxRopeFactor, 1.0f);
    const std::string_view scaling = keys.text("rope.scaling.type", "linear");
    rope.magnitude = read_magnitude(keys);
    if (scaling == "linear") {
        rope.factor = factor;
    } else if (scaling == "yarn") {
        read_yarn(keys, row, factor, spec);
    } else if (scaling != "longrope" && scaling != "none") {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("rope.scaling.type"), " is ", in_quotes(scaling),
                       ", which is not supported (none, linear, yarn and longrope are)"));
    }
    read_longrope(keys, gguf, row, scaling, factor, spec);
}

// Reads what multiplies embeddings, what layers add, and logits. MiniCPM's files before these keys mean 12, 1.4 /
// sqrt(layers) and, as its converter writes it, a division of the logits by n_embd / 256. Granite's without them mean
// 1, and must have the last.
void read_scales(KeyReader& keys, const Architecture& row, uint32_t n_layers, DecoderSpec& spec) {
    constexpr float kLeast = 1e-6f, kMost = 1e6f;
    if (row.is_granite) {
        spec.embedding_scale = keys.real("embedding_scale", kLeast, kMost, 1.0f);
        spec.residual_scale = keys.real("residual_scale", kLeast, kMost, 1.0f);
        spec.logit_scale = 1 / keys.real("logit_scale", kLeast, kMost);
        return;
    }
    spec.embedding_scale = keys.real("embedding_scale", kLeast, kMost, 12.0f);
    spec.residual_scale = keys.real("residual_scale", kLeast, kMost, 1.4f / std::sqrt(static_cast<float>(n_layers)));
    spec.logit_scale = 1 / keys.real("logit_scale", kLeast, kMost, static_cast<float>(spec.n_embd) / 256.0f);
}

// Which layers have a window: attention.sliding_window_pattern is a period or an array of booleans, one a layer.
std::vector<bool> read_local_layers(KeyReader& keys, const Architecture& row, uint32_t n_layers) {
    constexpr std::string_view kPattern = "attention.sliding_window_pattern";
    std::vector<bool> is_local(n_layers);
    if (keys.is_array(kPattern)) {
        const auto listed = keys.numbers_of_layers(kPattern, n_layers);
        std::transform(listed.begin(), listed.end(), is_local.begin(), [](int32_t local) { return local != 0; });
        return is_local;
    }
    const uint32_t period = keys.number(kPattern, 0, Limits::kMaxLayers, row.window_period);
    for (uint32_t layer = 0; layer < n_layers; ++layer) is_local[layer] = period == 0 || layer % period < period - 1;
    return is_local;
}

Rope read_local_rope(KeyReader& keys, const Architecture& row, const Rope& rope) {
    Rope local = row.local_rope == LocalRope::Scaled ? rope : Rope();
    local.theta = keys.real(keys.present({"rope.freq_base_swa", "rope.local.freq_base"}), 1, Limits::kMaxRopeTheta,
                            row.local_theta != 0 ? row.local_theta : rope.theta);
    if (row.local_rope == LocalRope::Unscaled) local.magnitude = read_magnitude(keys);
    return local;
}

// A window of 0 means none.
void read_windows(KeyReader& keys, const Architecture& row, DecoderSpec& spec) {
    if (row.windows == Windows::None) return;
    const bool has_default = row.window_default_layers == 0 || row.window_default_layers == spec.n_layers();
    const uint32_t window = std::min(
        keys.number("attention.sliding_window", 0, UINT32_MAX, has_default ? row.window : 0), Limits::kMaxContext);
    if (window == 0 || (row.windows == Windows::All && window >= spec.n_ctx_train)) return;
    if (row.windows == Windows::All) {
        for (LayerSpec& layer : spec.layers) {
            if (!layer.is_convolution()) layer.window = window;
        }
        return;
    }
    const auto is_local = read_local_layers(keys, row, spec.n_layers());
    const bool has_own_rope = row.local_rope != LocalRope::Shared;
    if (has_own_rope) spec.ropes.push_back(read_local_rope(keys, row, spec.ropes[0]));
    for (uint32_t l = 0; l < spec.n_layers(); ++l) {
        LayerSpec& layer = spec.layers[l];
        if (is_local[l]) {
            layer.window = window;
            layer.rope = has_own_rope ? 1 : 0;
        } else if (row.unrotated_globals) {
            leave_unrotated(layer);
        }
    }
}

float read_cap(KeyReader& keys, std::string_view name, float other) {
    constexpr float kLeast = 1e-3f, kMost = 1e6f;
    return other == 0 && !keys.has(name) ? 0 : keys.real(name, kLeast, kMost, other);
}

void read_temperature(KeyReader& keys, DecoderSpec& spec) {
    constexpr float kMost = 100;
    spec.temperature_slope =
        keys.real(keys.present({"attention.temperature_scale", "rope.scaling_beta"}), 0, kMost, 0.0f);
    if (spec.temperature_slope == 0) return;
    spec.temperature_context =
        keys.number("rope.scaling.original_context_length", 1, Limits::kMaxContext, spec.n_ctx_train);
}

// llama.cpp's numbers (include/llama.h); 0 means that there is none.
std::optional<PoolingType> read_pooling(KeyReader& keys) {
    constexpr std::string_view kPooling = "pooling_type";
    constexpr uint32_t kRank = 4;
    switch (keys.number(kPooling, 0, kRank, 0)) {
        case 1:
            return PoolingType::Mean;
        case 2:
            return PoolingType::First;
        case 3:
            return PoolingType::Last;
        case kRank:
            keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key(kPooling), " is ", kRank,
                           " (rank): models that rank documents are not supported"));
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

// The tokenizer's list when the file has one; the tensors must agree with either (Weights::bind).
void read_vocabulary_size(KeyReader& keys, const Gguf& gguf, DecoderSpec& spec) {
    constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
    if (!gguf.has(kTokens)) {
        spec.n_vocab = keys.number("vocab_size", 1, Limits::kMaxVocab);
        return;
    }
    const auto n_tokens = gguf.array_size(kTokens);
    if (!n_tokens) return keys.keep(n_tokens.error());
    if (*n_tokens == 0 || *n_tokens > Limits::kMaxVocab) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, kTokens, " has ", *n_tokens, " tokens, outside of 1 to ",
                       Limits::kMaxVocab));
    }
    spec.n_vocab = static_cast<uint32_t>(std::min<uint64_t>(*n_tokens, Limits::kMaxVocab));
}

std::string main_type(const Gguf& gguf) {
    std::map<TensorType, uint64_t> bytes;
    for (const auto& [name, tensor] : gguf.tensors()) bytes[tensor.type] += tensor.data.size();
    if (bytes.empty()) return {};
    const auto most =
        std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return std::string(block_layout(most->first).name);
}

}  // namespace

std::span<const Architecture> architectures() {
    return kArchitectures;
}

std::string architecture_names(std::span<const Architecture> known) {
    return base::listed(known, &Architecture::name);
}

Result<DecoderSpec> read_decoder_spec(const Gguf& gguf, std::span<const Architecture> known, KeyReport* report) {
    auto name = gguf.get_string("general.architecture");
    if (!name) return name.error();
    const auto row = std::find_if(known.begin(), known.end(), [&](const Architecture& a) { return a.name == *name; });
    if (row == known.end()) {
        return fail(ErrorCode::ModelLoadFailed, "general.architecture is ", in_quotes(*name),
                    ", which is not supported (", architecture_names(known), " are)");
    }

    DecoderSpec spec;
    spec.architecture = row->name;
    spec.quantization = main_type(gguf);
    spec.norm = row->norm;
    spec.activation = row->activation;
    spec.has_learned_positions = row->rotation == Rotation::None;
    spec.has_pre_norms = row->has_pre_norms;
    spec.has_post_norms = row->has_post_norms;

    KeyReader keys(gguf, row->name);
    if (const uint32_t experts = keys.number("expert_count", 0, UINT32_MAX, 0); experts > 0) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("expert_count"), " is ", experts,
                       ": a mixture of experts is not supported"));
    }
    if (!keys.boolean("attention.causal", true)) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.causal"),
                       " is false: only models that generate text are supported"));
    }
    const uint32_t n_layers = keys.number("block_count", 1, Limits::kMaxLayers);
    spec.n_embd = keys.number("embedding_length", 1, Limits::kMaxWidth);
    spec.n_ctx_train = keys.number("context_length", 1, Limits::kMaxContext);
    const std::string_view norm_eps =
        row->norm == Norm::LayerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    spec.norm_eps = keys.real(norm_eps, std::numeric_limits<float>::min(), Limits::kMaxNormEps);
    if (row->reads_scales) read_scales(keys, *row, n_layers, spec);
    if (row->reads_temperature) read_temperature(keys, spec);
    LayerSpec layer;
    layer.rotation = row->rotation;
    layer.qk_norm = row->qk_norm;
    layer.norms_after_rotation = row->norms_after_rotation;
    layer.n_ff = keys.number_of_all_layers("feed_forward_length", n_layers, 1, Limits::kMaxWidth);
    const Convolutions convolutions = read_convolutions(keys, *row, n_layers);
    read_heads(keys, spec.n_embd, n_layers, layer, convolutions.n_kv_heads);
    if (row->is_granite) {
        if (keys.has("attention.scale")) layer.score_scale = keys.real("attention.scale", 1e-6f, 1e6f);
        if (!keys.boolean("rope.scaling.finetuned", true)) layer.rotation = Rotation::None;
    }
    if (layer.rotation != Rotation::None) read_rope(keys, gguf, *row, spec, layer);
    if (row->scales_embedding) spec.embedding_scale = std::sqrt(static_cast<float>(spec.n_embd));
    if (row->score_cap != 0) layer.score_cap = read_cap(keys, "attn_logit_softcapping", row->score_cap);
    if (row->reads_logit_cap) spec.logit_cap = read_cap(keys, "final_logit_softcapping", row->logit_cap);
    if (n_layers == row->wide_scale_layers && layer.n_heads != 0) {
        layer.score_scale = 1 / std::sqrt(static_cast<float>(spec.n_embd) / static_cast<float>(layer.n_heads));
    }
    read_vocabulary_size(keys, gguf, spec);
    spec.pooling = read_pooling(keys);
    if (keys.error()) return *keys.error();
    spec.layers.assign(n_layers, layer);
    for (uint32_t l = 0; l < n_layers; ++l) {
        if (convolutions.taps != 0 && convolutions.is_one[l]) spec.layers[l] = convolution(layer, convolutions, spec);
    }
    for (uint32_t l = 0; row->unrotated_period != 0 && l < n_layers; ++l) {
        if ((l + 1) % row->unrotated_period == 0) leave_unrotated(spec.layers[l]);
    }
    read_windows(keys, *row, spec);
    if (keys.error()) return *keys.error();
    const KeyReport all = keys.check_all_read(spec);
    if (report != nullptr) *report = all;
    if (keys.error()) return *keys.error();
    return spec;
}

}  // namespace llmd::model
