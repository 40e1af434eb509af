#include "service/scheduler.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace llmd::service {

template <typename Condition>
size_t Scheduler::n_calls(Condition is_like) const {
    std::set<RequestId> calls;
    for (const Entry& entry : entries_) {
        if (is_like(entry)) calls.insert(entry.ticket.call);
    }
    return calls.size();
}

base::Result<void> Scheduler::admit(std::vector<Ticket> call) {
    const Ticket& ticket = call.front();
    const auto allowed = RequestLimits::allowance(ticket.sandboxed);
    const auto enough = [](const char* whose, size_t n, size_t limit) {
        return base::fail(base::ErrorCode::RateLimited, "this ", whose, " has ", n, " requests in flight, at most ",
                          limit, " are allowed");
    };
    const size_t of_client = n_calls([&](const Entry& entry) { return entry.ticket.client == ticket.client; });
    if (of_client >= allowed.per_client) return enough("client", of_client, allowed.per_client);
    const size_t of_share = n_calls([&](const Entry& entry) { return entry.ticket.share == ticket.share; });
    if (of_share >= allowed.per_application) return enough("application", of_share, allowed.per_application);
    const size_t n_queued =
        n_calls([](const Entry&) { return true; }) - n_calls([](const Entry& entry) { return entry.running; });
    if (n_queued >= allowed.queued) {
        return base::fail(base::ErrorCode::QueueFull, n_queued, " requests are waiting, at most ", allowed.queued,
                          " are allowed");
    }
    for (Ticket& one : call) {
        Entry entry{std::move(one)};
        raise_to_clocks(entry);
        entries_.push_back(std::move(entry));
    }
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
    forget_those_who_left();
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
            Entry* loser = loser_to(*next);
            if (loser == nullptr) return;
            stop(*loser);
        }
        start(*next);
    }
}

bool Scheduler::takes_slot_of(const Entry& waiting, const Entry& running) const {
    const Key ahead = key(waiting);
    const Key behind = key(running);
    if (ahead.rank != behind.rank) return ahead.rank < behind.rank;
    // One turn for the slot that changes hands on each side: else it would come back at once.
    const auto is_behind = [](uint64_t served, uint64_t other) { return served + uint64_t{2} * kFairTokens <= other; };
    const bool shares = waiting.ticket.share == running.ticket.share;
    return shares ? is_behind(ahead.client_served, behind.client_served)
                  : is_behind(ahead.share_served, behind.share_served);
}

Scheduler::Entry* Scheduler::loser_to(const Entry& waiting) {
    for (Entry* running : {last_running(), last_running(&waiting)}) {
        if (running != nullptr && takes_slot_of(waiting, *running)) return running;
    }
    return nullptr;
}

bool Scheduler::add_generated(RequestId id, uint32_t n_tokens) {
    Entry* entry = find(id);
    if (entry == nullptr) return false;
    entry->n_tokens += n_tokens;
    add_served(*entry, n_tokens);
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
    if (entry != nullptr) add_served(*entry, n_tokens / kPromptTokensPerToken);
}

void Scheduler::add_served(const Entry& entry, uint32_t n_tokens) {
    class_of(entry).shares.served[entry.ticket.share] += n_tokens;
    class_of(entry).clients[entry.ticket.share].served[entry.ticket.client] += n_tokens;
}

void Scheduler::set_blocked(RequestId id, bool blocked) {
    Entry* entry = find(id);
    if (entry == nullptr || entry->blocked == blocked) return;
    if (!blocked && !entry->running) raise_to_clocks(*entry);
    entry->blocked = blocked;
    if (blocked && turn_ == id) turn_.reset();
}

void Scheduler::set_priority(RequestId id, Priority priority) {
    Entry* entry = find(id);
    if (entry == nullptr || entry->ticket.priority == priority) return;
    Entry moved = *entry;
    moved.ticket.priority = priority;
    raise_to_clocks(moved);
    *entry = std::move(moved);
}

void Scheduler::set_runs_background(bool runs) {
    if (runs == runs_background_) return;
    for (const Entry& entry : entries_) {
        if (entry.ticket.priority != Priority::Background) continue;
        if (runs && !entry.running && !entry.blocked) raise_to_clocks(entry);
        if (!runs && turn_ == entry.ticket.id) turn_.reset();
    }
    runs_background_ = runs;
}

void Scheduler::remove(RequestId id) {
    const Entry* leaving = find(id);
    if (leaving == nullptr) return;
    advance_clocks(leaving->ticket.priority);  // its share and client may go with it
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
    // Blocked ones keep their turn in mind: they wait for something else first.
    struct Candidate {
        Key key;
        const Entry* entry;
    };
    std::vector<Candidate> waiting;
    for (const Entry& entry : entries_) {
        if (!entry.running) waiting.push_back({key(entry), &entry});
    }
    std::vector<const Entry*> order;
    while (!waiting.empty()) {
        const auto next = std::min_element(waiting.begin(), waiting.end(),
                                           [](const Candidate& a, const Candidate& b) { return a.key < b.key; });
        const Entry& given = *next->entry;
        order.push_back(&given);
        waiting.erase(next);
        for (Candidate& other : waiting) expect_turn(other.key, other.entry->ticket, given.ticket);
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
    const auto counter = [](const Counters& counters, const std::string& name) {
        const auto found = counters.served.find(name);
        return found == counters.served.end() ? 0 : found->second;
    };
    const Class& members = class_of(entry);
    const Ticket& ticket = entry.ticket;
    const auto clients = members.clients.find(ticket.share);
    Key key{};
    key.rank = turn_ == ticket.id ? 0 : 1 + static_cast<uint32_t>(ticket.priority);
    key.share_served = counter(members.shares, ticket.share);
    key.client_served = clients == members.clients.end() ? 0 : counter(clients->second, ticket.client);
    key.id = ticket.id;
    for (const Entry& other : entries_) {
        if (other.running) expect_turn(key, ticket, other.ticket);
    }
    return key;
}

void Scheduler::expect_turn(Key& key, const Ticket& ticket, const Ticket& other) {
    if (other.priority != ticket.priority || other.share != ticket.share) return;
    key.share_served += kFairTokens;
    if (other.client == ticket.client) key.client_served += kFairTokens;
}

Scheduler::Entry* Scheduler::first_waiting() {
    Entry* first = nullptr;
    for (Entry& entry : entries_) {
        if (waits(entry) && (first == nullptr || key(entry) < key(*first))) first = &entry;
    }
    return first;
}

Scheduler::Entry* Scheduler::last_running(const Entry* rival) {
    Entry* last = nullptr;
    for (Entry& entry : entries_) {
        const bool is_meant = rival == nullptr || (entry.ticket.priority == rival->ticket.priority &&
                                                   entry.ticket.share == rival->ticket.share);
        if (entry.running && is_meant && (last == nullptr || key(*last) < key(entry))) last = &entry;
    }
    return last;
}

void Scheduler::stop(Entry& entry) {
    raise_to_clocks(entry);
    entry.running = false;
}

void Scheduler::raise_to_clocks(const Entry& entry) {
    advance_clocks(entry.ticket.priority);
    const auto raise = [](Counters& counters, const std::string& name) {
        uint64_t& served = counters.served[name];
        served = std::max(served, counters.clock);
    };
    raise(class_of(entry).shares, entry.ticket.share);
    raise(class_of(entry).clients[entry.ticket.share], entry.ticket.client);
}

void Scheduler::advance_clocks(Priority priority) {
    Class& members = classes_[static_cast<size_t>(priority)];
    advance_clock(members.shares, priority, nullptr);
    for (auto& [share, clients] : members.clients) advance_clock(clients, priority, &share);
}

void Scheduler::advance_clock(Counters& counters, Priority priority, const std::string* share) {
    std::optional<uint64_t> least_waiting;
    uint64_t most = 0;
    for (const Entry& entry : entries_) {
        const Ticket& ticket = entry.ticket;
        if (ticket.priority != priority || (share != nullptr && ticket.share != *share)) continue;
        const uint64_t served = counters.served[share != nullptr ? ticket.client : ticket.share];
        most = std::max(most, served);
        if (waits(entry)) least_waiting = std::min(least_waiting.value_or(served), served);
    }
    counters.clock = std::max(counters.clock, least_waiting.value_or(most));
}

void Scheduler::forget_those_who_left() {
    // Of those of which nobody is here any more nothing has to be known.
    const auto forget = [](Counters& counters, const std::set<std::string>& here) {
        std::erase_if(counters.served, [&](const auto& one) {
            return !here.contains(one.first) && (here.empty() || one.second <= counters.clock);
        });
    };
    for (Class& members : classes_) {
        const auto priority = static_cast<Priority>(&members - classes_.data());
        advance_clocks(priority);
        std::set<std::string> shares;
        std::map<std::string, std::set<std::string>> clients;
        for (const Entry& entry : entries_) {
            if (entry.ticket.priority != priority) continue;
            shares.insert(entry.ticket.share);
            clients[entry.ticket.share].insert(entry.ticket.client);
        }
        forget(members.shares, shares);
        std::erase_if(members.clients, [&](const auto& share) { return !clients.contains(share.first); });
        for (auto& [share, counters] : members.clients) forget(counters, clients[share]);
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
