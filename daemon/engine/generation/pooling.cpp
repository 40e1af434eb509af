#include "engine/generation/pooling.h"

#include <cmath>

namespace llmd::generation {

void Pooling::add(std::span<const float> rows) {
    for (; !rows.empty(); rows = rows.subspan(sum_.size())) add_row(rows.first(sum_.size()));
}

void Pooling::add_row(std::span<const float> x) {
    const auto n = static_cast<double>(x.size());
    double mean = 0;
    if (norm_.kind == model::Norm::LayerNorm) {
        for (const float value : x) mean += value;
        mean /= n;
    }
    double square = 0;
    for (const float value : x) square += (value - mean) * (value - mean);
    const double scale = 1 / std::sqrt(square / n + norm_.epsilon);
    for (size_t i = 0; i < x.size(); ++i) normed_[i] = (x[i] - mean) * scale * norm_.weight[i];
    for (size_t i = 0; i < norm_.bias.size(); ++i) normed_[i] += norm_.bias[i];
    for (size_t i = 0; i < x.size(); ++i) sum_[i] += normed_[i];
}

base::Result<std::vector<float>> Pooling::embedding() const {
    double square = 0;
    for (const double value : sum_) square += value * value;
    const double length = std::sqrt(square);
    if (!std::isfinite(length) || length == 0) {
        return base::fail(base::ErrorCode::DeviceError, "the embedding has length ", length, " before it is scaled");
    }
    std::vector<float> out(sum_.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(sum_[i] / length);
    return out;
}

}  // namespace llmd::generation
