#include "service/device_leases.h"

#include <algorithm>
#include <utility>

namespace llmd::service {

DeviceLeases::DeviceLeases(base::EventLoop& loop, std::function<base::TimePoint()> now, std::function<void()> due)
    : loop_(loop), now_(std::move(now)), due_(std::move(due)) {}

DeviceLeases::~DeviceLeases() {
    loop_.cancel_timer(timer_);
}

std::vector<supervisor::DeviceLease::Change> DeviceLeases::review(std::span<const Member> members) {
    std::erase_if(joined_, [&](const auto& one) {
        const bool is_there = std::any_of(members.begin(), members.end(), [&](const Member& member) {
            return member.engine == one.first && member.device == one.second;
        });
        if (!is_there) leases_[one.second].leave(one.first);
        return !is_there;
    });
    for (const Member& member : members) {
        supervisor::DeviceLease& lease = leases_[member.device];
        if (joined_.emplace(member.engine, member.device).second) lease.join(member.engine);
        lease.set_work(member.engine, member.work);
        lease.set_alone(member.engine, member.alone);
    }
    std::vector<supervisor::DeviceLease::Change> changes;
    std::optional<base::TimePoint> next_due;
    const base::TimePoint now = now_();
    for (auto& [device, lease] : leases_) {
        auto review = lease.review(now);
        changes.insert(changes.end(), review.changes.begin(), review.changes.end());
        if (review.next_due) next_due = std::min(next_due.value_or(*review.next_due), *review.next_due);
    }
    loop_.cancel_timer(std::exchange(timer_, 0));
    if (next_due) {
        const auto delay = std::chrono::ceil<std::chrono::milliseconds>(*next_due - now);
        timer_ = loop_.add_timer_after(delay, [this] {
            timer_ = 0;
            due_();
        });
    }
    return changes;
}

void DeviceLeases::release(EngineId engine) {
    const auto joined = joined_.find(engine);
    if (joined != joined_.end()) leases_[joined->second].release(engine);
}

}  // namespace llmd::service
