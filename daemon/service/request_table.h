// The requests that have entered and not yet ended, and what those that ended have measured. Knows the scheduler, which
// it keeps up to date, and no engine. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "service/histogram.h"
#include "service/request_record.h"
#include "service/scheduler.h"

namespace llmd::service {

class RequestTable {
public:
    struct Hooks {
        std::function<base::TimePoint()> now;
        // It is about to leave its model. `is_over`: the engine that has it knows that already.
        std::function<void(RequestRecord& record, const Outcome& outcome, bool is_over)> on_leaving;
        // Its model has failed. True: another has it now, and it goes on; else the error that it is to end with.
        std::function<bool(RequestRecord& record, base::Error& error)> ask_next;
        std::function<void()> on_ended;  // deliver_endings() is due
    };
    // The figures of requests that have ended since llmd started.
    struct Figures {
        Histogram queue_ms;             // submission to start, of those that started
        Histogram ttft_ms;              // submission to first token, of those that had one
        Histogram prefill_ms;           // start to first token, the restart of an engine that died included
        Histogram decode_tps;           // tokens per second, of those that the engine has ended
        uint64_t cache_hits = 0;        // requests whose prompt's beginning had been computed by earlier ones
        uint64_t cache_hit_tokens = 0;  // their tokens that were not computed again
        uint64_t drafted_tokens = 0;    // as in Outcome
        uint64_t accepted_tokens = 0;
    };

    RequestTable(base::EventLoop& loop, Scheduler& scheduler, Hooks hooks);
    RequestTable(const RequestTable&) = delete;
    RequestTable& operator=(const RequestTable&) = delete;
    ~RequestTable();  // calls nobody

    // One that the scheduler has admitted.
    RequestRecord& add(RequestId id, GenerateRequest request, RequestSink& sink, ModelReference model);
    // Null when it has ended.
    RequestRecord* find(RequestId id);
    // Takes the request out; its final event follows in deliver_endings(). `costs`: the engine has ended it. One that
    // ends with an error may go on with another model instead, without any event.
    void end(RequestRecord& record, Finish finish, std::optional<base::Error> error = std::nullopt,
             const protocol::Finished* costs = nullptr);
    void end_all(Finish finish, const std::optional<base::Error>& error);
    // All for which `is_meant` holds.
    template <typename Condition>
    void end_if(Condition is_meant, Finish finish, const std::optional<base::Error>& error);
    void deliver_endings();

    std::map<RequestId, RequestRecord>& records() { return records_; }
    const std::map<RequestId, RequestRecord>& records() const { return records_; }
    bool empty() const { return records_.empty(); }
    bool has_endings() const { return !endings_.empty(); }
    // Counts the requests that run on one engine, which is named by the key of its model.
    size_t n_running(const std::string& key) const;
    const Pace& pace() const { return pace_; }
    const Figures& figures() const { return figures_; }

private:
    struct Ending {
        RequestSink* sink;
        Outcome outcome;
        std::optional<uint32_t> open_call;  // which this has cut
    };
    void end_late(RequestId id);

    base::EventLoop& loop_;
    Scheduler& scheduler_;
    const Hooks hooks_;
    std::map<RequestId, RequestRecord> records_;
    std::vector<Ending> endings_;
    Pace pace_;
    Figures figures_;
};

template <typename Condition>
void RequestTable::end_if(Condition is_meant, Finish finish, const std::optional<base::Error>& error) {
    std::vector<RequestId> meant;
    for (const auto& [id, record] : records_) {
        if (is_meant(record)) meant.push_back(id);
    }
    for (const RequestId id : meant) end(records_.at(id), finish, error);
}

}  // namespace llmd::service
