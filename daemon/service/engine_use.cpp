#include "service/engine_use.h"

#include <algorithm>

namespace llmd::service {

namespace {

constexpr std::chrono::seconds kForEver{-1};  // as keep_alive

}  // namespace

void EngineUse::note(const std::string& share, std::optional<std::chrono::seconds> keep_alive, bool sandboxed,
                     base::TimePoint now) {
    // LoadModel is for programs outside of sandboxes: what one of these says later holds.
    if (!sandboxed) by_share_.erase(std::string());
    by_share_[share] = platform::KeepAlive{now, keep_alive, sandboxed};
    if (by_share_.size() <= kMaxKept) return;
    by_share_.erase(std::min_element(by_share_.begin(), by_share_.end(), [](const auto& one, const auto& other) {
        return one.second.used < other.second.used;
    }));
}

std::vector<platform::KeepAlive> EngineUse::keep_alives(bool pinned) const {
    std::vector<platform::KeepAlive> all;
    for (const auto& [share, one] : by_share_) all.push_back(one);
    if (pinned) all.push_back({last_question_, kForEver, false});
    return all;
}

base::TimePoint EngineUse::last() const {
    base::TimePoint last = last_question_;
    for (const auto& [share, one] : by_share_) last = std::max(last, one.used);
    return last;
}

base::TimePoint EngineUse::kept_until() const {
    std::vector<platform::KeepAlive> certain;
    for (const auto& [share, one] : by_share_) {
        if (one.time && !one.capped) certain.push_back(one);
    }
    return certain.empty() ? base::TimePoint::min() : platform::end_of(certain, {});
}

base::TimePoint EngineUse::stays_until(std::vector<platform::KeepAlive> running, bool pinned,
                                       std::chrono::seconds idle_time) const {
    auto all = keep_alives(pinned);
    all.insert(all.end(), running.begin(), running.end());
    // It was loaded for its tokenizer, or whoever it was loaded for has left.
    if (all.empty()) all.push_back({last_question_, std::nullopt, false});
    return platform::end_of(all, idle_time);
}

}  // namespace llmd::service
