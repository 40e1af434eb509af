#include "daemon/engine/compute/oracle.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::test {

using base::Result;
using compute::Reader;
using model::Role;

namespace {

double through_half(double value) {
    return model::half_to_float(model::float_to_half(static_cast<float>(value)));
}

}  // namespace

const std::vector<float>& Oracle::weights(Role role, uint32_t layer) {
    std::vector<float>& floats = dequantized_[{role, layer}];
    if (floats.empty()) {
        const model::TensorView& tensor = *model_.find(role, layer);
        floats.resize(tensor.rows * tensor.cols);
        model::dequantize(tensor.type, tensor.data, floats);
        const bool is_matrix = !model::is_vector(role) && role != Role::PositionEmbedding;
        if (rounding_.to_half_weights && is_matrix && compute::gpu::is_rounded(tensor.type)) {
            for (float& weight : floats) weight = model::half_to_float(model::float_to_half(weight));
        }
    }
    return floats;
}

Oracle::Vector Oracle::row(Role role, uint32_t r) {
    const auto first = weights(role).begin() + static_cast<std::ptrdiff_t>(size_t{r} * spec_.n_embd);
    return {first, first + spec_.n_embd};
}

Oracle::Vector Oracle::rounded(Vector x, double steps) const {
    constexpr size_t kBlock = 32;
    for (size_t first = 0; steps != 0 && first < x.size(); first += kBlock) {
        const auto block = std::span(x).subspan(first, std::min(kBlock, x.size() - first));
        double largest = 0;
        for (const double value : block) largest = std::max(largest, std::abs(value));
        const double unit = largest / steps;
        for (double& value : block) value = largest == 0 ? 0 : std::nearbyint(value / unit) * unit;
    }
    return x;
}

Oracle::Vector Oracle::norm(Role role, uint32_t layer, const Vector& x, double steps) {
    const auto n = static_cast<double>(x.size());
    double mean = 0, square = 0;
    if (spec_.norm == model::Norm::LayerNorm) {
        for (const double value : x) mean += value / n;
    }
    for (const double value : x) square += (value - mean) * (value - mean) / n;
    Vector out(x.size());
    const auto& w = weights(role, layer);
    for (size_t i = 0; i < x.size(); ++i) out[i] = x[i] * w[i];
    out = rounded_early(std::move(out), steps);
    for (size_t i = 0; i < x.size(); ++i) out[i] = (out[i] - mean * w[i]) / std::sqrt(square + double{spec_.norm_eps});
    add_bias(role, layer, out);
    return out;
}

Oracle::Vector Oracle::rounded_early(Vector x, double steps) const {
    return rounding_.at_matmul ? x : rounded(std::move(x), steps);
}

Oracle::Vector Oracle::matmul(Role role, uint32_t layer, Vector x, bool is_normed) {
    const Role matrix = role == Role::Output && !has(Role::Output) ? Role::TokenEmbedding : role;
    if (!is_normed) x = rounded_early(std::move(x), steps_into(role));
    const bool quantised = model::block_layout(model_.find(matrix, layer)->type).block_weights > 1;
    if (rounding_.at_matmul && quantised) x = rounded(std::move(x), rounding_.steps);
    const float* w = weights(matrix, layer).data();
    Vector out(weights(matrix, layer).size() / x.size());
    for (double& sum : out) {
        for (size_t k = 0; k < x.size(); ++k) sum += double{w[k]} * x[k];
        w += x.size();
    }
    add_bias(role, layer, out);
    return out;
}

double Oracle::steps_into(Role matrix) const {
    const bool is_of_qkv = matrix == Role::AttnQ || matrix == Role::AttnK || matrix == Role::AttnV;
    return is_of_qkv ? rounding_.qkv_steps : rounding_.steps;
}

Oracle::Vector Oracle::multiply_residual(Role matrix, uint32_t layer) {
    const auto norm_role = model::norm_before(matrix, spec_);
    if (!norm_role) return matmul(matrix, layer, residual_, false);
    return matmul(matrix, layer, norm(*norm_role, layer, residual_, steps_into(matrix)), true);
}

void Oracle::add_bias(Role of, uint32_t layer, Vector& to) {
    const auto bias = model::bias_of(of);
    if (!bias || !has(*bias, layer)) return;
    for (size_t i = 0; i < to.size(); ++i) to[i] += weights(*bias, layer)[i];
}

void Oracle::norm_heads(Role role, uint32_t layer, Vector& heads) {
    const model::LayerSpec& of = spec_.layers[layer];
    if (of.qk_norm == model::QkNorm::None) return;
    const size_t width = of.qk_norm == model::QkNorm::Row ? heads.size() : of.head_dim;
    const auto& w = weights(role, layer);
    for (size_t head = 0; head < heads.size(); head += width) {
        double square = 0;
        for (size_t i = 0; i < width; ++i) square += heads[head + i] * heads[head + i] / static_cast<double>(width);
        for (size_t i = 0; i < width; ++i) heads[head + i] *= w[i] / std::sqrt(square + double{spec_.norm_eps});
    }
}

// The frequency of one pair of dimensions, in radians a position.
double Oracle::frequency(const model::LayerSpec& layer, uint32_t pair) {
    const model::Rope& rope = spec_.ropes[layer.rope];
    const double divisor = layer.rope == 0 && has(rope_factors_) ? weights(rope_factors_)[pair] : 1.0;
    const double own = std::pow(double{rope.theta}, -2.0 * pair / layer.n_rot) / divisor;
    if (!rope.yarn) return own / double{rope.factor};
    // The pair that turns so often over the original context.
    const auto corner = [&](double turns) {
        return layer.n_rot * std::log(rope.yarn->original_context / (turns * 2 * M_PI)) /
               (2 * std::log(double{rope.theta}));
    };
    const double low = std::max(0.0, std::floor(corner(rope.yarn->beta_fast)));
    const double high = std::min(layer.n_rot - 1.0, std::ceil(corner(rope.yarn->beta_slow)));
    const double blend = std::clamp((pair - low) / std::max(0.001, high - low), 0.0, 1.0);
    return own * (1 - blend) + own / double{rope.factor} * blend;
}

void Oracle::rotate(const model::LayerSpec& layer, Vector& heads) {
    if (layer.rotation == model::Rotation::None) return;
    const bool half_split = layer.rotation == model::Rotation::HalfSplit;
    const uint32_t n_pairs = layer.n_rot / 2;
    for (size_t head = 0; head < heads.size(); head += layer.head_dim) {
        for (uint32_t i = 0; i < n_pairs; ++i) {
            const double angle = position_ * frequency(layer, i), m = double{spec_.ropes[layer.rope].magnitude};
            double& a = heads[head + (half_split ? i : 2 * i)];
            double& b = heads[head + (half_split ? i + n_pairs : 2 * i + 1)];
            const double old_a = a, old_b = b;
            a = m * (old_a * std::cos(angle) - old_b * std::sin(angle));
            b = m * (old_a * std::sin(angle) + old_b * std::cos(angle));
        }
    }
}

void Oracle::multiply_qkv(uint32_t layer) {
    query_ = multiply_residual(Role::AttnQ, layer);
    key_ = multiply_residual(Role::AttnK, layer);
    value_ = multiply_residual(Role::AttnV, layer);
}

Result<void> Oracle::make_qkv(uint32_t layer) {
    multiply_qkv(layer);
    const model::LayerSpec& of = spec_.layers[layer];
    const auto norm_both = [&] {
        norm_heads(Role::AttnQNorm, layer, query_);
        norm_heads(Role::AttnKNorm, layer, key_);
    };
    if (!of.norms_after_rotation) norm_both();
    rotate(of, query_);
    rotate(of, key_);
    if (of.norms_after_rotation) norm_both();
    for (const auto& [from, to] : {std::pair{&key_, &key_cache_}, {&value_, &value_cache_}}) {
        Vector halves = *from;
        std::transform(halves.begin(), halves.end(), halves.begin(), through_half);
        (*to)[layer].push_back(std::move(halves));
    }
    return {};
}

Result<void> Oracle::attend(uint32_t layer) {
    const auto& keys = key_cache_[layer];
    const auto& values = value_cache_[layer];
    const Vector& q = query_;
    mixed_.assign(q.size(), 0);
    Vector& out = mixed_;
    const model::LayerSpec& of = spec_.layers[layer];
    const uint32_t d = of.head_dim;
    double scale = of.score_scale != 0 ? double{of.score_scale} : 1 / std::sqrt(double(d));
    if (spec_.temperature_slope != 0) {
        const uint32_t contexts = position_ / spec_.temperature_context;
        scale *= 1 + double{spec_.temperature_slope} * std::log(1.0 + contexts);
    }
    for (uint32_t h = 0; h < of.n_heads; ++h) {
        const size_t kv = size_t{h / of.heads_per_kv()} * d;
        const size_t first = of.window == 0 || keys.size() < of.window ? 0 : keys.size() - of.window;
        Vector scores(keys.size());
        for (size_t t = first; t < keys.size(); ++t) {
            for (uint32_t i = 0; i < d; ++i) scores[t] += q[h * d + i] * keys[t][kv + i] * scale;
        }
        for (double& score : scores) {
            if (of.score_cap != 0) score = double{of.score_cap} * std::tanh(score / double{of.score_cap});
        }
        const double largest = *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(first), scores.end());
        double sum = 0;
        for (size_t t = first; t < keys.size(); ++t) sum += scores[t] = std::exp(scores[t] - largest);
        for (size_t t = first; t < keys.size(); ++t) {
            for (uint32_t i = 0; i < d; ++i) out[h * d + i] += scores[t] / sum * values[t][kv + i];
        }
    }
    return {};
}

Result<void> Oracle::convolve(uint32_t layer) {
    multiply_qkv(layer);
    std::vector<Vector>& products = product_cache_[layer];
    Vector product = key_;
    for (size_t i = 0; i < product.size(); ++i) product[i] *= value_[i];
    products.push_back(std::move(product));
    const auto& taps = weights(Role::ConvTaps, layer);
    const size_t n_taps = spec_.layers[layer].window;
    mixed_.assign(query_.size(), 0);
    for (size_t i = 0; i < mixed_.size(); ++i) {
        for (size_t back = 0; back < std::min(n_taps, products.size()); ++back) {
            mixed_[i] += taps[i * n_taps + n_taps - 1 - back] * products[products.size() - 1 - back][i];
        }
        mixed_[i] *= query_[i];
    }
    return {};
}

void Oracle::activate(const Vector& gate, Vector& up) const {
    const auto gelu = [](double u) {
        return u * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
    };
    if (spec_.activation == model::Activation::SwiGlu) {
        for (size_t i = 0; i < up.size(); ++i) up[i] *= gate[i] / (1 + std::exp(-gate[i]));
    } else if (spec_.activation == model::Activation::GeGlu) {
        for (size_t i = 0; i < up.size(); ++i) up[i] *= gelu(gate[i]);
    } else if (spec_.activation == model::Activation::ReluSquared) {
        for (double& u : up) u = std::max(u, 0.0) * std::max(u, 0.0);
    } else {
        for (double& u : up) u = gelu(u);
    }
}

Result<void> Oracle::embed(const Reader&) {
    residual_ = row(Role::TokenEmbedding, static_cast<uint32_t>(token_));
    for (double& value : residual_) value *= double{spec_.embedding_scale};
    if (!has(Role::PositionEmbedding)) return {};
    const Vector p = row(Role::PositionEmbedding, position_);
    for (size_t i = 0; i < residual_.size(); ++i) residual_[i] += p[i];
    return {};
}

Result<void> Oracle::feed_forward(uint32_t layer) {
    Vector gate;
    if (model::is_gated(spec_.activation)) gate = multiply_residual(Role::FfnGate, layer);
    mixed_ = multiply_residual(Role::FfnUp, layer);
    activate(gate, mixed_);
    return {};
}

Result<void> Oracle::add_to_residual(Role matrix, uint32_t layer, const Reader&) {
    Vector projected = matmul(matrix, layer, mixed_, false);
    // The result of this norm goes into no matmul.
    if (const auto post = model::norm_behind(matrix, spec_)) projected = norm(*post, layer, projected, 0);
    for (size_t i = 0; i < residual_.size(); ++i) residual_[i] += double{spec_.residual_scale} * projected[i];
    return {};
}

void Oracle::feed(int32_t token) {
    token_ = token;
    static_cast<void>(compute::decode(spec_, *this));
    ++position_;
}

std::vector<double> Oracle::logits() {
    std::vector<double> logits = multiply_residual(Role::Output, 0);
    for (double& logit : logits) {
        logit *= double{spec_.logit_scale};
        if (spec_.logit_cap != 0) logit = double{spec_.logit_cap} * std::tanh(logit / double{spec_.logit_cap});
    }
    return logits;
}

}  // namespace llmd::test
