#include "engine/model/model_config.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "engine/model/quoted.h"

namespace llmd::model {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
using Limits = ModelConfigLimits;

struct Family {
    std::string_view architecture;
    Norm norm;
    Activation activation;
    Positions positions;
    std::string_view eps_key;
};

constexpr std::array<Family, 3> kFamilies = {{
    {"gpt2", Norm::LayerNorm, Activation::Gelu, Positions::Learned, "attention.layer_norm_epsilon"},
    {"llama", Norm::RmsNorm, Activation::SwiGlu, Positions::RotaryInterleaved, "attention.layer_norm_rms_epsilon"},
    {"qwen2", Norm::RmsNorm, Activation::SwiGlu, Positions::RotaryHalfSplit, "attention.layer_norm_rms_epsilon"},
}};

// Reads "<architecture>.<name>" keys and keeps the first error, so that reading many stays a list of lines.
class KeyReader {
public:
    KeyReader(const Gguf& gguf, std::string_view architecture)
        : gguf_(gguf), prefix_(base::concat(architecture, ".")) {}

    bool has(std::string_view name) const { return gguf_.has(key(name)); }

    uint32_t number(std::string_view name, uint32_t least, uint32_t most,
                    std::optional<uint32_t> other = std::nullopt) {
        const std::string full = key(name);
        auto value = other ? gguf_.get_u32_or(full, *other) : gguf_.get_u32(full);
        if (!value) return keep(value.error()), least;
        if (*value < least || *value > most) keep(out_of_range(full, *value, least, most));
        return *value;
    }

    float real(std::string_view name, float least, float most, std::optional<float> other = std::nullopt) {
        const std::string full = key(name);
        auto value = other ? gguf_.get_f32_or(full, *other) : gguf_.get_f32(full);
        if (!value) return keep(value.error()), least;
        if (!(*value >= least && *value <= most)) keep(out_of_range(full, *value, least, most));  // NaN compares false
        return *value;
    }

    bool boolean(std::string_view name, bool other) {
        auto value = gguf_.get_bool_or(key(name), other);
        if (!value) return keep(value.error()), other;
        return *value;
    }

    std::string_view text(std::string_view name, std::string_view other) {
        auto value = gguf_.get_string_or(key(name), other);
        if (!value) return keep(value.error()), other;
        return *value;
    }

    std::string key(std::string_view name) const { return base::concat(prefix_, name); }
    void keep(Error error) {
        if (!error_) error_ = std::move(error);
    }
    const std::optional<Error>& error() const { return error_; }

private:
    template <typename T>
    static Error out_of_range(std::string_view key, T value, T least, T most) {
        return fail(ErrorCode::ModelLoadFailed, key, " is ", value, ", outside of ", least, " to ", most);
    }

    const Gguf& gguf_;
    std::string prefix_;
    std::optional<Error> error_;
};

void read_heads(KeyReader& keys, ModelConfig& config) {
    config.n_heads = keys.number("attention.head_count", 1, Limits::kMaxHeads);
    config.n_kv_heads = keys.number("attention.head_count_kv", 1, Limits::kMaxHeads, config.n_heads);
    if (keys.error()) return;
    if (config.n_heads % config.n_kv_heads != 0) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.head_count"), " is ", config.n_heads,
                       ", not a multiple of attention.head_count_kv ", config.n_kv_heads));
        return;
    }
    if (keys.has("attention.key_length")) {
        config.head_dim = keys.number("attention.key_length", 1, Limits::kMaxHeadDim);
    } else if (config.n_embd % config.n_heads == 0) {
        config.head_dim = config.n_embd / config.n_heads;
    } else {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("embedding_length"), " is ", config.n_embd,
                       ", not a multiple of attention.head_count ", config.n_heads));
        return;
    }
    if (config.head_dim % 4 != 0 || config.head_dim > Limits::kMaxHeadDim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.key_length"), ": heads of ", config.head_dim,
                       " are not supported (a multiple of 4 up to ", Limits::kMaxHeadDim, " is)"));
    }
    const uint32_t value_dim = keys.number("attention.value_length", 1, Limits::kMaxHeadDim, config.head_dim);
    if (value_dim != config.head_dim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.value_length"), " is ", value_dim,
                       ", but the keys of a head have ", config.head_dim));
    }
    if (uint64_t{config.n_heads} * config.head_dim > Limits::kMaxWidth) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.head_count"), ": ", config.n_heads, " heads of ",
                       config.head_dim, " are wider than ", Limits::kMaxWidth));
    }
}

// rope_freqs.weight, LLaMA 3's scaling, is a tensor: see Role::RopeFactors.
void read_rope(KeyReader& keys, ModelConfig& config) {
    config.n_rot = keys.number("rope.dimension_count", 2, Limits::kMaxHeadDim, config.head_dim);
    if (config.n_rot % 2 != 0 || config.n_rot > config.head_dim) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("rope.dimension_count"), " is ", config.n_rot,
                       ", not an even number up to the head's ", config.head_dim));
    }
    config.rope_theta = keys.real("rope.freq_base", 1, Limits::kMaxRopeTheta, 10000.0f);
    // Files from before rope.scaling.type have rope.scale_linear alone.
    const std::string_view factor_key = keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
    const float factor = keys.real(factor_key, 1, Limits::kMaxRopeFactor, 1.0f);
    const std::string_view scaling = keys.text("rope.scaling.type", "linear");
    if (scaling == "linear") {
        config.rope_factor = factor;
    } else if (scaling != "none") {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("rope.scaling.type"), " is ", quoted(scaling),
                       ", which is not supported (none and linear are)"));
    }
}

// The tokenizer's list when the file has one; the tensors must agree with either (Weights::bind).
void read_vocabulary_size(KeyReader& keys, const Gguf& gguf, ModelConfig& config) {
    constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
    if (!gguf.has(kTokens)) {
        config.n_vocab = keys.number("vocab_size", 1, Limits::kMaxVocab);
        return;
    }
    const auto n_tokens = gguf.array_size(kTokens);
    if (!n_tokens) return keys.keep(n_tokens.error());
    if (*n_tokens == 0 || *n_tokens > Limits::kMaxVocab) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, kTokens, " has ", *n_tokens, " tokens, outside of 1 to ",
                       Limits::kMaxVocab));
    }
    config.n_vocab = static_cast<uint32_t>(std::min<uint64_t>(*n_tokens, Limits::kMaxVocab));
}

std::string main_type(const Gguf& gguf) {
    std::map<TensorType, uint64_t> bytes;
    for (const auto& [name, tensor] : gguf.tensors()) bytes[tensor.type] += tensor.data.size();
    if (bytes.empty()) return {};
    const auto most =
        std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return std::string(block_format(most->first).name);
}

}  // namespace

std::string architecture_names() {
    std::string names;
    for (const Family& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.architecture);
    return names;
}

Result<ModelConfig> read_model_config(const Gguf& gguf) {
    auto architecture = gguf.get_string("general.architecture");
    if (!architecture) return architecture.error();
    const auto family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                     [&](const Family& candidate) { return candidate.architecture == *architecture; });
    if (family == kFamilies.end()) {
        return fail(ErrorCode::ModelLoadFailed, "general.architecture is ", quoted(*architecture),
                    ", which is not supported (", architecture_names(), " are)");
    }

    ModelConfig config;
    config.architecture = family->architecture;
    config.quantization = main_type(gguf);
    config.norm = family->norm;
    config.activation = family->activation;
    config.positions = family->positions;

    KeyReader keys(gguf, family->architecture);
    if (const uint32_t experts = keys.number("expert_count", 0, UINT32_MAX, 0); experts > 0) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("expert_count"), " is ", experts,
                       ": a mixture of experts is not supported"));
    }
    if (!keys.boolean("attention.causal", true)) {
        keys.keep(fail(ErrorCode::ModelLoadFailed, keys.key("attention.causal"),
                       " is false: only models that generate text are supported"));
    }
    config.n_layers = keys.number("block_count", 1, Limits::kMaxLayers);
    config.n_embd = keys.number("embedding_length", 1, Limits::kMaxWidth);
    config.n_ff = keys.number("feed_forward_length", 1, Limits::kMaxWidth);
    config.n_ctx_train = keys.number("context_length", 1, Limits::kMaxContext);
    config.norm_eps = keys.real(family->eps_key, std::numeric_limits<float>::min(), Limits::kMaxNormEps);
    read_heads(keys, config);
    if (config.positions != Positions::Learned) read_rope(keys, config);
    read_vocabulary_size(keys, gguf, config);
    if (keys.error()) return *keys.error();
    return config;
}

}  // namespace llmd::model
