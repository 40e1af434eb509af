// Decides when to submit what is queued, so that no submission keeps the device busy for long: a phone's GPU cannot
// interrupt one, and the compositor waits behind it (an Adreno 630 drops frames). Launches are never timed on their
// own: the time of a whole step, divided by the work-items of its launches, predicts the next step's. It is a pure
// state machine; time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace llmd::compute {

// Half of 8 ms, which is half a frame and the most that a submission may take while the screen is on (nobody tells the
// engine whether it is): work-items differ, so an estimate may be wrong by half.
inline constexpr std::chrono::milliseconds kPlannedSubmission{4};
// The cost of a launch itself, in work-items.
inline constexpr uint64_t kLaunchItems = 2048;
// Steps of fewer launches say little about the cost of a work-item.
inline constexpr uint32_t kMinMeasuredLaunches = 16;
// A step that costs less than expected changes the estimate by this part of itself: steps of prefill, whose items cost
// several times more, come and go.
inline constexpr double kDecay = 1.0 / 16;

class SubmitPacer {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // Whether what is queued must be submitted before a launch of so many work-items is queued. Until a first step has
    // been measured, always.
    bool must_submit_before(uint64_t items) const;
    void on_launch(uint64_t items);
    // Everything queued has been handed to the device.
    void on_submit(TimePoint now);
    // A step ends here; on_step_done() will say when the device has computed it. Several may be in flight.
    void on_step_queued();
    // The oldest of them is done.
    void on_step_done(TimePoint now);
    // Everything is done, without on_step_queued().
    void on_all_done(TimePoint now);

private:
    struct Work {
        uint64_t items = 0;  // and kLaunchItems for each launch
        uint32_t launches = 0;
    };
    void measure(const Work& work, TimePoint now);

    double ns_per_item_ = 0;          // 0: unknown
    uint64_t queued_items_ = 0;       // since the last submission
    Work step_;                       // since the last on_step_queued()
    std::vector<Work> on_their_way_;  // steps that are queued and not done
    bool is_busy_ = false;            // something was submitted that is not known to be done
    TimePoint busy_since_{};          // or since the step before was done
};

}  // namespace llmd::compute
