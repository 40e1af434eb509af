#include "service/scheduler.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace llmd::service {

base::Result<void> Scheduler::admit(Ticket ticket) {
    const auto of_client = static_cast<size_t>(std::count_if(
        entries_.begin(), entries_.end(), [&](const Entry& e) { return e.ticket.client == ticket.client; }));
    if (const size_t limit = RequestLimits::for_client(RequestLimits::kMaxPerClient, ticket.sandboxed);
        of_client >= limit) {
        return base::fail(base::ErrorCode::RateLimited, "this client has ", of_client, " requests in flight, at most ",
                          limit, " are allowed");
    }
    if (const size_t limit = RequestLimits::for_client(RequestLimits::kMaxQueued, ticket.sandboxed);
        n_waiting() >= limit) {
        return base::fail(base::ErrorCode::QueueFull, n_waiting(), " requests are waiting, at most ", limit,
                          " are allowed");
    }
    Entry entry{std::move(ticket)};
    raise_to_clock(entry);
    entries_.push_back(std::move(entry));
    return {};
}

Scheduler::Changes Scheduler::plan(uint32_t n_slots, const std::string& model_path, bool may_replace,
                                   base::TimePoint now) {
    std::vector<RequestId> before;
    for (const Entry& entry : entries_) {
        if (entry.running) before.push_back(entry.ticket.id);
    }
    for (Entry& entry : entries_) {
        if (entry.running && !may_run(entry)) stop(entry);
    }
    note_hunger(n_slots, now);
    grant_turn(now);
    fill_slots(n_slots, model_path, may_replace);
    note_hunger(n_slots, now);
    forget_clients();
    unreviewed_tokens_ = 0;

    Changes changes;
    for (const Entry& entry : entries_) {
        const bool ran = std::find(before.begin(), before.end(), entry.ticket.id) != before.end();
        if (ran && !entry.running) changes.stops.push_back(entry.ticket.id);
        if (!ran && entry.running) changes.starts.push_back(entry.ticket.id);
    }
    return changes;
}

void Scheduler::fill_slots(uint32_t n_slots, const std::string& model_path, bool may_replace) {
    while (n_running() > n_slots) stop(*last_running());
    if (n_slots == 0) return;
    while (Entry* next = first_waiting()) {
        Entry* last = last_running();
        if (next->ticket.model_path != (last != nullptr ? last->ticket.model_path : model_path)) {
            const bool yields = std::all_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
                return !e.running || (e.ticket.priority > next->ticket.priority && turn_ != e.ticket.id);
            });
            if (!may_replace || !yields) return;
            for (Entry& entry : entries_) {
                if (entry.running) stop(entry);
            }
            start(*next);
            return;
        }
        if (n_running() >= n_slots) {
            if (last == nullptr || !takes_slot_of(*next, *last)) return;
            stop(*last);
        }
        start(*next);
    }
}

bool Scheduler::takes_slot_of(const Entry& waiting, const Entry& running) const {
    const Key ahead = key(waiting);
    const Key behind = key(running);
    // One turn for the slot that changes hands on each side: else it would come back at once.
    return ahead.rank < behind.rank ||
           (ahead.rank == behind.rank && ahead.served + uint64_t{2} * kFairTokens <= behind.served);
}

bool Scheduler::add_generated(RequestId id, uint32_t n_tokens) {
    Entry* entry = find(id);
    if (entry == nullptr) return false;
    entry->n_tokens += n_tokens;
    class_of(*entry).served[entry->ticket.client] += n_tokens;
    unreviewed_tokens_ += n_tokens;
    bool turn_is_over = false;
    if (turn_ == id) {
        turn_tokens_ -= std::min(n_tokens, turn_tokens_);
        turn_is_over = turn_tokens_ == 0;
        if (turn_is_over) turn_.reset();
    }
    const bool somebody_waits =
        std::any_of(entries_.begin(), entries_.end(), [this](const Entry& e) { return waits(e); });
    return somebody_waits && (turn_is_over || unreviewed_tokens_ >= kReviewTokens);
}

void Scheduler::add_prefilled(RequestId id, uint32_t n_tokens) {
    const Entry* entry = find(id);
    if (entry == nullptr) return;
    class_of(*entry).served[entry->ticket.client] += n_tokens / kPromptTokensPerToken;
}

void Scheduler::set_blocked(RequestId id, bool blocked) {
    Entry* entry = find(id);
    if (entry == nullptr || entry->blocked == blocked) return;
    if (!blocked && !entry->running) raise_to_clock(*entry);
    entry->blocked = blocked;
    if (blocked && turn_ == id) turn_.reset();
}

void Scheduler::set_priority(RequestId id, Priority priority) {
    Entry* entry = find(id);
    if (entry == nullptr || entry->ticket.priority == priority) return;
    Entry moved = *entry;
    moved.ticket.priority = priority;
    raise_to_clock(moved);
    *entry = std::move(moved);
}

void Scheduler::set_runs_background(bool runs) {
    if (runs == runs_background_) return;
    for (const Entry& entry : entries_) {
        if (entry.ticket.priority != Priority::Background) continue;
        if (runs && !entry.running && !entry.blocked) raise_to_clock(entry);
        if (!runs && turn_ == entry.ticket.id) turn_.reset();
    }
    runs_background_ = runs;
}

void Scheduler::remove(RequestId id) {
    const Entry* leaving = find(id);
    if (leaving == nullptr) return;
    advance_clock(leaving->ticket.priority);  // its client may go with it
    std::erase_if(entries_, [id](const Entry& entry) { return entry.ticket.id == id; });
    if (turn_ == id) turn_.reset();
}

std::optional<uint32_t> Scheduler::position(RequestId id) const {
    const auto waiting = queue();
    for (uint32_t ahead = 0; ahead < waiting.size(); ++ahead) {
        if (waiting[ahead]->ticket.id == id) return ahead;
    }
    return std::nullopt;
}

std::chrono::milliseconds Scheduler::estimated_wait(RequestId id, uint32_t n_slots, const Pace& pace) const {
    const auto time_of = [&](const Entry& entry) {
        const double most = entry.ticket.max_tokens;
        const double expected = std::min(pace.mean_tokens, most);
        const double made = entry.n_tokens;
        return pace.ms_per_token * (made < expected ? expected - made : std::max(most - made, 0.0));
    };
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // when each slot is free, in ms
    for (const Entry& entry : entries_) {
        if (entry.running) ends.push(time_of(entry));
    }
    while (ends.size() < n_slots) ends.push(0);
    for (const Entry* entry : queue()) {
        if (ends.empty()) break;
        const double start = ends.top();
        if (entry->ticket.id == id) return std::chrono::milliseconds(static_cast<int64_t>(start));
        ends.pop();
        ends.push(start + time_of(*entry));
    }
    return {};
}

size_t Scheduler::n_running() const {
    return static_cast<size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.running; }));
}

std::vector<const Scheduler::Entry*> Scheduler::queue() const {
    Scheduler future = *this;  // small, and keys change with every slot that is given
    std::vector<const Entry*> order;
    // Blocked ones keep their turn in mind: they wait for something else first.
    for (Entry& entry : future.entries_) entry.blocked = false;
    future.runs_background_ = true;
    while (Entry* next = future.first_waiting()) {
        order.push_back(find(next->ticket.id));
        future.start(*next);
    }
    return order;
}

Scheduler::Entry* Scheduler::find(RequestId id) {
    return const_cast<Entry*>(std::as_const(*this).find(id));
}

const Scheduler::Entry* Scheduler::find(RequestId id) const {
    const auto it = std::find_if(entries_.begin(), entries_.end(), [id](const Entry& e) { return e.ticket.id == id; });
    return it == entries_.end() ? nullptr : &*it;
}

Scheduler::Key Scheduler::key(const Entry& entry) const {
    const auto& served = class_of(entry).served;
    const auto of_client = served.find(entry.ticket.client);
    uint64_t tokens = of_client == served.end() ? 0 : of_client->second;
    for (const Entry& other : entries_) {
        const bool shares =
            other.ticket.client == entry.ticket.client && other.ticket.priority == entry.ticket.priority;
        if (shares && other.running) tokens += kFairTokens;
    }
    const uint32_t rank = turn_ == entry.ticket.id ? 0 : 1 + static_cast<uint32_t>(entry.ticket.priority);
    return {rank, tokens, entry.ticket.id};
}

Scheduler::Entry* Scheduler::first_waiting() {
    Entry* first = nullptr;
    for (Entry& entry : entries_) {
        if (waits(entry) && (first == nullptr || key(entry) < key(*first))) first = &entry;
    }
    return first;
}

Scheduler::Entry* Scheduler::last_running() {
    Entry* last = nullptr;
    for (Entry& entry : entries_) {
        if (entry.running && (last == nullptr || key(*last) < key(entry))) last = &entry;
    }
    return last;
}

void Scheduler::stop(Entry& entry) {
    raise_to_clock(entry);
    entry.running = false;
}

void Scheduler::raise_to_clock(const Entry& entry) {
    advance_clock(entry.ticket.priority);
    uint64_t& served = class_of(entry).served[entry.ticket.client];
    served = std::max(served, class_of(entry).clock);
}

void Scheduler::advance_clock(Priority priority) {
    Class& members = classes_[static_cast<size_t>(priority)];
    std::optional<uint64_t> least_waiting;
    uint64_t most = 0;
    for (const Entry& entry : entries_) {
        if (entry.ticket.priority != priority) continue;
        const uint64_t served = members.served[entry.ticket.client];
        most = std::max(most, served);
        if (waits(entry)) least_waiting = std::min(least_waiting.value_or(served), served);
    }
    members.clock = std::max(members.clock, least_waiting.value_or(most));
}

void Scheduler::forget_clients() {
    for (Class& members : classes_) {
        const auto priority = static_cast<Priority>(&members - classes_.data());
        advance_clock(priority);
        std::set<std::string> here;
        for (const Entry& entry : entries_) {
            if (entry.ticket.priority == priority) here.insert(entry.ticket.client);
        }
        std::erase_if(members.served, [&](const auto& client) {
            return !here.contains(client.first) && (here.empty() || client.second <= members.clock);
        });
    }
}

void Scheduler::note_hunger(uint32_t n_slots, base::TimePoint now) {
    for (Class& members : classes_) {
        const auto priority = static_cast<Priority>(&members - classes_.data());
        bool does_wait = false;
        bool runs = false;
        for (const Entry& entry : entries_) {
            if (entry.ticket.priority != priority) continue;
            does_wait = does_wait || waits(entry);
            runs = runs || entry.running;
        }
        if (!does_wait || runs || n_slots == 0) {
            members.hungry_since.reset();
        } else if (!members.hungry_since) {
            members.hungry_since = now;
        }
    }
}

void Scheduler::grant_turn(base::TimePoint now) {
    if (turn_ && find(*turn_)->running) return;
    turn_.reset();  // one that still waits, for another model, may have been overtaken meanwhile
    const Class* hungriest = nullptr;
    for (const Class& members : classes_) {
        if (!members.hungry_since || now - *members.hungry_since < kStarvationTimeout) continue;
        if (hungriest == nullptr || *members.hungry_since < *hungriest->hungry_since) hungriest = &members;
    }
    if (hungriest == nullptr) return;
    const Entry* first = nullptr;
    for (const Entry& entry : entries_) {
        if (waits(entry) && &class_of(entry) == hungriest && (first == nullptr || key(entry) < key(*first))) {
            first = &entry;
        }
    }
    if (first == nullptr) return;
    turn_ = first->ticket.id;
    turn_tokens_ = kTurnTokens;
}

}  // namespace llmd::service
