#include "remote/repetition.h"

#include <algorithm>

namespace llmd::remote {

namespace {

constexpr size_t kTelling = 8;  // tokens: the first ones may be slow

}  // namespace

bool Repetition::take(std::span<const int32_t> ids) {
    if (ids.size() > known_.size() - n_) return false;
    const bool is_same = std::equal(ids.begin(), ids.end(), known_.begin() + static_cast<ptrdiff_t>(n_),
                                    [](int32_t a, int32_t b) { return a == b || a == kUnknownId || b == kUnknownId; });
    n_ += is_same ? ids.size() : 0;
    return is_same;
}

Milliseconds Repetition::estimate(Milliseconds elapsed) const {
    if (n_ < kTelling) return Milliseconds(0);
    return elapsed * static_cast<int64_t>(known_.size()) / static_cast<int64_t>(n_);
}

}  // namespace llmd::remote
