// Which engines there are, and what each computes.
#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "service/service_impl.h"

namespace llmd::service {

using base::TimePoint;

void Service::Impl::advance() {
    drop_ended_engines();
    if (shutting_down_) {
        for (auto& [key, engine] : engines_) engine->stop();
        return drop_ended_engines();
    }
    for (const ModelReference& model : questions_.models()) {
        if (serving(model) == nullptr) jobs_.add_load_for_others(model);
    }
    run_jobs();
    assign_slots();
    unload_idle();
    restart_dead();
    feed();
}

void Service::Impl::drop_ended_engines() {
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

Engine* Service::Impl::serving(const ModelReference& model) {
    return const_cast<Engine*>(std::as_const(*this).serving(model));
}

const Engine* Service::Impl::serving(const ModelReference& model) const {
    const auto it = engines_.find(model.key());
    return it != engines_.end() && it->second->is_alive() ? it->second.get() : nullptr;
}

bool Service::Impl::is_current(const Engine& engine) const {
    return engine.model().is_remote() || engine.file() == engines::file_identity(engine.model().path);
}

bool Service::Impl::drains(const Engine& engine) const {
    if (jobs_.empty()) return false;
    const ModelJobs::Job& job = jobs_.front();
    const bool is_meant = job.model && job.model->key() == engine.key();
    if (job.kind == ModelJobs::Job::Kind::Unload) return !job.model || is_meant;
    return is_meant ? !is_current(engine) : job_lacks_room_;
}

bool Service::Impl::is_idle(const Engine& engine) const {
    return engine.n_running() == 0 && !questions_.wait_for(engine.key());
}

bool Service::Impl::is_needed(const Engine& engine) const {
    const auto& records = requests_.records();
    return !is_idle(engine) || jobs_.wait_for(engine.key()) ||
           std::any_of(records.begin(), records.end(), [&](const auto& one) {
               const RequestRecord& record = one.second;
               const bool may_run = directive_.run_background || record.request.priority != Priority::Background;
               return may_run && record.model.key() == engine.key();
           });
}

bool Service::Impl::is_loading() const {
    return std::any_of(engines_.begin(), engines_.end(),
                       [](const auto& one) { return one.second->state() == Engine::State::Loading; });
}

void Service::Impl::assign_slots() {
    // Every round but the last starts an engine or has one yield.
    for (size_t round = 0; round <= 2 * engines_.size() + 2; ++round) {
        std::vector<EngineSlots> slots;
        for (const auto& [key, engine] : engines_) {
            const auto n_running = static_cast<uint32_t>(engine->n_running());
            // One that has died goes on with what ran on it.
            const bool is_there = engine->is_alive() || (engine->state() == Engine::State::Down && n_running > 0);
            if (!is_there) continue;
            EngineSlots one{key, drains(*engine) ? n_running : engine->n_slots(), std::nullopt, false};
            if (const auto yields = yielding_.find(key); yields != yielding_.end()) {
                one.yields_to = yields->second.yields_to;
                one.yields_to_all = yields->second.yields_to_all;
            }
            slots.push_back(std::move(one));
        }
        const auto changes = scheduler_.plan(slots, directive_.max_slots, clocks_.now());
        for (const RequestId id : changes.stops) requests_.find(id)->running = false;
        for (const RequestId id : changes.starts) {
            RequestRecord& record = *requests_.find(id);
            record.running = true;
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
        uint64_t memory_bytes = 0;
        const Room room = make_room(model, memory_bytes);
        if (room == Room::Later) return;
        if (room == Room::Made) {
            start_engine(model, memory_bytes);
            continue;
        }
        // The one whose requests matter least, and of these the one that was used longest ago.
        Engine* victim = nullptr;
        const auto rank = [&](const Engine& engine) {
            const auto highest = scheduler_.highest_running(engine.key());
            return std::pair(highest ? -static_cast<int>(*highest) : 1, engine.last_used());
        };
        for (auto& [key, engine] : engines_) {
            const bool counts = engine->has_process() || engine->n_running() > 0;
            if (!counts || engine->model().is_remote() || questions_.wait_for(key)) continue;
            if (victim == nullptr || rank(*engine) < rank(*victim)) victim = engine.get();
        }
        if (victim == nullptr || yielding_.contains(victim->key())) return;
        yielded_for_ = wants->model;
        yielding_[victim->key()] = EngineSlots{victim->key(), 0, wants->priority, wants->has_starved};
    }
}

bool Service::Impl::free_memory_after_kill() {
    if (!memory_is_short_) return true;
    bool is_going = false;
    for (auto& [key, engine] : engines_) {
        if (engine->is_ready() && !engine->model().is_remote() && is_idle(*engine)) engine->stop();
        is_going = is_going || engine->state() == Engine::State::Ending;
    }
    if (!is_going) memory_is_short_ = false;
    return !is_going;
}

Service::Impl::Room Service::Impl::make_room(const ModelReference& model, uint64_t& memory_bytes) {
    memory_bytes = 0;
    const auto own = engines_.find(model.key());
    if (own != engines_.end() && own->second->state() == Engine::State::Ending) return Room::Later;
    if (model.is_remote()) return Room::Made;
    if (is_loading() || !free_memory_after_kill()) return Room::Later;

    size_t n_resident = 0;
    bool is_going = false;
    Engine* idle = nullptr;
    for (auto& [key, engine] : engines_) {
        if (engine->model().is_remote() || key == model.key()) continue;
        if (!engine->has_process() && engine->n_running() == 0) continue;
        ++n_resident;
        is_going = is_going || engine->state() == Engine::State::Ending;
        if (!engine->is_ready() || !is_idle(*engine)) continue;
        if (idle == nullptr || engine->last_used() < idle->last_used()) idle = engine.get();
    }
    if (n_resident < std::max<uint32_t>(options_.max_models, 1)) return Room::Made;
    if (is_going) return Room::Later;
    if (idle == nullptr) return Room::Busy;
    idle->stop();
    return Room::Later;
}

void Service::Impl::start_engine(const ModelReference& model, uint64_t memory_bytes) {
    auto& engine = engines_[model.key()];
    if (!engine) engine = std::make_unique<Engine>(context_, *launcher_, model);
    default_load_failed_ = false;
    yielding_.clear();
    engine->start(memory_bytes);
}

void Service::Impl::unload_idle() {
    loop_.cancel_timer(std::exchange(unload_timer_, 0));
    const TimePoint now = clocks_.now();
    TimePoint next = TimePoint::max();
    for (auto& [key, engine] : engines_) {
        if (!engine->is_ready() || is_needed(*engine)) continue;
        // As if it had died: whoever asks next gets the same model.
        if (directive_.unload) {
            engine->stop();
            continue;
        }
        if (directive_.idle_time.count() == 0) continue;
        const TimePoint end = engine->stays_until(directive_.idle_time);
        if (end <= now) engine->stop();
        if (end > now) next = std::min(next, end);
    }
    if (next == TimePoint::max()) return;
    // Not a moment early: it would be set again.
    const auto delay = std::chrono::ceil<std::chrono::milliseconds>(next - now);
    unload_timer_ = loop_.add_timer_after(delay, [this] {
        unload_timer_ = 0;
        schedule_turn();
    });
}

void Service::Impl::restart_dead() {
    for (auto& [key, engine] : engines_) {
        if (engine->state() != Engine::State::Down || engine->n_running() == 0 || engine->waits_to_retry()) continue;
        if (!engine->model().is_remote() && (is_loading() || !free_memory_after_kill())) continue;
        default_load_failed_ = false;
        engine->start(engine->booked_bytes());
    }
}

void Service::Impl::feed() {
    for (auto& [key, engine] : engines_) engine->feed({directive_.duty_cycle_percent, drains(*engine)});
}

void Service::Impl::on_ready(Engine& engine) {
    load_failures_.forget(engine.key());
}

void Service::Impl::on_load_failed(Engine& engine, const base::Error& error) {
    const std::string& key = engine.key();
    load_failures_.add(key, engine.file(), error, clocks_.now());
    const auto expected = default_model();
    default_load_failed_ = expected && expected->key() == key;
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

void Service::Impl::on_died(Engine&, const engines::EngineEnd& end) {
    last_fault_ = "llmd-engine " + end.detail;
    last_fault_cause_ = engines::cause_name(end.cause);
    if (end.lacked_memory()) memory_is_short_ = true;
}

void Service::Impl::on_lease_released(Engine&) {
    schedule_turn();
}

}  // namespace llmd::service
