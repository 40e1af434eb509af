#include "engine/model/decoder_spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace llmd::model {
namespace {

template <typename Width>
uint32_t widest(const DecoderSpec& spec, Width width) {
    uint32_t result = 0;
    for (const LayerSpec& layer : spec.layers) result = std::max<uint32_t>(result, width(layer));
    return result;
}

}  // namespace

float LayerSpec::scale_of_scores() const {
    return score_scale != 0 ? score_scale : 1.0f / std::sqrt(static_cast<float>(head_dim));
}

uint32_t DecoderSpec::max_q_rows() const {
    return widest(*this, [](const LayerSpec& layer) { return layer.q_rows(); });
}

uint32_t DecoderSpec::max_kv_rows() const {
    return widest(*this, [](const LayerSpec& layer) { return layer.kv_rows(); });
}

uint32_t DecoderSpec::max_ff() const {
    return widest(*this, [](const LayerSpec& layer) { return layer.n_ff; });
}

uint32_t DecoderSpec::n_rot() const {
    return widest(*this, [](const LayerSpec& layer) { return layer.n_rot; });
}

namespace {

// By how much of the way pair i goes from its own frequency (0) to the one divided by rope_factor (1).
std::vector<double> interpolations(const Rope& rope, uint32_t n_rot) {
    std::vector<double> all(n_rot / 2, 1.0);
    if (!rope.yarn) return all;
    // The pair that turns `turns` times over the original context.
    const auto pair_of = [&](double turns) {
        return n_rot * std::log(rope.yarn->original_context / (2 * std::numbers::pi * turns)) /
               (2 * std::log(double{rope.theta}));
    };
    const double first = std::max(std::floor(pair_of(rope.yarn->beta_fast)), 0.0);
    const double last = std::min(std::ceil(pair_of(rope.yarn->beta_slow)), n_rot - 1.0);
    constexpr double kLeastWidth = 0.001;  // of the blend, where both are the same pair
    for (size_t i = 0; i < all.size(); ++i) {
        all[i] = std::clamp((static_cast<double>(i) - first) / std::max(last - first, kLeastWidth), 0.0, 1.0);
    }
    return all;
}

}  // namespace

std::vector<double> rotation_frequencies(const Rope& rope, uint32_t n_rot, std::span<const float> factors) {
    std::vector<double> frequencies(n_rot / 2);
    const std::vector<double> interpolated = interpolations(rope, n_rot);
    for (size_t i = 0; i < frequencies.size(); ++i) {
        const double factor = factors.empty() ? 1.0 : double{factors[i]};
        const double own = std::pow(double{rope.theta}, -2.0 * static_cast<double>(i) / n_rot);
        frequencies[i] = own / (rope.factor * factor);
        if (interpolated[i] < 1) {
            frequencies[i] = (own * (1 - interpolated[i]) + own / rope.factor * interpolated[i]) / factor;
        }
    }
    return frequencies;
}

void fill_rotation(std::span<const double> frequencies, float magnitude, uint32_t position, std::span<float> out) {
    float* to = out.data();
    for (const double frequency : frequencies) {
        const double angle = position * frequency;
        *to++ = static_cast<float>(std::cos(angle) * magnitude);
        *to++ = static_cast<float>(std::sin(angle) * magnitude);
    }
}

void fill_rotations(const Rope& rope, uint32_t n_rot, std::span<const float> factors, std::span<float> out) {
    const std::vector<double> frequencies = rotation_frequencies(rope, n_rot, factors);
    const size_t width = 2 * frequencies.size();
    for (uint32_t position = 0; position * width < out.size(); ++position) {
        fill_rotation(frequencies, rope.magnitude, position, out.subspan(position * width, width));
    }
}

}  // namespace llmd::model
