// The time that a step may take before llmd takes the engine for hung: some times what steps have taken, so that a hang
// of an engine with work costs seconds and not a minute. Pure. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace llmd::engine {

// A step is sized to take 250 ms, but the first ones run before the speed is known, and a software device may share its
// two cores with a compiler. The budget covers those, because a hang lasts for ever and a killed step is lost work. No
// step gets more.
inline constexpr std::chrono::milliseconds kFirstStepBudget{60'000};
// So many steps tell what the next one takes: by then chunks of a prompt have grown to their size, which at most
// doubles from one to the next (PrefillPace).
inline constexpr uint32_t kStepsUntilKnown = 16;
// A step may take so many times the longest of the last ones: the cores are shared, and texts join and grow.
inline constexpr int kStepsOfBudget = 8;
// The least budget of a step. After a shortage of memory a step reads a gigabyte of weights again, from a slow card at
// 70 MB/s.
inline constexpr std::chrono::milliseconds kLeastStepBudget{15'000};

class StepBudget {
public:
    // A step has taken this long.
    void measured(std::chrono::milliseconds time) {
        n_steps_ = std::min(n_steps_ + 1, kStepsUntilKnown);
        // A long one counts for less with every step after it, and is forgotten after some hundred.
        longest_ = std::max(time, longest_ - longest_ / kForgetting);
    }
    // The budget of the next step.
    std::chrono::milliseconds next() const {
        if (n_steps_ < kStepsUntilKnown) return kFirstStepBudget;
        return std::clamp(kStepsOfBudget * longest_, kLeastStepBudget, kFirstStepBudget);
    }

private:
    static constexpr int kForgetting = 32;

    uint32_t n_steps_ = 0;
    std::chrono::milliseconds longest_{};
};

}  // namespace llmd::engine
