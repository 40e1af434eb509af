// Decides who may enter and who is next; pure: no I/O and no clock of its own, so every decision can be tested.
// The policy orders the waiting; the scheduler counts and keeps the limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "service/request.h"

namespace llmd::service {

// What the scheduler knows of a request.
struct Ticket {
    RequestId id = 0;
    std::string client;
    std::string model_path;
    Priority priority = Priority::Normal;
    base::TimePoint submitted;
};

// The order of the waiting.
class SchedulingPolicy {
public:
    virtual ~SchedulingPolicy() = default;
    // Index into `waiting` (never empty, in order of submission) of the request to run next.
    virtual size_t next(const std::vector<Ticket>& waiting, base::TimePoint now) const = 0;
};

// First in, first out, whatever the priority.
class FifoPolicy final : public SchedulingPolicy {
public:
    size_t next(const std::vector<Ticket>& waiting, base::TimePoint now) const override;
};

class Scheduler {
public:
    explicit Scheduler(std::unique_ptr<SchedulingPolicy> policy);

    // QueueFull or RateLimited, naming the limit.
    base::Result<void> admit(Ticket ticket);
    // The next request to start, moved from waiting to running: nothing while `n_slots` run, or while the next one
    // needs another model than `loaded_model_path` and something still runs or the engine may not be replaced. A
    // request for another model is returned once nothing runs; the caller then replaces the engine.
    std::optional<Ticket> start_next(uint32_t n_slots, const std::string& loaded_model_path, bool may_replace,
                                     base::TimePoint now);
    // Forgets a request, waiting or running.
    void remove(RequestId id);
    void set_priority(RequestId id, Priority priority);

    // Requests ahead of a waiting one; nothing when it runs or is unknown.
    std::optional<uint32_t> position(RequestId id, base::TimePoint now) const;
    size_t n_waiting() const { return waiting_.size(); }
    size_t n_running() const { return running_.size(); }

private:
    std::unique_ptr<SchedulingPolicy> policy_;
    std::vector<Ticket> waiting_;  // in order of submission
    std::vector<Ticket> running_;
};

}  // namespace llmd::service
