// How a measured quantity is spread, in a few bytes however often it was measured. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace llmd::service {

class Histogram {
public:
    void add(double value);

    uint64_t count() const { return count_; }
    double sum() const { return sum_; }
    // A value that `share` (0 to 1) of the measured ones do not exceed, rounded up to the end of its bucket: 1, 2, 5,
    // 10, 20, 50 … What is beyond the last one counts as that. 0 when nothing was measured.
    double quantile(double share) const;

private:
    static constexpr size_t kDecades = 7;  // up to 5 million: an hour and more in ms
    static constexpr size_t kPerDecade = 3;

    static double end_of(size_t bucket);

    std::array<uint64_t, kDecades * kPerDecade> buckets_{};
    uint64_t count_ = 0;
    double sum_ = 0;
};

}  // namespace llmd::service
