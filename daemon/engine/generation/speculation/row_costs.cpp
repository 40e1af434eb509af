#include "engine/generation/speculation/row_costs.h"

#include <algorithm>
#include <numeric>

namespace llmd::generation {

namespace {

// A new measurement's weight: some ten steps decide.
constexpr double kWeight = 1.0 / 8;
// A step that waited for the processor tells nothing of rows, so that one measurement changes little at a time.
constexpr double kMostChange = 1.5;
// So much of what was measured is forgotten with each step of other rows: what is never chosen because it was dear once
// is tried again after some hundreds of tokens.
constexpr double kForgotten = 1.0 / 512;
// Steps for which the device's speed counts as known when none of as few rows has told it again: then the present step
// does.
constexpr uint32_t kSpeedKnown = 64;
// Drafts must give so much more tokens in the same time: costs and chances are only estimates.
constexpr double kLeastGain = 1.08;
// A host that takes as long as the device hides behind it all the same.
constexpr double kLeastAhead = 0.5;

}  // namespace

RowCosts::RowCosts(compute::BackendKind kind)
    : RowCosts(kind == compute::BackendKind::OpenCl ? kOpenClRowCost : kCpuRowCost, true) {}

RowCosts::RowCosts(double each, bool learns) : learns_(learns) {
    for (size_t i = 0; i < kPoints; ++i) expected_[i] = 1 + each * ((1u << i) - 1);
    points_ = expected_;
}

double RowCosts::cost(uint32_t rows) const {
    rows = std::max(rows, 1u);
    size_t i = 0;
    while (i + 2 < kPoints && rows > (2u << i)) ++i;
    const double low = 1u << i;
    return points_[i] + (points_[i + 1] - points_[i]) * (rows - low) / low;
}

void RowCosts::measured(uint32_t rows, std::chrono::microseconds time, bool is_ahead) {
    if (!learns_) return;
    const auto time_us = static_cast<double>(std::max<int64_t>(time.count(), 1));
    const double expected = cost(rows);
    if (is_ahead) {
        if (one_row_us_ == 0) return;
        ahead_ += kWeight * (std::clamp(time_us / (one_row_us_ * expected), kLeastAhead, 1.0) - ahead_);
        return;
    }
    if (one_row_us_ == 0) one_row_us_ = time_us / expected;
    const double ratio = std::clamp(time_us / (one_row_us_ * expected), 1 / kMostChange, kMostChange);
    if (rows <= fewest_ || ++n_since_fewest_ >= kSpeedKnown) {
        fewest_ = rows;
        n_since_fewest_ = 0;
    }
    const bool tells_speed = rows == fewest_;
    if (tells_speed) one_row_us_ *= 1 + kWeight * (ratio - 1);
    size_t i = 1;
    while (i + 1 < kPoints && (1u << i) < rows) ++i;  // the points beside `rows` are i - 1 and i
    const double low = 1u << (i - 1);
    const double share = std::min(1.0, (rows - low) / low);
    for (size_t p = 1; p < kPoints; ++p) {
        const double part = tells_speed ? 0 : p == i ? share : p == i - 1 ? 1 - share : 0;
        points_[p] *= 1 + kWeight * part * (ratio - 1);
        points_[p] += kForgotten * (1 - part) * (expected_[p] - points_[p]);
        points_[p] = std::max(points_[p], points_[0]);
    }
    // The last measurement is right: fewer rows cost no more, more rows no less.
    for (size_t p = i; p > 1; --p) points_[p - 1] = std::min(points_[p - 1], points_[p]);
    for (size_t p = i + 1; p < kPoints; ++p) points_[p] = std::max(points_[p], points_[p - 1]);
}

std::vector<uint32_t> worthwhile_drafts(std::span<const DraftChance> chances, uint32_t n_sequences, uint32_t base_rows,
                                        uint32_t base_tokens, uint32_t max_rows, const RowCosts& costs,
                                        bool may_run_ahead) {
    std::vector<uint32_t> order(chances.size());
    std::iota(order.begin(), order.end(), 0u);
    // The likeliest first. A sequence's rows keep their order, since none is likelier than the one before it.
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return chances[a].probability > chances[b].probability; });
    const double base_cost = costs.cost(base_rows) * (may_run_ahead ? costs.cost_ahead() : 1);
    const double base_rate = base_tokens / base_cost;
    double best_rate = base_rate * kLeastGain;
    double tokens = base_tokens;
    size_t n_best = 0;
    std::vector<uint32_t> taken(n_sequences);
    uint32_t n_served = 0;  // sequences that have a draft
    const size_t most = std::min<size_t>(order.size(), max_rows);
    for (size_t n = 0; n < most; ++n) {
        const uint32_t rows = base_rows + static_cast<uint32_t>(n) + 1;
        if (costs.time_us(rows) > kLongestDraftedStepUs) break;
        const DraftChance& one = chances[order[n]];
        n_served += taken[one.sequence]++ == 0 ? 1 : 0;
        if (!one.is_certain) tokens += one.probability;
        const double rate = tokens / costs.cost(rows);
        if (rate <= best_rate || (n_served < n_sequences && costs.cost(rows) > kMostWithOtherRows * base_cost))
            continue;
        best_rate = rate;
        n_best = n + 1;
    }
    std::ranges::fill(taken, 0u);
    for (const uint32_t i : std::span(order).first(n_best)) ++taken[chances[i].sequence];
    return taken;
}

}  // namespace llmd::generation
