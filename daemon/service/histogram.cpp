#include "service/histogram.h"

#include <cmath>

namespace llmd::service {

double Histogram::end_of(size_t bucket) {
    constexpr std::array<double, kPerDecade> kSteps = {1, 2, 5};
    return kSteps[bucket % kPerDecade] * std::pow(10.0, static_cast<int>(bucket / kPerDecade));
}

void Histogram::add(double value) {
    size_t bucket = 0;
    while (bucket + 1 < buckets_.size() && value > end_of(bucket)) ++bucket;
    ++buckets_[bucket];
    ++count_;
    sum_ += value;
}

double Histogram::quantile(double share) const {
    if (count_ == 0) return 0;
    const double wanted = share * static_cast<double>(count_);
    uint64_t seen = 0;
    for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen > 0 && static_cast<double>(seen) >= wanted) return end_of(bucket);
    }
    return end_of(buckets_.size() - 1);
}

}  // namespace llmd::service
