#include "remote/stop_filter.h"

#include <algorithm>
#include <utility>

namespace llmd::remote {

std::string StopFilter::feed(std::string_view text) {
    if (has_stopped_) return {};
    held_ += text;
    size_t first = std::string::npos;
    for (const std::string& stop : stops_) first = std::min(first, held_.find(stop));
    if (first != std::string::npos) {
        has_stopped_ = true;
        held_.resize(first);
        return std::exchange(held_, {});
    }
    size_t n_held = 0;
    for (const std::string& stop : stops_) {
        for (size_t n = std::min(stop.size() - 1, held_.size()); n > n_held; --n) {
            if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, n))) n_held = n;
        }
    }
    std::string certain = held_.substr(0, held_.size() - n_held);
    held_.erase(0, certain.size());
    return certain;
}

std::string StopFilter::finish() {
    return std::exchange(held_, {});
}

}  // namespace llmd::remote
