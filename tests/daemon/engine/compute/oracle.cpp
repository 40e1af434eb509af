#include "daemon/engine/compute/oracle.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::test {

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
    const auto first = weights(role).begin() + static_cast<std::ptrdiff_t>(size_t{r} * config_.n_embd);
    return {first, first + config_.n_embd};
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

Oracle::Vector Oracle::norm(Role weight, Role bias, uint32_t layer, const Vector& x, double steps) {
    const auto n = static_cast<double>(x.size());
    double mean = 0, square = 0;
    if (config_.norm == model::Norm::LayerNorm) {
        for (const double value : x) mean += value / n;
    }
    for (const double value : x) square += (value - mean) * (value - mean) / n;
    Vector out(x.size());
    const auto& w = weights(weight, layer);
    for (size_t i = 0; i < x.size(); ++i) out[i] = x[i] * w[i];
    out = rounded_early(std::move(out), steps);
    for (size_t i = 0; i < x.size(); ++i)
        out[i] = (out[i] - mean * w[i]) / std::sqrt(square + double{config_.norm_eps});
    add_bias(bias, layer, out);
    return out;
}

Oracle::Vector Oracle::rounded_early(Vector x, double steps) const {
    return rounding_.at_product ? x : rounded(std::move(x), steps);
}

Oracle::Vector Oracle::product(Role matrix, uint32_t layer, Vector x) {
    const bool quantised = model::block_format(model_.find(matrix, layer)->type).block_weights > 1;
    if (rounding_.at_product && quantised) x = rounded(std::move(x), rounding_.steps);
    const float* w = weights(matrix, layer).data();
    Vector out(weights(matrix, layer).size() / x.size());
    for (double& sum : out) {
        for (size_t k = 0; k < x.size(); ++k) sum += double{w[k]} * x[k];
        w += x.size();
    }
    return out;
}

void Oracle::add_bias(Role bias, uint32_t layer, Vector& to) {
    if (!has(bias, layer)) return;
    for (size_t i = 0; i < to.size(); ++i) to[i] += weights(bias, layer)[i];
}

void Oracle::rotate(Vector& heads) {
    if (config_.positions == model::Positions::Learned) return;
    const bool half_split = config_.positions == model::Positions::RotaryHalfSplit;
    const uint32_t n_pairs = config_.n_rot / 2;
    for (size_t head = 0; head < heads.size(); head += config_.head_dim) {
        for (uint32_t i = 0; i < n_pairs; ++i) {
            const double factor = has(Role::RopeFactors) ? weights(Role::RopeFactors)[i] : 1.0;
            const double angle = position_ / double{config_.rope_factor} *
                                 std::pow(double{config_.rope_theta}, -2.0 * i / config_.n_rot) / factor;
            double& a = heads[head + (half_split ? i : 2 * i)];
            double& b = heads[head + (half_split ? i + n_pairs : 2 * i + 1)];
            const double old_a = a, old_b = b;
            a = old_a * std::cos(angle) - old_b * std::sin(angle);
            b = old_a * std::sin(angle) + old_b * std::cos(angle);
        }
    }
}

Oracle::Vector Oracle::attend(uint32_t layer, const Vector& q) {
    const auto& keys = keys_[layer];
    const auto& values = values_[layer];
    Vector out(q.size());
    const uint32_t d = config_.head_dim;
    for (uint32_t h = 0; h < config_.n_heads; ++h) {
        const size_t kv = size_t{h / config_.heads_per_kv()} * d;
        Vector scores(keys.size());
        for (size_t t = 0; t < keys.size(); ++t) {
            for (uint32_t i = 0; i < d; ++i) scores[t] += q[h * d + i] * keys[t][kv + i] / std::sqrt(double(d));
        }
        const double largest = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (double& score : scores) sum += score = std::exp(score - largest);
        for (size_t t = 0; t < keys.size(); ++t) {
            for (uint32_t i = 0; i < d; ++i) out[h * d + i] += scores[t] / sum * values[t][kv + i];
        }
    }
    return out;
}

void Oracle::feed(int32_t token) {
    x_ = row(Role::TokenEmbedding, static_cast<uint32_t>(token));
    if (has(Role::PositionEmbedding)) {
        const Vector p = row(Role::PositionEmbedding, position_);
        for (size_t i = 0; i < x_.size(); ++i) x_[i] += p[i];
    }
    const auto add_to_x = [&](const Vector& y) {
        for (size_t i = 0; i < x_.size(); ++i) x_[i] += y[i];
    };
    for (uint32_t l = 0; l < config_.n_layers; ++l) {
        Vector n = norm(Role::AttnNorm, Role::AttnNormBias, l, x_, rounding_.qkv_steps);
        Vector q = product(Role::AttnQ, l, n), k = product(Role::AttnK, l, n), v = product(Role::AttnV, l, n);
        add_bias(Role::AttnQBias, l, q);
        add_bias(Role::AttnKBias, l, k);
        add_bias(Role::AttnVBias, l, v);
        rotate(q);
        rotate(k);
        std::transform(k.begin(), k.end(), k.begin(), through_half);
        std::transform(v.begin(), v.end(), v.begin(), through_half);
        keys_[l].push_back(std::move(k));
        values_[l].push_back(std::move(v));
        Vector o = product(Role::AttnOutput, l, rounded_early(attend(l, q), rounding_.steps));
        add_bias(Role::AttnOutputBias, l, o);
        add_to_x(o);

        n = norm(Role::FfnNorm, Role::FfnNormBias, l, x_, rounding_.steps);
        Vector up = product(Role::FfnUp, l, n);
        add_bias(Role::FfnUpBias, l, up);
        if (config_.activation == model::Activation::SwiGlu) {
            const Vector gate = product(Role::FfnGate, l, n);
            for (size_t i = 0; i < up.size(); ++i) up[i] *= gate[i] / (1 + std::exp(-gate[i]));
        } else {
            for (double& u : up) u *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
        }
        Vector y = product(Role::FfnDown, l, rounded_early(std::move(up), rounding_.steps));
        add_bias(Role::FfnDownBias, l, y);
        add_to_x(y);
    }
    ++position_;
}

std::vector<double> Oracle::logits() {
    const Vector n = norm(Role::OutputNorm, Role::OutputNormBias, 0, x_, rounding_.steps);
    return product(has(Role::Output) ? Role::Output : Role::TokenEmbedding, 0, n);
}

}  // namespace llmd::test
