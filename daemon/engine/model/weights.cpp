#include "engine/model/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "engine/model/gguf.h"

namespace llmd::model {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;

enum class Kind : uint8_t { Matrix, Vector };
enum class Scope : uint8_t { Model, Layer };

struct RoleInfo {
    std::string_view name;
    std::string_view tensor;  // in a layer after "blk.<layer>."
    Kind kind;
    Scope scope;
};

constexpr std::array<RoleInfo, kRoleCount> kRoles = {{
    {"token_embd", "token_embd.weight", Kind::Matrix, Scope::Model},
    {"position_embd", "position_embd.weight", Kind::Matrix, Scope::Model},
    {"rope_freqs", "rope_freqs.weight", Kind::Vector, Scope::Model},
    {"rope_factors_long", "rope_factors_long.weight", Kind::Vector, Scope::Model},
    {"rope_factors_short", "rope_factors_short.weight", Kind::Vector, Scope::Model},
    {"output_norm", "output_norm.weight", Kind::Vector, Scope::Model},
    {"output_norm_bias", "output_norm.bias", Kind::Vector, Scope::Model},
    {"output", "output.weight", Kind::Matrix, Scope::Model},
    {"attn_norm", "attn_norm.weight", Kind::Vector, Scope::Layer},
    {"attn_norm_bias", "attn_norm.bias", Kind::Vector, Scope::Layer},
    {"attn_q", "attn_q.weight", Kind::Matrix, Scope::Layer},
    {"attn_k", "attn_k.weight", Kind::Matrix, Scope::Layer},
    {"attn_v", "attn_v.weight", Kind::Matrix, Scope::Layer},
    {"attn_q_norm", "attn_q_norm.weight", Kind::Vector, Scope::Layer},
    {"attn_k_norm", "attn_k_norm.weight", Kind::Vector, Scope::Layer},
    {"attn_q_bias", "attn_q.bias", Kind::Vector, Scope::Layer},
    {"attn_k_bias", "attn_k.bias", Kind::Vector, Scope::Layer},
    {"attn_v_bias", "attn_v.bias", Kind::Vector, Scope::Layer},
    {"attn_output", "attn_output.weight", Kind::Matrix, Scope::Layer},
    {"attn_output_bias", "attn_output.bias", Kind::Vector, Scope::Layer},
    {"attn_post_norm", "post_attention_norm.weight", Kind::Vector, Scope::Layer},
    {"conv_taps", "shortconv.conv.weight", Kind::Vector, Scope::Layer},
    {"ffn_norm", "ffn_norm.weight", Kind::Vector, Scope::Layer},
    {"ffn_norm_bias", "ffn_norm.bias", Kind::Vector, Scope::Layer},
    {"ffn_gate", "ffn_gate.weight", Kind::Matrix, Scope::Layer},
    {"ffn_gate_bias", "ffn_gate.bias", Kind::Vector, Scope::Layer},
    {"ffn_up", "ffn_up.weight", Kind::Matrix, Scope::Layer},
    {"ffn_up_bias", "ffn_up.bias", Kind::Vector, Scope::Layer},
    {"ffn_down", "ffn_down.weight", Kind::Matrix, Scope::Layer},
    {"ffn_down_bias", "ffn_down.bias", Kind::Vector, Scope::Layer},
    {"ffn_post_norm", "post_ffw_norm.weight", Kind::Vector, Scope::Layer},
}};

const RoleInfo& info(Role role) {
    return kRoles[static_cast<size_t>(role)];
}

enum class Presence : uint8_t { Required, Optional, Unused };

Presence presence_of(Role role, const DecoderSpec& spec, uint32_t layer) {
    const auto required_if = [](bool condition) { return condition ? Presence::Required : Presence::Unused; };
    switch (role) {
        case Role::PositionEmbedding:
            return required_if(spec.has_learned_positions);
        case Role::RopeFactors:
            return spec.n_rot() == 0 || spec.longrope_context != 0 ? Presence::Unused : Presence::Optional;
        case Role::RopeFactorsLong:
        case Role::RopeFactorsShort:
            return required_if(spec.longrope_context != 0);
        case Role::OutputNormBias:
            return required_if(spec.norm == Norm::LayerNorm);
        case Role::AttnNormBias:
        case Role::FfnNormBias:
            return required_if(spec.norm == Norm::LayerNorm && spec.has_pre_norms);
        case Role::AttnNorm:
        case Role::FfnNorm:
            return required_if(spec.has_pre_norms);
        case Role::AttnPostNorm:
        case Role::FfnPostNorm:
            return required_if(spec.has_post_norms);
        case Role::AttnQNorm:
        case Role::AttnKNorm:
            return required_if(spec.layers[layer].qk_norm != QkNorm::None);
        case Role::ConvTaps:
            return required_if(spec.layers[layer].is_convolution());
        case Role::FfnGate:
            return required_if(is_gated(spec.activation));
        case Role::AttnQBias:
        case Role::AttnKBias:
        case Role::AttnVBias:
        case Role::AttnOutputBias:
            return spec.layers[layer].is_convolution() ? Presence::Unused : Presence::Optional;
        case Role::FfnGateBias:
            return is_gated(spec.activation) ? Presence::Optional : Presence::Unused;
        case Role::Output:
        case Role::FfnUpBias:
        case Role::FfnDownBias:
            return Presence::Optional;
        default:
            return Presence::Required;
    }
}

std::string layer_prefix(uint32_t layer) {
    return base::concat("blk.", layer, ".");
}

Result<void> check(const std::string& name, const TensorView& tensor, Kind kind, Shape shape) {
    if (tensor.rows != shape.rows || tensor.cols != shape.cols) {
        return fail(ErrorCode::ModelLoadFailed, "tensor ", name, " has ", tensor.rows, " x ", tensor.cols,
                    ", the model needs ", shape.rows, " x ", shape.cols);
    }
    if (kind == Kind::Vector && block_layout(tensor.type).block_weights != 1) {
        return fail(ErrorCode::ModelLoadFailed, "tensor ", name, " is ", block_layout(tensor.type).name,
                    "; a vector must be F32, F16 or BF16");
    }
    return {};
}

Error missing(const std::string& name) {
    return fail(ErrorCode::ModelLoadFailed, "tensor ", name, " is missing");
}

// The elements [first, first + count) of a vector.
TensorView elements(const TensorView& vector, uint64_t first, uint64_t count) {
    const uint64_t width = block_layout(vector.type).block_bytes;
    return {vector.type, 1, count, vector.data.subspan(first * width, count * width)};
}

class Binder {
public:
    Binder(const Gguf& gguf, const DecoderSpec& spec, std::vector<Weight>& weights)
        : gguf_(gguf), spec_(spec), weights_(weights) {}

    Result<void> bind_layer(uint32_t layer, const std::string& prefix) {
        const bool is_convolution = spec_.layers[layer].is_convolution();
        const bool has_qkv = !is_convolution && gguf_.tensor(prefix + "attn_qkv.weight") != nullptr;
        if (is_convolution) {
            if (auto done = bind_convolution(layer, prefix); !done) return done;
        } else if (has_qkv) {
            if (auto done = bind_qkv(layer, prefix); !done) return done;
        }
        // A fused matrix has the name of up and twice its rows.
        const uint64_t n_ff = spec_.layers[layer].n_ff;
        const TensorView* up = gguf_.tensor(prefix + "ffn_up.weight");
        const bool has_gate_up = is_gated(spec_.activation) && up != nullptr && up->rows != n_ff &&
                                 gguf_.tensor(prefix + "ffn_gate.weight") == nullptr;
        if (has_gate_up) {
            const std::string name = prefix + "ffn_up.weight";
            if (auto done = check(name, *up, Kind::Matrix, {2 * n_ff, spec_.n_embd}); !done) return done;
            weights_.push_back({Role::FfnGate, layer, up->slice(0, n_ff)});
            weights_.push_back({Role::FfnUp, layer, up->slice(n_ff, n_ff)});
            bound_.insert(name);
        }
        for (size_t i = 0; i < kRoleCount; ++i) {
            const auto role = static_cast<Role>(i);
            if (info(role).scope != Scope::Layer) continue;
            if ((has_qkv || is_convolution) && is_of_qkv(role)) continue;
            if (is_convolution && role == Role::AttnOutput) continue;
            if (has_gate_up && (role == Role::FfnGate || role == Role::FfnUp)) continue;
            if (auto done = bind(role, layer, prefix); !done) return done;
        }
        return {};
    }

    Result<void> bind(Role role, uint32_t layer, const std::string& prefix) {
        const Presence presence = presence_of(role, spec_, layer);
        if (presence == Presence::Unused) return {};
        const std::string name = prefix + std::string(tensor_of(role));
        if (presence == Presence::Optional && gguf_.tensor(name) == nullptr) return {};
        return bind_required(role, layer, name);
    }

    Result<void> check_all_bound() const {
        for (const auto& [name, tensor] : gguf_.tensors()) {
            if (bound_.contains(name)) continue;
            return fail(ErrorCode::ModelLoadFailed, "tensor ", in_quotes(name), " is not supported in ",
                        spec_.architecture, " models");
        }
        return {};
    }

private:
    static bool is_of_qkv(Role role) {
        constexpr std::array kOfQkv = {Role::AttnQ,     Role::AttnK,     Role::AttnV,
                                       Role::AttnQBias, Role::AttnKBias, Role::AttnVBias};
        return std::find(kOfQkv.begin(), kOfQkv.end(), role) != kOfQkv.end();
    }

    std::string_view tensor_of(Role role) const {
        const auto is_convolution = [](const LayerSpec& layer) { return layer.is_convolution(); };
        // LFM2's files have the last norm under this name; Ollama's converter gives it the usual one.
        constexpr std::string_view kLfm2Norm = "token_embd_norm.weight";
        if (role == Role::OutputNorm && std::any_of(spec_.layers.begin(), spec_.layers.end(), is_convolution) &&
            (gguf_.tensor(kLfm2Norm) != nullptr || gguf_.tensor(info(role).tensor) == nullptr)) {
            return kLfm2Norm;
        }
        return info(role).tensor;
    }

    Result<void> bind_required(Role role, uint32_t layer, const std::string& name) {
        const TensorView* tensor = gguf_.tensor(name);
        if (tensor == nullptr) return missing(name);
        if (auto done = check(name, *tensor, info(role).kind, shape_of(role, spec_, layer)); !done) return done;
        weights_.push_back({role, layer, *tensor});
        bound_.insert(name);
        return {};
    }

    // One matrix of the rows of K, then Q, then V.
    Result<void> bind_convolution(uint32_t layer, const std::string& prefix) {
        const uint64_t n = spec_.n_embd;
        const std::string name = prefix + "shortconv.in_proj.weight";
        const TensorView* matrix = gguf_.tensor(name);
        if (matrix == nullptr) return missing(name);
        if (auto done = check(name, *matrix, Kind::Matrix, {3 * n, n}); !done) return done;
        weights_.push_back({Role::AttnK, layer, matrix->slice(0, n)});
        weights_.push_back({Role::AttnQ, layer, matrix->slice(n, n)});
        weights_.push_back({Role::AttnV, layer, matrix->slice(2 * n, n)});
        bound_.insert(name);
        return bind_required(Role::AttnOutput, layer, prefix + "shortconv.out_proj.weight");
    }

    // One matrix of the rows of Q, then K, then V, and likewise its bias.
    Result<void> bind_qkv(uint32_t layer, const std::string& prefix) {
        const uint64_t q = spec_.layers[layer].q_rows();
        const uint64_t kv = spec_.layers[layer].kv_rows();
        const std::string name = prefix + "attn_qkv.weight";
        const TensorView& matrix = *gguf_.tensor(name);
        if (auto done = check(name, matrix, Kind::Matrix, {q + 2 * kv, spec_.n_embd}); !done) return done;
        weights_.push_back({Role::AttnQ, layer, matrix.slice(0, q)});
        weights_.push_back({Role::AttnK, layer, matrix.slice(q, kv)});
        weights_.push_back({Role::AttnV, layer, matrix.slice(q + kv, kv)});
        bound_.insert(name);

        const std::string bias_name = prefix + "attn_qkv.bias";
        const TensorView* bias = gguf_.tensor(bias_name);
        if (bias == nullptr) return {};
        if (auto done = check(bias_name, *bias, Kind::Vector, {1, q + 2 * kv}); !done) return done;
        weights_.push_back({Role::AttnQBias, layer, elements(*bias, 0, q)});
        weights_.push_back({Role::AttnKBias, layer, elements(*bias, q, kv)});
        weights_.push_back({Role::AttnVBias, layer, elements(*bias, q + kv, kv)});
        bound_.insert(bias_name);
        return {};
    }

    const Gguf& gguf_;
    const DecoderSpec& spec_;
    std::vector<Weight>& weights_;
    std::set<std::string, std::less<>> bound_;  // names of tensors
};

// The rotary frequencies are divided by them.
Result<void> check_rope_factors(std::string_view name, const TensorView& tensor) {
    std::vector<float> factors(tensor.cols);
    dequantize(tensor.type, tensor.data, factors);
    for (const float factor : factors) {
        if (!(factor > 0) || !std::isfinite(factor)) {
            return fail(ErrorCode::ModelLoadFailed, "tensor ", name, " holds ", factor,
                        "; its factors must be positive");
        }
    }
    return {};
}

}  // namespace

Role rope_factors_role(const DecoderSpec& spec, uint32_t n_ctx) {
    if (spec.longrope_context == 0) return Role::RopeFactors;
    return n_ctx > spec.longrope_context ? Role::RopeFactorsLong : Role::RopeFactorsShort;
}

std::string_view role_name(Role role) {
    return info(role).name;
}

bool is_in_layer(Role role) {
    return info(role).scope == Scope::Layer;
}

bool is_vector(Role role) {
    return info(role).kind == Kind::Vector;
}

Shape shape_of(Role role, const DecoderSpec& spec, uint32_t layer) {
    const LayerSpec& of_layer = spec.layers[is_in_layer(role) ? layer : 0];
    switch (role) {
        case Role::TokenEmbedding:
        case Role::Output:
            return {spec.n_vocab, spec.n_embd};
        case Role::PositionEmbedding:
            return {spec.n_ctx_train, spec.n_embd};
        case Role::RopeFactors:
        case Role::RopeFactorsLong:
        case Role::RopeFactorsShort:
            return {1, spec.n_rot() / 2};
        case Role::AttnQNorm:
            return {1, of_layer.qk_norm == QkNorm::Row ? of_layer.q_rows() : of_layer.head_dim};
        case Role::AttnKNorm:
            return {1, of_layer.qk_norm == QkNorm::Row ? of_layer.kv_rows() : of_layer.head_dim};
        case Role::AttnQ:
            return {of_layer.q_rows(), spec.n_embd};
        case Role::AttnK:
        case Role::AttnV:
            return {of_layer.kv_rows(), spec.n_embd};
        case Role::AttnQBias:
            return {1, of_layer.q_rows()};
        case Role::AttnKBias:
        case Role::AttnVBias:
            return {1, of_layer.kv_rows()};
        case Role::AttnOutput:
            return {spec.n_embd, of_layer.q_rows()};
        case Role::ConvTaps:
            return {spec.n_embd, of_layer.window};
        case Role::FfnGate:
        case Role::FfnUp:
            return {of_layer.n_ff, spec.n_embd};
        case Role::FfnGateBias:
        case Role::FfnUpBias:
            return {1, of_layer.n_ff};
        case Role::FfnDown:
            return {spec.n_embd, of_layer.n_ff};
        default:
            return {1, spec.n_embd};  // norms, their biases and the biases of the two projections back
    }
}

bool is_required(Role role, const DecoderSpec& spec, uint32_t layer) {
    return presence_of(role, spec, layer) == Presence::Required;
}

std::optional<Role> bias_of(Role role) {
    switch (role) {
        case Role::OutputNorm:
            return Role::OutputNormBias;
        case Role::AttnNorm:
            return Role::AttnNormBias;
        case Role::AttnQ:
            return Role::AttnQBias;
        case Role::AttnK:
            return Role::AttnKBias;
        case Role::AttnV:
            return Role::AttnVBias;
        case Role::AttnOutput:
            return Role::AttnOutputBias;
        case Role::FfnNorm:
            return Role::FfnNormBias;
        case Role::FfnGate:
            return Role::FfnGateBias;
        case Role::FfnUp:
            return Role::FfnUpBias;
        case Role::FfnDown:
            return Role::FfnDownBias;
        default:
            return std::nullopt;
    }
}

std::optional<Role> norm_before(Role matrix, const DecoderSpec& spec) {
    if (matrix == Role::Output || matrix == Role::TokenEmbedding) return Role::OutputNorm;
    if (!spec.has_pre_norms) return std::nullopt;
    if (matrix == Role::AttnQ || matrix == Role::AttnK || matrix == Role::AttnV) return Role::AttnNorm;
    if (matrix == Role::FfnGate || matrix == Role::FfnUp) return Role::FfnNorm;
    return std::nullopt;
}

std::optional<Role> norm_behind(Role matrix, const DecoderSpec& spec) {
    if (!spec.has_post_norms) return std::nullopt;
    if (matrix == Role::AttnOutput) return Role::AttnPostNorm;
    if (matrix == Role::FfnDown) return Role::FfnPostNorm;
    return std::nullopt;
}

Result<Weights> Weights::bind(const Gguf& gguf, const DecoderSpec& spec) {
    Weights bound;
    Binder binder(gguf, spec, bound.weights_);
    for (size_t i = 0; i < kRoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        if (info(role).scope != Scope::Model) continue;
        if (auto done = binder.bind(role, 0, ""); !done) return done.error();
    }
    for (uint32_t layer = 0; layer < spec.n_layers(); ++layer) {
        if (auto done = binder.bind_layer(layer, layer_prefix(layer)); !done) return done.error();
    }
    if (auto done = binder.check_all_bound(); !done) return done.error();
    std::stable_sort(bound.weights_.begin(), bound.weights_.end(), [](const Weight& a, const Weight& b) {
        return std::pair(a.tensor.part, a.tensor.data.data()) < std::pair(b.tensor.part, b.tensor.data.data());
    });
    bound.index_.assign(size_t{spec.n_layers()} * kRoleCount, 0);
    for (size_t i = 0; i < bound.weights_.size(); ++i) {
        const Weight& weight = bound.weights_[i];
        bound.index_[weight.layer * kRoleCount + static_cast<size_t>(weight.role)] = static_cast<uint32_t>(i + 1);
    }
    for (const Role role : {Role::RopeFactors, Role::RopeFactorsLong, Role::RopeFactorsShort}) {
        const TensorView* factors = bound.find(role);
        if (factors == nullptr) continue;
        if (auto done = check_rope_factors(info(role).tensor, *factors); !done) return done.error();
    }
    return bound;
}

const TensorView* Weights::find(Role role, uint32_t layer) const {
    const size_t slot = size_t{layer} * kRoleCount + static_cast<size_t>(role);
    if (slot >= index_.size() || index_[slot] == 0) return nullptr;
    return &weights_[index_[slot] - 1].tensor;
}

uint64_t Weights::size_bytes() const {
    uint64_t sum = 0;
    for (const Weight& weight : weights_) sum += weight.tensor.data.size();
    return sum;
}

}  // namespace llmd::model
