#include "base/event_loop.h"

#include <algorithm>

namespace llmd::base {

void EventLoop::add_fd(int fd, short events, FdCallback callback) {
    set_.forget(fd);
    watches_[fd] = Watch{++last_watch_, events, std::make_shared<FdCallback>(std::move(callback))};
}

void EventLoop::set_events(int fd, short events) {
    if (auto it = watches_.find(fd); it != watches_.end()) it->second.events = events;
}

void EventLoop::remove_fd(int fd) {
    set_.forget(fd);
    watches_.erase(fd);
}

EventLoop::TimerId EventLoop::add_timer(TimePoint when, std::function<void()> callback) {
    const TimerId id = ++last_timer_;
    timers_.emplace(std::make_pair(when, id), std::move(callback));
    return id;
}

EventLoop::TimerId EventLoop::add_timer_after(std::chrono::milliseconds delay, std::function<void()> callback) {
    return add_timer(now_() + delay, std::move(callback));
}

void EventLoop::cancel_timer(TimerId id) {
    std::erase_if(timers_, [id](const auto& timer) { return timer.first.second == id; });
}

void EventLoop::defer(std::function<void()> callback) {
    deferred_.push_back(std::move(callback));
}

void EventLoop::add_source(PollSource& source) {
    sources_.push_back(&source);
}

void EventLoop::remove_source(PollSource& source) {
    std::erase(sources_, &source);
    for (const auto& [owner, begin, count] : parts_) {
        if (owner != &source) continue;
        for (const pollfd& polled : std::span(fds_).subspan(begin, count)) set_.forget(polled.fd);
    }
}

Result<void> EventLoop::run() {
    while (!stopping_) {
        if (auto turned = iterate(std::nullopt); !turned) return turned;
    }
    return {};
}

Result<void> EventLoop::run_once(std::chrono::milliseconds timeout) {
    return iterate(now_() + timeout);
}

Result<void> EventLoop::iterate(std::optional<TimePoint> deadline) {
    fds_.clear();
    if (!timers_.empty()) {
        const TimePoint first = timers_.begin()->first.first;
        deadline = deadline ? std::min(*deadline, first) : first;
    }
    parts_.clear();
    for (PollSource* source : sources_) {
        const size_t begin = fds_.size();
        source->prepare(fds_, deadline);
        parts_.push_back({source, begin, fds_.size() - begin});
    }
    const size_t n_source_fds = fds_.size();
    for (const auto& [fd, watch] : watches_) fds_.push_back({fd, watch.events, 0});
    const uint64_t newest_watch = last_watch_;

    int timeout_ms = -1;
    if (!deferred_.empty()) {
        timeout_ms = 0;
    } else if (deadline) {
        // Rounded up: a timer must not make the loop spin through its last fraction of a millisecond.
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - now_());
        timeout_ms = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
    }
    if (auto waited = set_.wait(fds_, timeout_ms); !waited) return waited;

    for (auto& callback : std::exchange(deferred_, {})) callback();

    for (size_t i = n_source_fds; i < fds_.size(); ++i) {
        const pollfd ready = fds_[i];
        if (ready.revents == 0) continue;
        const auto it = watches_.find(ready.fd);
        // Removed by an earlier callback of this iteration, or another one's number by now.
        if (it == watches_.end() || it->second.id > newest_watch) continue;
        const std::shared_ptr<FdCallback> callback = it->second.callback;
        (*callback)(ready.revents);
    }

    // Only timers that existed before: one that adds itself again in the past must not keep the iteration from ending.
    const TimePoint now = now_();
    const TimerId newest = last_timer_;
    const auto due = [&] {
        return std::find_if(timers_.begin(), timers_.end(),
                            [&](const auto& timer) { return timer.first.first > now || timer.first.second <= newest; });
    };
    for (auto timer = due(); timer != timers_.end() && timer->first.first <= now; timer = due()) {
        auto callback = std::move(timer->second);
        timers_.erase(timer);
        callback();
    }

    for (const auto& [source, begin, count] : parts_) {
        const bool is_here = std::find(sources_.begin(), sources_.end(), source) != sources_.end();
        if (is_here) source->dispatch(std::span(fds_).subspan(begin, count));
    }
    return {};
}

}  // namespace llmd::base
