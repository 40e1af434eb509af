#include "api/backlog.h"

#include <utility>

namespace llmd::api {

Backlog::Backlog(base::EventLoop& loop, Events events, std::chrono::milliseconds stall_timeout)
    : loop_(loop), events_(std::move(events)), stall_timeout_(stall_timeout) {}

Backlog::~Backlog() {
    clear();
}

void Backlog::take(size_t n_bytes) {
    if (n_bytes == 0) return;
    taken_ += n_bytes;
    loop_.cancel_timer(std::exchange(stall_timer_, 0));
    // Not at every call: a slow reader takes a little of much.
    if (taken_ * 2 >= bytes_.size()) bytes_.erase(0, std::exchange(taken_, 0));
}

void Backlog::review() {
    const size_t n_waiting = waiting().size();
    const bool pause = n_waiting > (paused_ ? kLimitBytes / 2 : kLimitBytes);
    const bool changed = pause != std::exchange(paused_, pause);
    const bool may_stall = paused_ || (finishing_ && n_waiting > 0);
    if (!may_stall) {
        loop_.cancel_timer(std::exchange(stall_timer_, 0));
    } else if (stall_timer_ == 0) {
        stall_timer_ = loop_.add_timer_after(stall_timeout_, [this] {
            stall_timer_ = 0;
            events_.on_stalled();
        });
    }
    if (changed && !finishing_) events_.on_paused(paused_);
}

void Backlog::clear() {
    loop_.cancel_timer(std::exchange(stall_timer_, 0));
    bytes_.clear();
    taken_ = 0;
}

}  // namespace llmd::api
