// The median sums up measurements. Pure.
#pragma once

#include <algorithm>
#include <vector>

namespace llmd::bench {

// Precondition: there is at least one value.
inline double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace llmd::bench
