#include "service/scheduler.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

namespace llmd::service {

template <typename Condition>
size_t Scheduler::n_calls(Condition is_like) const {
    std::set<RequestId> calls;
    for (const Entry& entry : entries_) {
        if (is_like(entry)) calls.insert(entry.ticket.call);
    }
    return calls.size();
}

base::Result<void> Scheduler::admits(const base::Caller& caller) const {
    const auto allowed = RequestLimits::allowance(caller.sandboxed);
    const auto enough = [](const char* whose, size_t n, size_t limit) {
        return base::fail(base::ErrorCode::RateLimited, "this ", whose, " has ", n, " requests in flight, at most ",
                          limit, " are allowed");
    };
    const size_t of_client = n_calls([&](const Entry& entry) { return entry.ticket.caller.name == caller.name; });
    if (of_client >= allowed.per_client) return enough("client", of_client, allowed.per_client);
    const size_t of_share = n_calls([&](const Entry& entry) { return entry.ticket.caller.share == caller.share; });
    if (of_share >= allowed.per_application) return enough("application", of_share, allowed.per_application);
    const size_t n_queued =
        n_calls([](const Entry&) { return true; }) - n_calls([](const Entry& entry) { return entry.running; });
    if (n_queued >= allowed.queued) {
        return base::fail(base::ErrorCode::QueueFull, n_queued, " requests are waiting, at most ", allowed.queued,
                          " are allowed");
    }
    return {};
}

base::Result<void> Scheduler::admit(std::vector<Ticket> call) {
    if (auto admitted = admits(call.front().caller); !admitted) return admitted;
    for (Ticket& one : call) {
        Entry entry{std::move(one)};
        raise_to_clocks(entry);
        entries_.push_back(std::move(entry));
    }
    return {};
}

Scheduler::Changes Scheduler::plan(std::span<const EngineSlots> engines, uint32_t max_slots, base::TimePoint now) {
    engines_.assign(engines.begin(), engines.end());
    max_slots_ = max_slots;
    std::vector<RequestId> before;
    for (const Entry& entry : entries_) {
        if (entry.running) before.push_back(entry.ticket.id);
    }
    note_hunger(now);  // of who ran until now
    take_slots();
    grant_turn(now);
    fill_slots();
    note_hunger(now);
    forget_those_who_left();
    unreviewed_tokens_ = 0;

    Changes changes;
    for (const Entry& entry : entries_) {
        const bool ran = std::find(before.begin(), before.end(), entry.ticket.id) != before.end();
        if (ran && !entry.running) changes.stops.push_back(entry.ticket.id);
        if (!ran && entry.running) changes.starts.push_back(entry.ticket.id);
    }
    const Entry* wanted = max_slots_ > 0 ? first_without_engine() : nullptr;
    if (wanted != nullptr) {
        const Ticket& ticket = wanted->ticket;
        changes.wants = Wanted{ticket.id, ticket.model_path, ticket.priority, turn_ == ticket.id};
    }
    return changes;
}

bool Scheduler::keeps_slot(const Entry& entry) const {
    const EngineSlots* engine = engine_of(entry);
    if (!may_run(entry) || engine == nullptr) return false;
    if (turn_ == entry.ticket.id) return true;
    return !engine->yields_to_all && (!engine->yields_to || entry.ticket.priority <= *engine->yields_to);
}

bool Scheduler::is_held(const Entry& waiting) {
    const EngineSlots& engine = *engine_of(waiting);
    if (!engine.yields_to && !engine.yields_to_all) return false;
    const Entry* wanted = first_without_engine();
    return engine.yields_to_all || (wanted != nullptr && key(*wanted) < key(waiting));
}

void Scheduler::take_slots() {
    for (Entry& entry : entries_) {
        if (entry.running && !keeps_slot(entry)) stop(entry);
    }
    for (const EngineSlots& engine : engines_) {
        while (n_running(engine.model) > engine.n_slots) stop(*last_running(&engine));
    }
    while (n_running_here() > max_slots_) stop(*last_running());
}

void Scheduler::fill_slots() {
    std::set<const EngineSlots*> closed;  // of which nobody gets a slot any more
    const auto close_device = [&] {
        for (const EngineSlots& engine : engines_) {
            if (!engine.is_remote) closed.insert(&engine);
        }
    };
    const auto has_open_engine = [&](const Entry& entry) {
        const EngineSlots* engine = engine_of(entry);
        return engine != nullptr && engine->n_slots > 0 && !closed.contains(engine);
    };
    if (max_slots_ == 0) close_device();
    while (Entry* next = first_waiting(has_open_engine)) {
        const EngineSlots* engine = engine_of(*next);
        if (is_held(*next)) {
            closed.insert(engine);
            continue;
        }
        const bool is_full = n_running(engine->model) >= engine->n_slots;
        if (is_full || (!engine->is_remote && n_running_here() >= max_slots_)) {
            Entry* loser = loser_to(*next, is_full ? engine : nullptr);
            if (loser == nullptr && !is_full) close_device();
            if (loser == nullptr) {
                closed.insert(engine);
                continue;
            }
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
    const bool shares = waiting.ticket.caller.share == running.ticket.caller.share;
    return shares ? is_behind(ahead.client_served, behind.client_served)
                  : is_behind(ahead.share_served, behind.share_served);
}

Scheduler::Entry* Scheduler::loser_to(const Entry& waiting, const EngineSlots* engine) {
    for (Entry* running : {last_running(engine), last_running(engine, &waiting)}) {
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
    class_of(entry).shares.served[entry.ticket.caller.share] += n_tokens;
    class_of(entry).clients[entry.ticket.caller.share].served[entry.ticket.caller.name] += n_tokens;
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

void Scheduler::set_model(RequestId id, std::string model) {
    Entry* entry = find(id);
    if (entry == nullptr) return;
    if (entry->running) stop(*entry);
    if (turn_ == id) turn_.reset();
    entry->n_tokens = 0;
    entry->ticket.model_path = std::move(model);
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
    const auto own = std::find_if(waiting.begin(), waiting.end(), [id](const Entry* e) { return e->ticket.id == id; });
    if (own == waiting.end()) return std::nullopt;
    return static_cast<uint32_t>(
        std::count_if(waiting.begin(), own, [&](const Entry* ahead) { return is_in_the_way(*ahead, **own); }));
}

bool Scheduler::is_in_the_way(const Entry& ahead, const Entry& behind) const {
    if (ahead.ticket.model_path == behind.ticket.model_path) return true;
    if (is_remote(ahead) || is_remote(behind)) return false;
    const auto add = [](uint64_t sum, const EngineSlots& engine) {
        return sum + (engine.is_remote ? 0 : engine.n_slots);
    };
    if (std::accumulate(engines_.begin(), engines_.end(), uint64_t{0}, add) > max_slots_) return true;
    const auto makes_room = [](const EngineSlots* engine) {
        return engine == nullptr || engine->yields_to || engine->yields_to_all;
    };
    return makes_room(engine_of(ahead)) && makes_room(engine_of(behind));
}

std::chrono::milliseconds Scheduler::estimated_wait(RequestId id, const Pace& pace) const {
    const auto time_of = [&](const Entry& entry) {
        const double most = entry.ticket.max_tokens;
        const double expected = std::min(pace.mean_tokens, most);
        const double generated = entry.n_tokens;
        return pace.ms_per_token * (generated < expected ? expected - generated : std::max(most - generated, 0.0));
    };
    // When each slot is free, in ms: of an engine, and of all that the policy allows.
    using Ends = std::priority_queue<double, std::vector<double>, std::greater<>>;
    std::map<std::string, Ends> engines;
    Ends all;
    double has_made_room = 0;
    for (const Entry& entry : entries_) {
        if (!entry.running) continue;
        const EngineSlots* engine = engine_of(entry);
        const double end = time_of(entry);
        engines[entry.ticket.model_path].push(end);
        if (!is_remote(entry)) all.push(end);
        if (engine != nullptr && (engine->yields_to || engine->yields_to_all)) {
            has_made_room = std::max(has_made_room, end);
        }
    }
    while (all.size() < std::min<size_t>(max_slots_, entries_.size())) all.push(0);
    uint32_t most_slots = 1;
    for (const EngineSlots& engine : engines_) {
        Ends& ends = engines[engine.model];
        const auto n_slots = std::min(engine.n_slots, static_cast<uint32_t>(entries_.size()));
        while (ends.size() < n_slots) ends.push(0);
        most_slots = std::max(most_slots, n_slots);
    }
    for (const Entry* entry : queue()) {
        Ends& ends = engines[entry->ticket.model_path];
        if (engine_of(*entry) == nullptr) {
            while (ends.size() < most_slots) ends.push(has_made_room);  // as large as the largest that is there
        }
        const bool is_here = !is_remote(*entry);
        if (ends.empty() || (is_here && all.empty())) continue;
        const double start = is_here ? std::max(ends.top(), all.top()) : ends.top();
        if (entry->ticket.id == id) return std::chrono::milliseconds(static_cast<int64_t>(start));
        ends.pop();
        ends.push(start + time_of(*entry));
        if (!is_here) continue;
        all.pop();
        all.push(start + time_of(*entry));
    }
    return {};
}

std::optional<Priority> Scheduler::highest_running(std::string_view model) const {
    std::optional<Priority> highest;
    for (const Entry& entry : entries_) {
        if (!entry.running || entry.ticket.model_path != model) continue;
        highest = std::min(highest.value_or(entry.ticket.priority), entry.ticket.priority);
    }
    return highest;
}

size_t Scheduler::n_running() const {
    return static_cast<size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.running; }));
}

size_t Scheduler::n_running_here() const {
    return static_cast<size_t>(
        std::count_if(entries_.begin(), entries_.end(), [this](const Entry& e) { return e.running && !is_remote(e); }));
}

size_t Scheduler::n_running(std::string_view model) const {
    return static_cast<size_t>(std::count_if(
        entries_.begin(), entries_.end(), [&](const Entry& e) { return e.running && e.ticket.model_path == model; }));
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
    const auto clients = members.clients.find(ticket.caller.share);
    Key key{};
    key.rank = turn_ == ticket.id ? 0 : 1 + static_cast<uint32_t>(ticket.priority);
    key.share_served = counter(members.shares, ticket.caller.share);
    key.client_served = clients == members.clients.end() ? 0 : counter(clients->second, ticket.caller.name);
    key.id = ticket.id;
    for (const Entry& other : entries_) {
        if (other.running) expect_turn(key, ticket, other.ticket);
    }
    return key;
}

void Scheduler::expect_turn(Key& key, const Ticket& ticket, const Ticket& other) {
    if (other.priority != ticket.priority || other.caller.share != ticket.caller.share) return;
    key.share_served += kFairTokens;
    if (other.caller.name == ticket.caller.name) key.client_served += kFairTokens;
}

const EngineSlots* Scheduler::engine_of(const Entry& entry) const {
    const auto it = std::find_if(engines_.begin(), engines_.end(),
                                 [&](const EngineSlots& engine) { return engine.model == entry.ticket.model_path; });
    return it == engines_.end() ? nullptr : &*it;
}

bool Scheduler::is_remote(const Entry& entry) const {
    const EngineSlots* engine = engine_of(entry);
    return engine != nullptr && engine->is_remote;
}

template <typename Condition>
Scheduler::Entry* Scheduler::first_waiting(Condition is_like) {
    Entry* first = nullptr;
    for (Entry& entry : entries_) {
        if (waits(entry) && is_like(entry) && (first == nullptr || key(entry) < key(*first))) first = &entry;
    }
    return first;
}

Scheduler::Entry* Scheduler::first_without_engine() {
    return first_waiting([this](const Entry& entry) { return engine_of(entry) == nullptr; });
}

Scheduler::Entry* Scheduler::last_running(const EngineSlots* engine, const Entry* rival) {
    Entry* last = nullptr;
    for (Entry& entry : entries_) {
        const bool is_there = engine == nullptr ? !is_remote(entry) : entry.ticket.model_path == engine->model;
        const bool is_meant =
            is_there && (rival == nullptr || (entry.ticket.priority == rival->ticket.priority &&
                                              entry.ticket.caller.share == rival->ticket.caller.share));
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
    raise(class_of(entry).shares, entry.ticket.caller.share);
    raise(class_of(entry).clients[entry.ticket.caller.share], entry.ticket.caller.name);
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
        if (ticket.priority != priority || (share != nullptr && ticket.caller.share != *share)) continue;
        const uint64_t served = counters.served[share != nullptr ? ticket.caller.name : ticket.caller.share];
        most = std::max(most, served);
        if (waits(entry)) least_waiting = std::min(least_waiting.value_or(served), served);
    }
    counters.clock = std::max(counters.clock, least_waiting.value_or(most));
}

void Scheduler::forget_those_who_left() {
    // Nothing has to be known of applications and clients of which nobody is here any more.
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
            shares.insert(entry.ticket.caller.share);
            clients[entry.ticket.caller.share].insert(entry.ticket.caller.name);
        }
        forget(members.shares, shares);
        std::erase_if(members.clients, [&](const auto& share) { return !clients.contains(share.first); });
        for (auto& [share, counters] : members.clients) forget(counters, clients[share]);
    }
}

void Scheduler::note_hunger(base::TimePoint now) {
    std::map<std::pair<Priority, std::string>, base::TimePoint> hungry;
    for (const Entry& entry : entries_) {
        const EngineSlots* engine = engine_of(entry);
        if ((max_slots_ == 0 && !is_remote(entry)) || !waits(entry)) continue;
        const std::pair which(entry.ticket.priority, entry.ticket.model_path);
        const auto since = hungry_since_.find(which);
        // Hunger does not begin at an engine that cannot compute, and is not forgotten while one loads because of it.
        if (engine != nullptr && engine->n_slots == 0 && since == hungry_since_.end()) continue;
        hungry.emplace(which, since == hungry_since_.end() ? now : since->second);
    }
    for (const Entry& entry : entries_) {
        if (entry.running) hungry.erase({entry.ticket.priority, entry.ticket.model_path});
    }
    hungry_since_ = std::move(hungry);
}

void Scheduler::grant_turn(base::TimePoint now) {
    if (turn_ && find(*turn_)->running) return;
    turn_.reset();  // one that still waits, for its model to be loaded, may have been overtaken meanwhile
    const auto hungriest = std::min_element(hungry_since_.begin(), hungry_since_.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
    if (hungriest == hungry_since_.end() || now - hungriest->second < kStarvationTimeout) return;
    const Entry* first = first_waiting([&](const Entry& entry) {
        return entry.ticket.priority == hungriest->first.first && entry.ticket.model_path == hungriest->first.second;
    });
    if (first == nullptr) return;
    turn_ = first->ticket.id;
    turn_tokens_ = kTurnTokens;
}

}  // namespace llmd::service
