#include "engine/compute/rotary_angles.h"

#include <cmath>
#include <vector>

namespace llmd::compute {

void fill_rotary_turns(const model::ModelConfig& config, std::span<const float> factors, std::span<float> out) {
    std::vector<double> frequencies(config.n_rot / 2);
    for (size_t i = 0; i < frequencies.size(); ++i) {
        const double factor = factors.empty() ? 1.0 : double{factors[i]};
        frequencies[i] = std::pow(double{config.rope_theta}, -2.0 * static_cast<double>(i) / config.n_rot) /
                         (config.rope_factor * factor);
    }
    float* turn = out.data();
    for (size_t position = 0; turn < out.data() + out.size(); ++position) {
        for (const double frequency : frequencies) {
            const double angle = static_cast<double>(position) * frequency;
            *turn++ = static_cast<float>(std::cos(angle));
            *turn++ = static_cast<float>(std::sin(angle));
        }
    }
}

}  // namespace llmd::compute
