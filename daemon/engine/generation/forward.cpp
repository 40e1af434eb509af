#include "engine/generation/forward.h"

#include <algorithm>
#include <cmath>

namespace llmd::generation {

base::Result<void> submit_step(compute::Backend& backend, std::span<const compute::Row> rows,
                               std::span<const compute::SampleRequest> requests) {
    if (auto done = backend.begin(rows); !done) return done;
    if (auto done = backend.forward(); !done) return done;
    if (!requests.empty()) {
        if (auto done = backend.sample(requests); !done) return done;
    }
    return backend.submit();
}

base::Result<std::span<const compute::Sampled>> wait_step(compute::Backend& backend, size_t n_requests) {
    auto sampled = backend.wait();
    if (sampled && sampled->size() != n_requests) {
        return base::fail(base::ErrorCode::DeviceError, "the device answered ", sampled->size(), " of ", n_requests,
                          " rows");
    }
    return sampled;
}

base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests) {
    if (auto done = submit_step(backend, rows, requests); !done) return done.error();
    return wait_step(backend, requests.size());
}

void Pooling::add(std::span<const float> rows) {
    for (; !rows.empty(); rows = rows.subspan(sum_.size())) add_row(rows.first(sum_.size()));
}

void Pooling::add_row(std::span<const float> x) {
    if (type_ == model::PoolingType::First && has_rows_) return;
    if (type_ == model::PoolingType::Last) std::fill(sum_.begin(), sum_.end(), 0.0);
    has_rows_ = true;
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
