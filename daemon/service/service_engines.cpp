// Which engines there are, and what each computes.
#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/config.h"
#include "service/service.h"
#include "supervisor/memory_budget.h"

namespace llmd::service {

namespace {

constexpr uint32_t kUsualSlots = 4;  // of an engine, where the settings do not say otherwise
// That an engine may take beside its estimate where there is room: Mesa's llvmpipe with its compiler has 190 MB.
constexpr uint64_t kDriverBytes = 256u << 20;

}  // namespace

using base::TimePoint;

void Service::advance() {
    drop_ended_engines();
    inspected_.reset();
    if (shutting_down_) {
        for (auto& [key, engine] : engines_) engine->stop();
        return drop_ended_engines();
    }
    for (const ModelReference& model : questions_.models()) {
        if (serving(model) == nullptr) jobs_.add_load_for_others(model);
    }
    run_jobs();
    replace_remotes_if_changed();
    review_remote_requests();
    start_remotes();
    assign_slots();
    unload_idle();
    restart_dead();
    give_leases();
    feed();
}

void Service::replace_remotes_if_changed() {
    if (!std::exchange(remotes_changed_, false)) return;
    for (auto& [key, engine] : engines_) {
        if (engine->model().is_remote()) engine->become_outdated();
    }
}

void Service::drop_ended_engines() {
    for (auto it = engines_.begin(); it != engines_.end();) {
        Engine& engine = *it->second;
        engine.release_ended_link();
        if (engine.state() != Engine::State::Gone) {
            ++it;
            continue;
        }
        past_restarts_ += engine.restarts();
        yielding_.erase(it->first);
        it = engines_.erase(it);
    }
}

Engine* Service::serving(const ModelReference& model) {
    return const_cast<Engine*>(std::as_const(*this).serving(model));
}

const Engine* Service::serving(const ModelReference& model) const {
    const auto it = engines_.find(model.key());
    return it != engines_.end() && it->second->is_alive() ? it->second.get() : nullptr;
}

bool Service::is_current(const Engine& engine) const {
    return engine.model().is_remote() || engine.file() == identify(engine.model().path);
}

bool Service::drains(const Engine& engine) const {
    if (engine.is_outdated()) return true;
    if (jobs_.empty()) return false;
    const ModelJobs::Job& job = jobs_.front();
    const bool is_meant = job.model && job.model->key() == engine.key();
    if (job.kind == ModelJobs::Job::Kind::Unload) return !job.model || is_meant;
    return is_meant ? !is_current(engine) : draining_.contains(engine.key());
}

bool Service::is_idle(const Engine& engine) const {
    return engine.n_running() == 0 && !questions_.wait_for(engine.key());
}

bool Service::is_needed(const Engine& engine) const {
    const auto& records = requests_.records();
    return !is_idle(engine) || jobs_.wait_for(engine.key()) ||
           std::any_of(records.begin(), records.end(), [&](const auto& one) {
               const RequestRecord& record = one.second;
               const bool may_run = directive_.run_background || record.request.priority != Priority::Background;
               return may_run && record.model.key() == engine.key();
           });
}

bool Service::is_loading() const {
    return std::any_of(engines_.begin(), engines_.end(), [](const auto& one) {
        const Engine& engine = *one.second;
        return !engine.model().is_remote() && engine.state() == Engine::State::Loading;
    });
}

void Service::assign_slots() {
    // Every round but the last starts an engine or has one yield.
    for (size_t round = 0; round <= 2 * engines_.size() + 2; ++round) {
        std::vector<EngineSlots> slots;
        for (const auto& [key, engine] : engines_) {
            const auto n_running = static_cast<uint32_t>(engine->n_running());
            // One that has died goes on with what ran on it.
            const bool is_there = engine->is_alive() || (engine->state() == Engine::State::Down && n_running > 0);
            if (!is_there) continue;
            EngineSlots one{key, drains(*engine) ? n_running : engine->n_slots(), std::nullopt, false};
            one.is_remote = engine->model().is_remote();
            if (one.is_remote && remotes_.is_going_to_sleep(directive_)) one.n_slots = 0;
            if (const auto yields = yielding_.find(key); yields != yielding_.end()) {
                one.yields_to = yields->second.yields_to;
                one.yields_to_all = yields->second.yields_to_all;
            }
            slots.push_back(std::move(one));
        }
        const auto changes = scheduler_.plan(slots, directive_.max_slots, environment_.now());
        for (const RequestId id : changes.stops) requests_.find(id)->running = false;
        for (const RequestId id : changes.starts) {
            RequestRecord& record = *requests_.find(id);
            record.running = true;
            if (record.model.is_remote()) remotes_.begin(record);
            note_used(record.model, !record.request.inputs.empty());
        }
        const auto& wants = changes.wants;
        const std::string wanted_model = wants ? wants->model : std::string();
        if (!yielding_.empty() && yielded_for_ != wanted_model) {
            yielding_.clear();
            continue;
        }
        // Jobs come first.
        if (!wants || !jobs_.empty()) return;
        const ModelReference model = requests_.find(wants->id)->model;
        const auto step = step_to(model, wants->priority, wants->has_starved);
        if (std::holds_alternative<supervisor::LoadIt>(step)) {
            start_engine(model);
        } else if (const auto* yields = std::get_if<supervisor::Yield>(&step)) {
            EngineSlots slots_of{yields->model, 0, yields->priority, yields->to_all, false};
            auto& known = yielding_[yields->model];
            if (known.yields_to == slots_of.yields_to && known.yields_to_all == slots_of.yields_to_all) return;
            known = std::move(slots_of);
            yielded_for_ = wants->model;
        } else if (const auto* error = std::get_if<base::Error>(&step)) {
            requests_.end(*requests_.find(wants->id), Finish::Error, *error);
        } else {
            return;
        }
    }
}

std::vector<supervisor::Resident> Service::residents() const {
    std::vector<supervisor::Resident> residents;
    for (const auto& [key, engine] : engines_) {
        if (engine->model().is_remote() || (!engine->has_process() && engine->n_running() == 0)) continue;
        supervisor::Resident& one = residents.emplace_back();
        one.model = key;
        one.name = engine->model().name;
        one.bytes = engine->counted_bytes();
        const auto state = engine->state();
        one.state = state == Engine::State::Loading  ? supervisor::ResidentState::Loading
                    : state == Engine::State::Ending ? supervisor::ResidentState::Ending
                                                     : supervisor::ResidentState::Ready;
        one.last_use = engine->use().last();
        one.kept_until = engine->use().kept_until();
        one.pinned = engine->settings().pinned;
        one.runs = scheduler_.highest_running(key);
        one.owes_answer = questions_.wait_for(key);
        if (engine->has_served()) continue;
        for (const auto& [id, record] : requests_.records()) {
            if (record.model.key() != key || record.running) continue;
            one.is_due_to = std::min(one.is_due_to.value_or(Priority::Background), record.request.priority);
        }
    }
    return residents;
}

uint64_t Service::memory_budget() const {
    uint64_t held = 0;
    for (const auto& [key, engine] : engines_) held += engine->held_bytes();
    const auto available = environment_.available_memory ? environment_.available_memory() : std::nullopt;
    return supervisor::memory_budget(config_.memory_mib, available, held);
}

std::optional<Engine::Memory> Service::needed_memory(const ModelReference& model) const {
    if (model.is_remote()) return Engine::Memory{};
    const auto needs = catalogue_->needs(model.path);
    if (!needs) return std::nullopt;
    const base::ModelSettings own = config_.of(model.name);
    supervisor::EngineSize size;
    size.weight_bytes = needs->weight_bytes;
    size.context = needs->context;
    const uint32_t n_ctx =
        needs->n_ctx_train == 0 ? base::kUsualContext : std::min(needs->n_ctx_train, base::kUsualContext);
    size.n_ctx = own.context_length != 0 ? own.context_length : n_ctx;
    size.n_slots = config_.parallel != 0 ? config_.parallel : kUsualSlots;
    const uint64_t bytes = supervisor::estimated_bytes(size, memory_budget());
    return Engine::Memory{bytes, needs->context.is_known() ? bytes : 0};
}

supervisor::Step Service::step_to(const ModelReference& model, Priority priority, bool has_starved) {
    if (model.is_remote()) {
        const auto own = engines_.find(model.key());
        const bool is_going = own != engines_.end() && own->second->has_process();
        return is_going ? supervisor::Step(supervisor::Wait{"it is ending"}) : supervisor::LoadIt{};
    }
    if (!free_memory_after_kill()) return supervisor::Wait{"idle models go first"};
    const auto memory = needed_memory(model);
    if (!memory) {
        inspected_ = model;
        return supervisor::Wait{"the file is being inspected"};
    }
    const supervisor::WantedModel wanted{model.key(), model.name, memory->booked, priority, has_starved};
    const supervisor::PoolLimits limits{memory_budget(), config_.max_models};
    auto step = supervisor::next_step(residents(), wanted, limits, environment_.now());
    if (const auto* evicts = std::get_if<supervisor::Evict>(&step)) engines_.at(evicts->model)->stop();
    return step;
}

bool Service::free_memory_after_kill() {
    if (!memory_is_short_) return true;
    for (const std::string& key : supervisor::eviction_order(residents(), environment_.now())) engines_.at(key)->stop();
    memory_is_short_ = std::any_of(engines_.begin(), engines_.end(),
                                   [](const auto& one) { return one.second->state() == Engine::State::Ending; });
    return !memory_is_short_;
}

uint64_t Service::memory_limit(const Engine& engine, const Engine::Memory& memory) const {
    // The memory that a GPU's driver takes for itself is known once it has it, and is a few MiB or a few hundred. A
    // model that is alone may try with all there is, unless the settings say how much that is.
    uint64_t of_others = 0;
    for (const supervisor::Resident& resident : residents()) {
        if (resident.model != engine.key()) of_others += resident.bytes;
    }
    if (memory.limit == 0 || (of_others == 0 && config_.memory_mib == 0)) return 0;
    const uint64_t budget = memory_budget();
    const uint64_t room = budget > of_others ? budget - of_others : 0;
    return std::max(memory.limit, std::min(memory.limit + kDriverBytes, room));
}

void Service::start_engine(const ModelReference& model) {
    auto& engine = engines_[model.key()];
    auto& launcher = model.is_remote() ? *remotes_.launcher() : *launcher_;
    if (!engine) engine = std::make_unique<Engine>(context_, launcher, model);
    if (!model.is_remote()) {
        default_load_failed_ = false;
        yielding_.clear();
        look_for_oom_kills();
    }
    Engine::Memory memory = needed_memory(model).value_or(Engine::Memory{});
    memory.limit = memory_limit(*engine, memory);
    engine->start(++last_engine_id_, memory);
}

void Service::review_remote_requests() {
    if (remotes_.is_going_to_sleep(directive_)) return;  // nothing goes, and nobody is ended by it
    using Action = handover::Decision::Action;
    std::vector<std::pair<RequestId, base::Error>> refused;
    for (auto& [id, record] : requests_.records()) {
        if (!record.model.is_remote()) continue;
        if (record.stage != RequestRecord::Stage::Unmeasured) remotes_.accepted(record);
        auto decision = remotes_.decide(record.model.remote, record.request, directive_);
        const bool is_away = record.has_been_handed_over();
        if (decision.action == Action::Refuse) {
            // Its text may be asked for again at any time, prompt and all: not against the rules.
            const bool ends = !is_away || decision.why.code == base::ErrorCode::NotAllowed;
            if (ends) refused.emplace_back(id, std::move(decision.why));
            continue;
        }
        const bool held = !is_away && decision.action == Action::Wait;
        if (std::exchange(record.kept, held) != held) block(record);
    }
    for (auto& [id, why] : refused) requests_.end(*requests_.find(id), Finish::Error, std::move(why));
}

void Service::start_remotes() {
    const bool unloads = !jobs_.empty() && jobs_.front().kind == ModelJobs::Job::Kind::Unload;
    if (remotes_.is_going_to_sleep(directive_) || unloads) return;
    std::map<std::string, ModelReference> due;  // start_engine() may end requests
    for (const auto& [id, record] : requests_.records()) {
        if (!record.model.is_remote() || record.kept || record.paused) continue;
        if (!directive_.run_background && record.request.priority == Priority::Background) continue;
        const auto own = engines_.find(record.model.key());
        const bool is_there = own != engines_.end() && (own->second->has_process() || own->second->n_running() > 0);
        if (!is_there) due.emplace(record.model.key(), record.model);
    }
    for (const auto& [key, model] : due) start_engine(model);
}

void Service::unload_idle() {
    loop_.cancel_timer(std::exchange(unload_timer_, 0));
    const TimePoint now = environment_.now();
    TimePoint next = TimePoint::max();
    for (auto& [key, engine] : engines_) {
        if (!engine->is_ready()) continue;
        if (engine->is_outdated() && is_idle(*engine)) {
            engine->stop();
            continue;
        }
        if (is_needed(*engine)) continue;
        // As if it had died: whoever asks next gets the same model.
        if (directive_.unload) {
            engine->stop();
            continue;
        }
        const bool is_remote = engine->model().is_remote();
        if (directive_.idle_time.count() == 0 && !is_remote) continue;
        const TimePoint end = engine->stays_until(is_remote ? kRemoteIdle : directive_.idle_time);
        if (end <= now) engine->stop();
        if (end > now) next = std::min(next, end);
    }
    if (next == TimePoint::max()) return;
    // Not a moment early: it would be set again.
    const auto delay = std::chrono::ceil<std::chrono::milliseconds>(next - now);
    unload_timer_ = loop_.add_timer_after(delay, [this] {
        unload_timer_ = 0;
        schedule_pass();
    });
}

void Service::restart_dead() {
    for (auto& [key, engine] : engines_) {
        if (engine->state() != Engine::State::Down || engine->n_running() == 0) continue;
        // Idle ones go at once, however long nothing may be started.
        if (!engine->model().is_remote() && (is_loading() || !free_memory_after_kill())) continue;
        if (engine->waits_to_retry() || (engine->lacked_memory() && directive_.memory_is_short)) continue;
        if (!engine->model().is_remote()) {
            // An inspection tells whether a file that has another time since is the same.
            if (!catalogue_->needs(engine->model().path)) continue;
            default_load_failed_ = false;
            look_for_oom_kills();
        }
        engine->start(++last_engine_id_, engine->memory());
    }
}

void Service::feed() {
    // The pace is for the whole device: engines that compute side by side share it.
    std::set<std::string> devices;
    for (const auto& [key, engine] : engines_) {
        if (const auto device = engine->device(); device && engine->n_running() > 0) devices.insert(*device);
    }
    uint32_t duty_cycle = directive_.duty_cycle_percent;
    if (duty_cycle != protocol::kFullDutyCycle && devices.size() > 1) {
        duty_cycle = std::max<uint32_t>(1, duty_cycle / static_cast<uint32_t>(devices.size()));
    }
    for (auto& [key, engine] : engines_) engine->feed({duty_cycle, drains(*engine)});
}

void Service::give_leases() {
    std::vector<DeviceLeases::Member> members;
    for (const auto& [key, engine] : engines_) {
        // The kernel shares the cores better than turns would (docs/performance.md).
        const auto device = engine->device();
        if (!device || *device == Engine::kCpu) continue;
        members.push_back(
            {engine->id(), *device, scheduler_.highest_running(key), engine->state() == Engine::State::Loading});
    }
    for (const auto& change : leases_.review(members)) {
        for (auto& [key, engine] : engines_) {
            if (engine->id() == change.engine) engine->set_lease(change.held);
        }
    }
}

void Service::on_ready(Engine& engine) {
    load_failures_.add_ready(engine.key(), *engine.file());
}

void Service::on_load_failed(Engine& engine, const base::Error& error) {
    const std::string& key = engine.key();
    if (!engine.model().is_remote()) load_failures_.add(key, engine.file(), error, environment_.now());
    if (!engine.model().is_remote()) {
        const auto expected = default_model();
        default_load_failed_ = expected && expected->key() == key;
    }
    last_fault_ = error.message;
    last_fault_cause_ = "load_failed";
    for (auto* last : {&last_text_, &last_embedder_}) {
        if (*last && (*last)->model.key() == key) last->reset();
    }
    requests_.end_if([&](const RequestRecord& record) { return record.model.key() == key; }, Finish::Error, error);
    questions_.fail(key, error);
    if (jobs_.empty()) return;
    const ModelJobs::Job& job = jobs_.front();
    if (job.kind == ModelJobs::Job::Kind::Load && job.model->key() == key) jobs_.finish(error);
}

bool Service::on_died(Engine& engine, const supervisor::EngineEnd& end) {
    last_fault_ = base::concat(engine.program(), ' ', end.detail);
    last_fault_cause_ = supervisor::cause_name(end.cause);
    if (engine.model().is_remote() || !lacked_memory(end)) return false;
    spdlog::warn("memory was short: idle models go before anything is loaded");
    memory_is_short_ = true;
    return true;
}

bool Service::lacked_memory(const supervisor::EngineEnd& end) {
    if (end.cause != supervisor::EngineEnd::Cause::ForeignKill)
        return end.cause == supervisor::EngineEnd::Cause::NoMemory;
    const bool kernel_killed = look_for_oom_kills();
    return end.signal != SIGKILL || kernel_killed || directive_.memory_is_short;
}

bool Service::look_for_oom_kills() {
    return oom_kills_.look(environment_.oom_kills ? environment_.oom_kills() : std::nullopt, environment_.now());
}

void Service::on_lease_released(Engine& engine) {
    leases_.release(engine.id());
    schedule_pass();
}

}  // namespace llmd::service
