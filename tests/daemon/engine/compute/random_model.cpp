#include "daemon/engine/compute/random_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

namespace llmd::test {

using model::Role;
using model::TensorType;

namespace {

void put_half(std::byte* to, double value) {
    const uint16_t half = model::float_to_half(static_cast<float>(value));
    std::memcpy(to, &half, sizeof half);
}

}  // namespace

uint64_t Noise::bits() {  // splitmix64 (Steele, Lea and Flood 2014)
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double Noise::uniform() {
    return static_cast<double>(bits() >> 11) * 0x1p-52 - 1;
}

std::vector<std::byte> random_blocks(TensorType type, uint64_t n_weights, double scale, Noise& noise) {
    std::vector<std::byte> bytes(*model::row_bytes(type, n_weights));
    if (type == TensorType::F32 || type == TensorType::F16 || type == TensorType::BF16) {
        for (uint64_t i = 0; i < n_weights; ++i) {
            const auto value = static_cast<float>(scale * noise.uniform());
            if (type == TensorType::F32) {
                std::memcpy(&bytes[4 * i], &value, 4);
            } else if (type == TensorType::F16) {
                put_half(&bytes[2 * i], value);
            } else {
                std::memcpy(&bytes[2 * i], reinterpret_cast<const std::byte*>(&value) + 2, 2);
            }
        }
        return bytes;
    }
    for (size_t i = 0; i < bytes.size(); i += 8) {
        const uint64_t bits = noise.bits();
        std::memcpy(&bytes[i], &bits, std::min<size_t>(8, bytes.size() - i));
    }
    const model::BlockLayout& layout = model::block_layout(type);
    for (std::byte* block = bytes.data(); block < bytes.data() + bytes.size(); block += layout.block_bytes) {
        const double strength = scale * (0.75 + 0.25 * noise.uniform());
        if (!layout.minimum.exists()) {
            put_half(block + layout.scale.at, strength / layout.largest());
            continue;
        }
        // Integers from 0 up: the minimum moves them around zero. K formats subtract a multiple of it.
        put_half(block + layout.scale.at, 2 * strength / layout.largest());
        put_half(block + layout.minimum.at,
                 layout.sub_scales.exists() ? strength / layout.largest_sub_scale : -strength);
    }
    return bytes;
}

UniformSpec::operator model::DecoderSpec() const {
    model::DecoderSpec spec;
    spec.architecture = architecture;
    spec.n_embd = n_embd;
    spec.n_vocab = n_vocab;
    spec.n_ctx_train = n_ctx_train;
    spec.norm = norm;
    spec.norm_eps = norm_eps;
    spec.activation = activation;
    spec.has_learned_positions = rotation == model::Rotation::None;
    spec.ropes[0].theta = rope_theta;
    spec.ropes[0].factor = rope_factor;
    spec.has_pre_norms = has_pre_norms;
    spec.has_post_norms = has_post_norms;
    spec.embedding_scale = embedding_scale;
    spec.residual_scale = residual_scale;
    spec.logit_scale = logit_scale;
    spec.layers.assign(n_layers, {.n_heads = n_heads,
                                  .n_kv_heads = n_kv_heads,
                                  .head_dim = head_dim,
                                  .rotation = rotation,
                                  .n_rot = spec.has_learned_positions ? 0 : n_rot,
                                  .n_ff = n_ff,
                                  .qk_norm = qk_norm,
                                  .norms_after_rotation = norms_after_rotation});
    return spec;
}

UniformSpec small_llama() {
    UniformSpec spec;
    spec.architecture = "llama";
    spec.n_layers = 1;
    spec.n_embd = 64;
    spec.n_heads = 4;
    spec.n_kv_heads = 2;
    spec.head_dim = 16;
    spec.n_rot = 16;
    spec.n_ff = 128;
    spec.n_vocab = 96;
    spec.n_ctx_train = 4224;
    return spec;
}

UniformSpec small_gpt2() {
    UniformSpec spec = small_llama();
    spec.architecture = "gpt2";
    spec.n_kv_heads = spec.n_heads;
    spec.norm = model::Norm::LayerNorm;
    spec.activation = model::Activation::Gelu;
    spec.rotation = model::Rotation::None;
    return spec;
}

UniformSpec two_layers(UniformSpec spec) {
    spec.n_layers = 2;
    spec.n_ctx_train = 640;
    return spec;
}

void make_convolution(model::DecoderSpec& spec, uint32_t layer, uint32_t taps) {
    const uint32_t n_ff = spec.layers[layer].n_ff;
    spec.layers[layer] = {.mixer = model::Mixer::Convolution,
                          .n_heads = 1,
                          .n_kv_heads = 1,
                          .head_dim = spec.n_embd,
                          .n_ff = n_ff,
                          .window = taps};
}

std::vector<RandomModel> two_layer_models() {
    std::vector<RandomModel> all;
    all.emplace_back(two_layers(small_llama()), RandomModel::Options{.type = TensorType::Q4_0, .biases = true});
    UniformSpec gpt2 = two_layers(small_gpt2());
    gpt2.n_ff = 800;
    all.emplace_back(std::move(gpt2), RandomModel::Options{.type = TensorType::Q8_0, .biases = true, .tied = true});
    return all;
}

RandomModel::RandomModel(const model::DecoderSpec& spec, const Options& options) : spec_(spec), noise_(options.seed) {
    const TensorType type = options.type;
    const bool layer_norm = spec.norm == model::Norm::LayerNorm;
    const auto vector = [&](Role role, uint32_t layer, uint64_t n, double scale, double offset) {
        add(role, layer, TensorType::F32, 1, n, scale, offset);
    };
    // Uniform in [-s, s] has the variance s^2 / 3: a matmul with K inputs of variance 1 keeps it for s = sqrt(3 / K).
    const auto matrix = [&](Role role, uint32_t layer, uint64_t rows, uint64_t cols, double gain = 1) {
        const auto own = options.types.find(role);
        add(role, layer, own == options.types.end() ? type : own->second, rows, cols,
            gain * std::sqrt(3.0 / static_cast<double>(cols)));
    };
    add(Role::TokenEmbedding, 0, type, spec.n_vocab, spec.n_embd, options.tied ? 0.5 : 1.5);
    if (spec.has_learned_positions) {
        add(Role::PositionEmbedding, 0, TensorType::F32, spec.n_ctx_train, spec.n_embd, 0.5);
    } else if (spec.longrope_context != 0) {
        vector(Role::RopeFactorsShort, 0, spec.n_rot() / 2, 3, 4);
        vector(Role::RopeFactorsLong, 0, spec.n_rot() / 2, 3, 8);
    } else if (options.rope_factors) {
        vector(Role::RopeFactors, 0, spec.n_rot() / 2, 3, 4);
    }
    for (uint32_t l = 0; l < spec.n_layers(); ++l) {
        const model::LayerSpec& layer = spec.layers[l];
        for (const auto& [weight, bias, post] : {std::tuple{Role::AttnNorm, Role::AttnNormBias, Role::AttnPostNorm},
                                                 std::tuple{Role::FfnNorm, Role::FfnNormBias, Role::FfnPostNorm}}) {
            if (spec.has_pre_norms) vector(weight, l, spec.n_embd, 0.3, 1);
            if (spec.has_pre_norms && layer_norm) vector(bias, l, spec.n_embd, 0.2, 0);
            if (spec.has_post_norms) vector(post, l, spec.n_embd, 0.3, 1);
        }
        for (const Role role : {Role::AttnQNorm, Role::AttnKNorm}) {
            if (layer.qk_norm != model::QkNorm::None) vector(role, l, model::shape_of(role, spec, l).cols, 0.5, 1);
        }
        matrix(Role::AttnQ, l, layer.q_rows(), spec.n_embd, 2);  // so that attention is far from uniform
        matrix(Role::AttnK, l, layer.kv_rows(), spec.n_embd);
        matrix(Role::AttnV, l, layer.kv_rows(), spec.n_embd);
        matrix(Role::AttnOutput, l, spec.n_embd, layer.q_rows(), 2);
        if (layer.is_convolution()) add(Role::ConvTaps, l, TensorType::F32, spec.n_embd, layer.window, 1);
        if (model::is_gated(spec.activation)) matrix(Role::FfnGate, l, layer.n_ff, spec.n_embd);
        matrix(Role::FfnUp, l, layer.n_ff, spec.n_embd);
        matrix(Role::FfnDown, l, spec.n_embd, layer.n_ff, 2);
        if (!options.biases) continue;
        if (!layer.is_convolution()) {
            vector(Role::AttnQBias, l, layer.q_rows(), 0.5, 0);
            vector(Role::AttnKBias, l, layer.kv_rows(), 0.5, 0);
            vector(Role::AttnVBias, l, layer.kv_rows(), 0.5, 0);
            vector(Role::AttnOutputBias, l, spec.n_embd, 0.5, 0);
        }
        if (model::is_gated(spec.activation)) vector(Role::FfnGateBias, l, layer.n_ff, 0.5, 0);
        vector(Role::FfnUpBias, l, layer.n_ff, 0.5, 0);
        vector(Role::FfnDownBias, l, spec.n_embd, 0.5, 0);
    }
    vector(Role::OutputNorm, 0, spec.n_embd, 0.3, 1);
    if (layer_norm) vector(Role::OutputNormBias, 0, spec.n_embd, 0.2, 0);
    if (!options.tied) matrix(Role::Output, 0, spec.n_vocab, spec.n_embd);
}

void RandomModel::add(Role role, uint32_t layer, TensorType type, uint64_t rows, uint64_t cols, double scale,
                      double offset) {
    Tensor tensor{role, layer, random_blocks(type, rows * cols, scale, noise_), {}};
    if (offset != 0) {  // vectors only
        for (uint64_t i = 0; i < cols; ++i) {
            float value;
            std::memcpy(&value, &tensor.bytes[4 * i], 4);
            value += static_cast<float>(offset);
            std::memcpy(&tensor.bytes[4 * i], &value, 4);
        }
    }
    tensor.view = {type, rows, cols, tensor.bytes};
    tensors_.push_back(std::move(tensor));
}

void RandomModel::set(Role role, uint32_t layer, uint64_t cols, std::span<const float> values) {
    std::erase_if(tensors_, [&](const Tensor& t) { return t.role == role && t.layer == layer; });
    const auto bytes = std::as_bytes(values);
    Tensor tensor{role, layer, {bytes.begin(), bytes.end()}, {}};
    tensor.view = {TensorType::F32, values.size() / cols, cols, tensor.bytes};
    tensors_.push_back(std::move(tensor));
}

void RandomModel::set_embedding(int32_t token, float value) {
    const model::TensorView& view = *find(Role::TokenEmbedding);
    std::vector<float> embedding(view.rows * view.cols);
    model::dequantize(TensorType::F32, view.data, embedding);
    std::fill_n(embedding.begin() + static_cast<ptrdiff_t>(static_cast<uint64_t>(token) * view.cols), view.cols, value);
    set(Role::TokenEmbedding, 0, view.cols, embedding);
}

std::vector<model::Weight> RandomModel::weights() const {
    std::vector<model::Weight> all;
    for (const Tensor& tensor : tensors_) all.push_back({tensor.role, tensor.layer, tensor.view});
    return all;
}

const model::TensorView* RandomModel::find(Role role, uint32_t layer) const {
    for (const Tensor& tensor : tensors_) {
        if (tensor.role == role && tensor.layer == layer) return &tensor.view;
    }
    return nullptr;
}

}  // namespace llmd::test
