#include "engine/compute/opencl/runtime/submit_pacer.h"

namespace llmd::compute {

bool SubmitPacer::must_submit_before(uint64_t items) const {
    if (queued_items_ == 0) return false;
    const auto all = static_cast<double>(queued_items_ + kLaunchItems + items);
    constexpr double kPlannedNs = std::chrono::nanoseconds(kPlannedSubmission).count();
    return ns_per_item_ == 0 || all * ns_per_item_ > kPlannedNs;
}

void SubmitPacer::on_launch(uint64_t items) {
    queued_items_ += kLaunchItems + items;
    step_.items += kLaunchItems + items;
    ++step_.launches;
}

void SubmitPacer::on_submit(TimePoint now) {
    queued_items_ = 0;
    if (!is_busy_) busy_since_ = now;
    is_busy_ = true;
}

void SubmitPacer::on_step_queued() {
    on_their_way_.push_back(step_);
    step_ = {};
}

void SubmitPacer::on_step_done(TimePoint now) {
    if (on_their_way_.empty()) return;
    measure(on_their_way_.front(), now);
    on_their_way_.erase(on_their_way_.begin());  // two at most; a deque would allocate now and then
    is_busy_ = !on_their_way_.empty();
    busy_since_ = now;
}

void SubmitPacer::on_all_done(TimePoint now) {
    for (const Work& work : on_their_way_) {
        step_.items += work.items;
        step_.launches += work.launches;
    }
    on_their_way_.clear();
    measure(step_, now);
    step_ = {};
    is_busy_ = false;
}

void SubmitPacer::measure(const Work& work, TimePoint now) {
    if (work.launches < kMinMeasuredLaunches || !is_busy_) return;
    const double ns = std::chrono::duration<double, std::nano>(now - busy_since_).count();
    const double measured = ns / static_cast<double>(work.items);
    ns_per_item_ = measured > ns_per_item_ ? measured : ns_per_item_ + (measured - ns_per_item_) * kDecay;
}

}  // namespace llmd::compute
