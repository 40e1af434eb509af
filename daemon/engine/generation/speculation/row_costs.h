// The cost of further rows of a step on this device, measured while it decodes, and how many drafted rows pay at that
// price. Pure, so that it is tested without a device.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"

namespace llmd::generation {

// Each further row costs so much of a step with one row until it is measured. CPU: four rows took 1.65 of one (GPT-2
// 124M Q4_0, two threads with AVX-512 VNNI). OpenCL: eight rows took 1.5 to 1.9 of one on an H200.
inline constexpr double kCpuRowCost = 0.65 / 3;
inline constexpr double kOpenClRowCost = 0.7 / 7;

class RowCosts {
public:
    explicit RowCosts(compute::BackendKind kind);
    // Each further row costs `each`, whatever is measured.
    static RowCosts exactly(double each) { return {each, false}; }

    // A step of so many rows, all of sequences that decode, took so long: alone, or submitted before the one before it
    // was done (Generator's steps ahead), and counted from its end.
    void measured(uint32_t rows, std::chrono::microseconds time, bool is_ahead);
    // The time of a step of so many rows that is alone, in steps of one row. It never falls with the rows.
    double cost(uint32_t rows) const;
    // The same in microseconds; 0 while nothing is measured.
    double time_us(uint32_t rows) const { return one_row_us_ * cost(rows); }
    // The time of a step ahead, in steps alone of as many rows; at most 1.
    double cost_ahead() const { return ahead_; }

private:
    // The costs of 1, 2, 4, … rows; between them they are interpolated, behind them extrapolated. Kernels that take
    // rows in fours or eights give a curve that is no line.
    static constexpr size_t kPoints = 6;
    using Points = std::array<double, kPoints>;

    RowCosts(double each, bool learns);

    Points expected_;
    Points points_;
    double one_row_us_ = 0;  // 0: not known yet
    // The fewest rows of a recent step, and how many steps ago that was. Such steps tell the device's speed, all others
    // what rows cost.
    uint32_t fewest_ = 1;
    uint32_t n_since_fewest_ = 0;
    double ahead_ = 1;
    bool learns_ = true;
};

// A new request, a cancel or another sequence's next token waits for so long at most (batch.h).
inline constexpr double kLongestDraftedStepUs = 250'000;
// A step that drafts some sequences' tokens takes at most so many times as long as without: the others get theirs
// later.
inline constexpr double kMostWithOtherRows = 1.25;

// One drafted row of a sequence.
struct DraftChance {
    uint32_t sequence = 0;    // the sequence's number in the step
    double probability = 0;   // that the row's token and all drafted ones before it are the sequence's next tokens
    bool is_certain = false;  // it is if those before it are: then it comes without a step of its own
};

// Returns how many of these rows, which are in the order of their sequences' tokens, are worth their time for each of
// n_sequences sequences: those that give the most tokens in a step's time. `base_rows` rows and `base_tokens` tokens
// come without them; then the step could be one ahead, if `may_run_ahead`. At most max_rows are taken, and no more than
// fit a step of kLongestDraftedStepUs, or where a sequence gets none, one that takes kMostWithOtherRows times as long.
std::vector<uint32_t> worthwhile_drafts(std::span<const DraftChance> chances, uint32_t n_sequences, uint32_t base_rows,
                                        uint32_t base_tokens, uint32_t max_rows, const RowCosts& costs,
                                        bool may_run_ahead);

}  // namespace llmd::generation
