#include "engine/convert/hf_config.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"

namespace llmd::convert {
namespace {

using base::Result;
using Limits = model::DecoderSpecLimits;

// --- Tables ----------------------------------------------------------------------------------------------------------

constexpr HfTensor kGpt2Tensors[] = {
    {"token_embd.weight", "wte.weight", Dimension::Vocabulary, Dimension::Embedding},
    {"position_embd.weight", "wpe.weight", Dimension::Context, Dimension::Embedding},
    {"output_norm.weight", "ln_f.weight", Dimension::One, Dimension::Embedding},
    {"output_norm.bias", "ln_f.bias", Dimension::One, Dimension::Embedding},
};
constexpr HfTensor kGpt2InLayers[] = {
    {"attn_norm.weight", "ln_1.weight", Dimension::One, Dimension::Embedding},
    {"attn_norm.bias", "ln_1.bias", Dimension::One, Dimension::Embedding},
    {"attn_qkv.weight", "attn.c_attn.weight", Dimension::QueriesKeysValues, Dimension::Embedding,
     Arrangement::Transposed},
    {"attn_qkv.bias", "attn.c_attn.bias", Dimension::One, Dimension::QueriesKeysValues},
    {"attn_output.weight", "attn.c_proj.weight", Dimension::Embedding, Dimension::Queries, Arrangement::Transposed},
    {"attn_output.bias", "attn.c_proj.bias", Dimension::One, Dimension::Embedding},
    {"ffn_norm.weight", "ln_2.weight", Dimension::One, Dimension::Embedding},
    {"ffn_norm.bias", "ln_2.bias", Dimension::One, Dimension::Embedding},
    {"ffn_up.weight", "mlp.c_fc.weight", Dimension::FeedForward, Dimension::Embedding, Arrangement::Transposed},
    {"ffn_up.bias", "mlp.c_fc.bias", Dimension::One, Dimension::FeedForward},
    {"ffn_down.weight", "mlp.c_proj.weight", Dimension::Embedding, Dimension::FeedForward, Arrangement::Transposed},
    {"ffn_down.bias", "mlp.c_proj.bias", Dimension::One, Dimension::Embedding},
};

constexpr HfTensor kLlamaTensors[] = {
    {"token_embd.weight", "embed_tokens.weight", Dimension::Vocabulary, Dimension::Embedding},
    {"output_norm.weight", "norm.weight", Dimension::One, Dimension::Embedding},
};
constexpr HfTensor kLlamaInLayers[] = {
    {"attn_norm.weight", "input_layernorm.weight", Dimension::One, Dimension::Embedding},
    {"attn_q.weight", "self_attn.q_proj.weight", Dimension::Queries, Dimension::Embedding, Arrangement::Rotated},
    {"attn_q.bias", "self_attn.q_proj.bias", Dimension::One, Dimension::Queries, Arrangement::Rotated, true},
    {"attn_k.weight", "self_attn.k_proj.weight", Dimension::Keys, Dimension::Embedding, Arrangement::Rotated},
    {"attn_k.bias", "self_attn.k_proj.bias", Dimension::One, Dimension::Keys, Arrangement::Rotated, true},
    {"attn_v.weight", "self_attn.v_proj.weight", Dimension::Keys, Dimension::Embedding},
    {"attn_v.bias", "self_attn.v_proj.bias", Dimension::One, Dimension::Keys, Arrangement::AsIs, true},
    {"attn_output.weight", "self_attn.o_proj.weight", Dimension::Embedding, Dimension::Queries},
    {"attn_output.bias", "self_attn.o_proj.bias", Dimension::One, Dimension::Embedding, Arrangement::AsIs, true},
    {"ffn_norm.weight", "post_attention_layernorm.weight", Dimension::One, Dimension::Embedding},
    {"ffn_gate.weight", "mlp.gate_proj.weight", Dimension::FeedForward, Dimension::Embedding},
    {"ffn_up.weight", "mlp.up_proj.weight", Dimension::FeedForward, Dimension::Embedding},
    {"ffn_down.weight", "mlp.down_proj.weight", Dimension::Embedding, Dimension::FeedForward},
};

// --- Reading ---------------------------------------------------------------------------------------------------------

// Reads keys and keeps the first error, so that many keys can be read without checking each.
class KeyReader {
public:
    explicit KeyReader(const JsonObject& object) : object_(object) {}

    uint32_t number(std::string_view key, uint32_t least, uint32_t most, std::optional<uint32_t> other = std::nullopt) {
        return kept(object_.number(key, least, most, other), least);
    }
    float real(std::string_view key, float least, float most, std::optional<float> other = std::nullopt) {
        return kept(object_.real(key, least, most, other), least);
    }
    bool boolean(std::string_view key, bool other) { return kept(object_.boolean(key, other), other); }
    std::string text(std::string_view key, std::string_view other) {
        return kept(object_.text(key, other), std::string());
    }

    // Refuses a variant that is not supported.
    void require_boolean(std::string_view key, bool value) {
        if (boolean(key, value) != value) keep(object_.fail(key, value ? ": false" : ": true", " is not supported"));
    }
    void require_text(std::string_view key, std::string_view other, std::span<const std::string_view> supported) {
        const std::string value = text(key, other);
        if (std::find(supported.begin(), supported.end(), value) == supported.end()) {
            keep(object_.fail(key, ": ", model::in_quotes(value), " is not supported (", supported.front(), " is)"));
        }
    }
    void keep(base::Error error) {
        if (result_) result_ = std::move(error);
    }
    Result<void> result() const { return result_; }

private:
    template <typename T>
    T kept(Result<T> read, T other) {
        if (read) return *std::move(read);
        keep(std::move(read).error());
        return other;
    }

    const JsonObject& object_;
    Result<void> result_;
};

constexpr float kLeastEps = std::numeric_limits<float>::min();

Result<void> read_gpt2(const JsonObject& config, HfConfig& out) {
    KeyReader keys(config);
    out.n_layers = keys.number("n_layer", 1, Limits::kMaxLayers);
    out.n_embd = keys.number("n_embd", 1, Limits::kMaxWidth);
    out.n_heads = out.n_kv_heads = keys.number("n_head", 1, Limits::kMaxHeads);
    out.n_ff = keys.number("n_inner", 1, Limits::kMaxWidth, std::min(4 * out.n_embd, Limits::kMaxWidth));
    out.n_ctx_train = keys.number("n_positions", 1, Limits::kMaxContext);
    out.norm_eps = keys.real("layer_norm_epsilon", kLeastEps, Limits::kMaxNormEps, 1e-5f);
    out.has_output = !keys.boolean("tie_word_embeddings", true);
    // All of these are the approximation by tanh.
    constexpr std::string_view kGelu[] = {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"};
    keys.require_text("activation_function", kGelu[0], kGelu);
    keys.require_boolean("scale_attn_weights", true);
    keys.require_boolean("scale_attn_by_inverse_layer_idx", false);
    keys.require_boolean("add_cross_attention", false);
    return keys.result();
}

// LLaMA 3.1's scaling (https://github.com/huggingface/transformers, modeling_rope_utils.py, "llama3"): long wavelengths
// are multiplied by the factor, short ones are not, and those between are interpolated.
Result<void> read_llama3_scaling(const JsonObject& scaling, HfConfig& out) {
    KeyReader keys(scaling);
    const float factor = keys.real("factor", 1, Limits::kMaxRopeFactor);
    const float low = keys.real("low_freq_factor", 0, Limits::kMaxRopeFactor);
    const float high = keys.real("high_freq_factor", 0, Limits::kMaxRopeFactor);
    const auto context = static_cast<float>(keys.number("original_max_position_embeddings", 1, Limits::kMaxContext));
    if (!(high > low)) keys.keep(scaling.fail("high_freq_factor: ", high, " is not more than low_freq_factor ", low));
    for (uint32_t i = 0; i < out.head_dim / 2; ++i) {
        const double exponent = 2.0 * i / out.head_dim;
        const double wave = 2 * std::numbers::pi * std::pow(static_cast<double>(out.rope_theta), exponent);
        const double short_part = std::clamp((context / wave - low) / (high - low), 0.0, 1.0);
        out.rope_factors.push_back(static_cast<float>(1 / ((1 - short_part) / factor + short_part)));
    }
    return keys.result();
}

Result<void> check_rotates_all(const JsonObject& object) {
    const auto part = object.real("partial_rotary_factor", 0, 1, 1.0f);
    if (!part) return part.error();
    if (*part != 1) return object.fail("partial_rotary_factor: ", *part, " is not supported (1 is)");
    return {};
}

// Reads the RoPE scaling: rope_scaling, or in newer files rope_parameters, which has rope_theta too.
Result<void> read_rope(const JsonObject& config, HfConfig& out) {
    const std::string_view key = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
    const auto scaling = config.object(key);
    if (!scaling) return scaling.error();
    const JsonObject& base_from = *scaling && (*scaling)->has("rope_theta") ? **scaling : config;
    const auto theta = base_from.real("rope_theta", 1, Limits::kMaxRopeTheta, 10000.0f);
    if (!theta) return theta.error();
    out.rope_theta = *theta;
    if (!*scaling) return {};
    if (auto checked = check_rotates_all(**scaling); !checked) return checked;
    const std::string_view type_key = (*scaling)->has("rope_type") ? "rope_type" : "type";
    const auto type = (*scaling)->text(type_key, (*scaling)->has("factor") ? "" : "default");
    if (!type) return type.error();
    if (*type == "default") return {};
    if (*type == "llama3") return read_llama3_scaling(**scaling, out);
    if (*type != "linear") {
        return (*scaling)->fail(type_key, ": ", model::in_quotes(*type),
                                " is not supported (default, linear, llama3 are)");
    }
    const auto factor = (*scaling)->real("factor", 1, Limits::kMaxRopeFactor);
    if (!factor) return factor.error();
    out.rope_factor = *factor;
    return {};
}

Result<void> read_llama(const JsonObject& config, HfConfig& out) {
    KeyReader keys(config);
    out.n_layers = keys.number("num_hidden_layers", 1, Limits::kMaxLayers);
    out.n_embd = keys.number("hidden_size", 1, Limits::kMaxWidth);
    out.n_heads = keys.number("num_attention_heads", 1, Limits::kMaxHeads);
    out.n_kv_heads = keys.number("num_key_value_heads", 1, Limits::kMaxHeads, out.n_heads);
    if (config.has("head_dim")) out.head_dim = keys.number("head_dim", 2, Limits::kMaxHeadDim);
    out.n_ff = keys.number("intermediate_size", 1, Limits::kMaxWidth);
    out.n_ctx_train = keys.number("max_position_embeddings", 1, Limits::kMaxContext);
    out.norm_eps = keys.real("rms_norm_eps", kLeastEps, Limits::kMaxNormEps, 1e-6f);
    out.has_output = !keys.boolean("tie_word_embeddings", false);
    constexpr std::string_view kSilu[] = {"silu"};
    keys.require_text("hidden_act", kSilu[0], kSilu);
    keys.require_boolean("use_sliding_window", false);
    if (auto checked = check_rotates_all(config); !checked) return checked;
    return keys.result();
}

constexpr HfArchitecture kArchitectures[] = {
    {"gpt2", "transformer.", "h.", kGpt2Tensors, kGpt2InLayers, "attention.layer_norm_epsilon", false, false,
     read_gpt2},
    {"llama", "model.", "layers.", kLlamaTensors, kLlamaInLayers, "attention.layer_norm_rms_epsilon", true, true,
     read_llama},
    {"qwen2", "model.", "layers.", kLlamaTensors, kLlamaInLayers, "attention.layer_norm_rms_epsilon", true, false,
     read_llama},
};

Result<void> check_heads(const JsonObject& config, HfConfig& out) {
    if (out.n_heads % out.n_kv_heads != 0) {
        return config.fail("num_attention_heads: ", out.n_heads, " is no multiple of num_key_value_heads ",
                           out.n_kv_heads);
    }
    if (out.head_dim == 0 && out.n_embd % out.n_heads != 0) {
        return config.fail("hidden_size or n_embd: ", out.n_embd, " is no multiple of the ", out.n_heads, " heads");
    }
    if (out.head_dim == 0) out.head_dim = out.n_embd / out.n_heads;
    if (out.head_dim % 4 != 0 || out.head_dim > Limits::kMaxHeadDim ||
        uint64_t{out.n_heads} * out.head_dim > Limits::kMaxWidth) {
        return config.fail("head_dim: ", out.n_heads, " heads of ", out.head_dim, " are not supported");
    }
    return {};
}

std::string quoted_json(simdjson::dom::element element) {
    return model::in_quotes(std::string(simdjson::minify(element)));
}

// Reads a number or an array of numbers.
Result<std::vector<uint32_t>> read_ids(const JsonObject& config, std::string_view key, uint32_t n_vocab) {
    std::vector<uint32_t> ids;
    simdjson::dom::array array;
    if (config.raw().at_key(key).get(array) == simdjson::SUCCESS) {
        for (const simdjson::dom::element element : array) {
            uint64_t id = 0;
            if (element.get(id) != simdjson::SUCCESS || id >= n_vocab) {
                return config.fail(key, " holds ", quoted_json(element), ", no token of the ", n_vocab);
            }
            ids.push_back(static_cast<uint32_t>(id));
        }
    } else if (config.has(key)) {
        const auto id = config.number(key, 0, n_vocab - 1);
        if (!id) return id.error();
        ids.push_back(*id);
    }
    return ids;
}

std::string known_model_types() {
    return base::listed(kArchitectures, &HfArchitecture::name);
}

}  // namespace

Result<HfConfig> HfConfig::read(const JsonObject& config) {
    const auto type = config.text("model_type", "");
    if (!type) return type.error();
    HfConfig out;
    const auto* found = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                     [&](const HfArchitecture& row) { return row.name == *type; });
    if (found == std::end(kArchitectures)) {
        return config.fail("model_type: ", model::in_quotes(*type), " is not supported (", known_model_types(),
                           " are)");
    }
    out.architecture = found;
    if (config.has("quantization_config")) {
        return config.fail("quantization_config: only models that are not quantized yet can be converted");
    }
    if (auto read = found->read(config, out); !read) return std::move(read).error();
    if (auto checked = check_heads(config, out); !checked) return std::move(checked).error();
    if (found->rotates) {
        if (auto read = read_rope(config, out); !read) return std::move(read).error();
    }
    const auto n_vocab = config.number("vocab_size", 1, Limits::kMaxVocab);
    if (!n_vocab) return n_vocab.error();
    out.n_vocab = *n_vocab;
    const auto begin = read_ids(config, "bos_token_id", out.n_vocab);
    if (!begin) return begin.error();
    if (!begin->empty()) out.begin_id = begin->front();
    auto ends = read_ids(config, "eos_token_id", out.n_vocab);
    if (!ends) return std::move(ends).error();
    out.end_ids = *std::move(ends);
    return out;
}

void HfConfig::add_metadata(GgufOutput& out) const {
    const auto key = [&](std::string_view name) { return base::concat(architecture->name, ".", name); };
    out.add("general.architecture", architecture->name);
    out.add(key("vocab_size"), n_vocab);
    out.add(key("context_length"), n_ctx_train);
    out.add(key("embedding_length"), n_embd);
    out.add(key("block_count"), n_layers);
    out.add(key("feed_forward_length"), n_ff);
    out.add(key("attention.head_count"), n_heads);
    out.add(key("attention.head_count_kv"), n_kv_heads);
    out.add(key(architecture->eps_key), norm_eps);
    if (!architecture->rotates) return;
    out.add(key("attention.key_length"), head_dim);
    out.add(key("attention.value_length"), head_dim);
    out.add(key("rope.dimension_count"), head_dim);
    out.add(key("rope.freq_base"), rope_theta);
    if (rope_factor == 1) return;
    out.add(key("rope.scaling.type"), "linear");
    out.add(key("rope.scaling.factor"), rope_factor);
}

uint64_t HfConfig::size_of(Dimension dimension) const {
    switch (dimension) {
        case Dimension::One:
            return 1;
        case Dimension::Embedding:
            return n_embd;
        case Dimension::Queries:
            return uint64_t{n_heads} * head_dim;
        case Dimension::Keys:
            return uint64_t{n_kv_heads} * head_dim;
        case Dimension::QueriesKeysValues:
            return (uint64_t{n_heads} + 2 * uint64_t{n_kv_heads}) * head_dim;
        case Dimension::FeedForward:
            return n_ff;
        case Dimension::Vocabulary:
            return n_vocab;
        case Dimension::Context:
            return n_ctx_train;
    }
    return 0;
}

}  // namespace llmd::convert
