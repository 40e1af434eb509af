#include "engine/model/decoder_spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace llmd::model {
namespace {

template <typename Width>
uint32_t widest(const DecoderSpec& spec, Width width) {
    uint32_t result = 0;
    for (const LayerSpec& layer : spec.layers) result = std::max<uint32_t>(result, width(layer));
    return result;
}

}  // namespace

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

void fill_rotations(const DecoderSpec& spec, std::span<const float> factors, std::span<float> out) {
    const uint32_t n_rot = spec.n_rot();
    std::vector<double> frequencies(n_rot / 2);
    for (size_t i = 0; i < frequencies.size(); ++i) {
        const double factor = factors.empty() ? 1.0 : double{factors[i]};
        frequencies[i] =
            std::pow(double{spec.rope_theta}, -2.0 * static_cast<double>(i) / n_rot) / (spec.rope_factor * factor);
    }
    float* to = out.data();
    for (size_t position = 0; to < out.data() + out.size(); ++position) {
        for (const double frequency : frequencies) {
            const double angle = static_cast<double>(position) * frequency;
            *to++ = static_cast<float>(std::cos(angle));
            *to++ = static_cast<float>(std::sin(angle));
        }
    }
}

}  // namespace llmd::model
