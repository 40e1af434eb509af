#include "service/scheduler.h"

#include <algorithm>
#include <iterator>

namespace llmd::service {
namespace {

std::vector<Ticket>::iterator find_ticket(std::vector<Ticket>& tickets, RequestId id) {
    return std::find_if(tickets.begin(), tickets.end(), [id](const Ticket& ticket) { return ticket.id == id; });
}

size_t count_of_client(const std::vector<Ticket>& tickets, const std::string& client) {
    return static_cast<size_t>(
        std::count_if(tickets.begin(), tickets.end(), [&](const Ticket& ticket) { return ticket.client == client; }));
}

}  // namespace

size_t FifoPolicy::next(const std::vector<Ticket>&, base::TimePoint) const {
    return 0;
}

Scheduler::Scheduler(std::unique_ptr<SchedulingPolicy> policy) : policy_(std::move(policy)) {}

base::Result<void> Scheduler::admit(Ticket ticket) {
    const size_t of_client = count_of_client(waiting_, ticket.client) + count_of_client(running_, ticket.client);
    if (of_client >= RequestLimits::kMaxPerClient) {
        return base::fail(base::ErrorCode::RateLimited, "this client has ", of_client, " requests in flight, at most ",
                          RequestLimits::kMaxPerClient, " are allowed");
    }
    if (waiting_.size() >= RequestLimits::kMaxQueued) {
        return base::fail(base::ErrorCode::QueueFull, waiting_.size(), " requests are waiting, at most ",
                          RequestLimits::kMaxQueued, " are allowed");
    }
    waiting_.push_back(std::move(ticket));
    return {};
}

std::optional<Ticket> Scheduler::start_next(uint32_t n_slots, const std::string& loaded_model_path, bool may_replace,
                                            base::TimePoint now) {
    if (waiting_.empty() || running_.size() >= n_slots) return std::nullopt;
    const auto next = waiting_.begin() + static_cast<std::ptrdiff_t>(policy_->next(waiting_, now));
    if (next->model_path != loaded_model_path && (!running_.empty() || !may_replace)) return std::nullopt;
    running_.push_back(std::move(*next));
    waiting_.erase(next);
    return running_.back();
}

void Scheduler::remove(RequestId id) {
    if (const auto it = find_ticket(waiting_, id); it != waiting_.end()) waiting_.erase(it);
    if (const auto it = find_ticket(running_, id); it != running_.end()) running_.erase(it);
}

void Scheduler::set_priority(RequestId id, Priority priority) {
    if (const auto it = find_ticket(waiting_, id); it != waiting_.end()) it->priority = priority;
    if (const auto it = find_ticket(running_, id); it != running_.end()) it->priority = priority;
}

std::optional<uint32_t> Scheduler::position(RequestId id, base::TimePoint now) const {
    std::vector<Ticket> left = waiting_;
    if (find_ticket(left, id) == left.end()) return std::nullopt;
    for (uint32_t ahead = 0;; ++ahead) {
        const auto next = left.begin() + static_cast<std::ptrdiff_t>(policy_->next(left, now));
        if (next->id == id) return ahead;
        left.erase(next);
    }
}

}  // namespace llmd::service
