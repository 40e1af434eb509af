#include "http/call_queue.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "service/request.h"

namespace llmd::http {

namespace {

// The weight of the last gap in the mean of all.
constexpr int kGapWeight = 4;

}  // namespace

template <typename Condition>
size_t CallQueue::count(Condition is_like) const {
    return static_cast<size_t>(
        std::count_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return is_like(entry.second); }));
}

base::Result<CallQueue::Key> CallQueue::enter(const base::Caller& caller) {
    // Who is still received waits for itself, and counts as running where there is room.
    const size_t of_client = count([&](const Entry& entry) { return entry.caller.name == caller.name; });
    const size_t at_once = service::RequestLimits::allowance(caller.sandboxed).per_client;
    const auto refuse = [this](base::ErrorCode code, size_t n, const char* whose, size_t most) {
        base::Error error = base::fail(code, n, " requests of ", whose, " are waiting, at most ", most, " may");
        error.retry_after =
            std::clamp(std::chrono::ceil<std::chrono::seconds>(mean_gap_), kShortestRetry, kLongestRetry);
        return error;
    };
    if (of_client >= at_once + kMaxWaitingPerClient) {
        return refuse(base::ErrorCode::RateLimited, of_client - at_once, "this client", kMaxWaitingPerClient);
    }
    const size_t n_waiting = count([](const Entry& entry) { return !entry.started; });
    if (n_waiting >= kMaxWaiting) return refuse(base::ErrorCode::QueueFull, n_waiting, "all clients", kMaxWaiting);
    entries_[++last_] = {.caller = caller};
    share_turns_.emplace(caller.share, n_turns_);
    client_turns_.emplace(caller.name, n_turns_);
    return last_;
}

void CallQueue::ready(Key key, std::function<void()> start) {
    entries_.at(key).start = std::move(start);
    review();
}

void CallQueue::leave(Key key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    if (found->second.started) {
        const base::TimePoint now = now_();
        if (last_end_ != base::TimePoint{} && entries_.size() > 1) {
            const auto gap = std::chrono::ceil<std::chrono::milliseconds>(now - last_end_);
            mean_gap_ = mean_gap_.count() == 0 ? gap : mean_gap_ + (gap - mean_gap_) / kGapWeight;
        }
        last_end_ = now;
    }
    const base::Caller caller = std::move(found->second.caller);
    entries_.erase(found);
    if (count([&](const Entry& entry) { return entry.caller.share == caller.share; }) == 0) {
        share_turns_.erase(caller.share);
    }
    if (count([&](const Entry& entry) { return entry.caller.name == caller.name; }) == 0) {
        client_turns_.erase(caller.name);
    }
    // Not now: who leaves may be in the middle of cancelling.
    loop_.defer([this, alive = std::weak_ptr<void>(alive_)] {
        if (!alive.expired()) review();
    });
}

CallQueue::Entry* CallQueue::next() {
    std::map<std::string_view, size_t> of_share, of_client;  // that have started
    for (const auto& [key, entry] : entries_) {
        if (!entry.started) continue;
        ++of_share[entry.caller.share];
        ++of_client[entry.caller.name];
    }
    Entry* first = nullptr;
    std::tuple<size_t, uint64_t, size_t, uint64_t> least;  // of the share, then of the client
    for (auto& [key, entry] : entries_) {
        if (!entry.start) continue;
        const auto allowed = service::RequestLimits::allowance(entry.caller.sandboxed);
        const auto& [name, share] = std::tie(entry.caller.name, entry.caller.share);
        if (of_share[share] >= allowed.per_application || of_client[name] >= allowed.per_client) continue;
        const std::tuple had{of_share[share], share_turns_.at(share), of_client[name], client_turns_.at(name)};
        if ((first != nullptr && had >= least) || !has_room_(entry.caller)) continue;
        first = &entry;
        least = had;
    }
    return first;
}

void CallQueue::review() {
    // A call that is started may leave at once, or change the service, which calls this.
    if (std::exchange(reviewing_, true)) return;
    while (Entry* entry = next()) {
        entry->started = true;
        share_turns_[entry->caller.share] = client_turns_[entry->caller.name] = ++n_turns_;
        std::exchange(entry->start, nullptr)();
    }
    reviewing_ = false;
}

}  // namespace llmd::http
