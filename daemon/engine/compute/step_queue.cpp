#include "engine/compute/step_queue.h"

namespace llmd::compute {

using base::ErrorCode;
using base::fail;

base::Result<void> StepQueue::check_begin() const {
    if (is_open_) return fail(ErrorCode::InvalidArgument, "a step begins before the one before it is submitted");
    if (n_in_flight_ == kMaxStepsInFlight) {
        return fail(ErrorCode::InvalidArgument, "a step begins while ", n_in_flight_, " are in flight");
    }
    return {};
}

Step& StepQueue::begin(uint32_t n_rows, uint32_t n_outputs) {
    is_open_ = true;
    readable_outputs_ = readable_rows_ = 0;
    Step& step = open_step();
    step = {.set = (first_ + n_in_flight_) % kMaxStepsInFlight, .n_rows = n_rows, .n_outputs = n_outputs};
    return step;
}

base::Result<Step*> StepQueue::open() {
    if (!is_open_) return fail(ErrorCode::InvalidArgument, "there is no open step: begin() comes first");
    return &open_step();
}

base::Result<Step*> StepQueue::mark_computed() {
    auto step = open();
    if (!step) return step;
    if ((*step)->is_computed) return fail(ErrorCode::InvalidArgument, "a step is computed twice");
    (*step)->is_computed = true;
    return step;
}

base::Result<Step*> StepQueue::computed() {
    auto step = open();
    if (step && !(*step)->is_computed) return fail(ErrorCode::InvalidArgument, "a step is sampled before forward()");
    return step;
}

base::Result<void> StepQueue::check_closed() const {
    if (is_open_) return fail(ErrorCode::InvalidArgument, "a page is read or written within a step");
    return {};
}

base::Result<void> StepQueue::submit() {
    if (!is_open_) return fail(ErrorCode::InvalidArgument, "a step is submitted that has not begun");
    if (!open_step().is_computed) return fail(ErrorCode::InvalidArgument, "a step is submitted before forward()");
    is_open_ = false;
    ++n_in_flight_;
    return {};
}

base::Result<Step> StepQueue::wait() {
    if (n_in_flight_ == 0) return fail(ErrorCode::InvalidArgument, "there is no step in flight to wait for");
    const Step step = steps_[first_];
    first_ = (first_ + 1) % kMaxStepsInFlight;
    --n_in_flight_;
    readable_outputs_ = step.is_sampled ? step.n_outputs : 0;
    readable_rows_ = step.n_rows;
    return step;
}

}  // namespace llmd::compute
