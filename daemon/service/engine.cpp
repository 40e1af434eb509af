#include "service/engine.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/frame.h"
#include "supervisor/engine_fault.h"
#include "supervisor/memory_budget.h"

namespace llmd::service {
namespace {

using base::concat;
using base::ErrorCode;
using supervisor::EngineEnd;

}  // namespace

Engine::Engine(const EngineContext& context, supervisor::EngineLauncher& launcher, ModelReference model)
    : context_(context), launcher_(launcher), model_(std::move(model)) {}

Engine::~Engine() {
    context_.loop.cancel_timer(retry_timer_);
}

RequestRecord* Engine::find(RequestId id) const {
    RequestRecord* record = context_.requests.find(id);
    return record != nullptr && record->model.key() == key() ? record : nullptr;
}

uint64_t Engine::measured_bytes() const {
    return ready_.weight_bytes + ready_.kv_bytes + ready_.overhead_bytes;
}

uint64_t Engine::memory_bytes() const {
    if (is_remote() || (!has_process() && n_running() == 0)) return 0;
    const uint64_t measured = measured_bytes();
    return state_ != State::Ready || measured == 0 ? memory_.booked : measured;
}

uint64_t Engine::counted_bytes() const {
    const uint64_t measured = measured_bytes();
    if (measured == 0) return memory_bytes();
    if (state_ == State::Ready) return measured + supervisor::kRequestBytes;
    // It has all that it had until its process has gone.
    return state_ == State::Ending ? std::max(memory_.booked, measured + supervisor::kRequestBytes) : memory_bytes();
}

uint64_t Engine::held_bytes() const {
    if (state_ != State::Ready || is_remote()) return 0;
    // The weights are a copy of the file's on every backend. The CPU's KV pages are memory once they have been written,
    // a GPU's at once.
    const uint64_t n_written = std::min(uint64_t{pages_.used} + pages_.cached, uint64_t{pages_.total});
    const uint64_t written = pages_.total == 0 ? 0 : ready_.kv_bytes / pages_.total * n_written;
    const bool is_cpu = ready_.backend == protocol::BackendKind::Cpu;
    return ready_.weight_bytes + (is_cpu ? written : ready_.kv_bytes) + ready_.overhead_bytes;
}

uint32_t Engine::n_slots() const {
    if (state_ == State::Ready) return ready_.n_slots;
    return std::max<uint32_t>(1, static_cast<uint32_t>(n_running()));
}

std::optional<std::string> Engine::device() const {
    if (!is_alive() || is_remote() || !chosen_) return std::nullopt;
    return chosen_->backend == protocol::BackendKind::Cpu ? std::string(kCpu) : chosen_->device;
}

// --- its life --------------------------------------------------------------------------------------------------------

void Engine::start(uint64_t id, Memory memory) {
    context_.loop.cancel_timer(std::exchange(retry_timer_, 0));
    retry_at_ = {};
    settings_ = context_.config.of(model_.name);
    memory_ = memory;
    id_ = id;
    has_served_ = is_outdated_ = lacked_memory_ = false;
    load_per_mille_ = 0;
    chosen_.reset();
    file_ = is_remote() ? std::optional(supervisor::FileIdentity{}) : context_.host.identify(model_.path);
    if (!file_) {
        return fail_load(base::fail(ErrorCode::ModelNotFound, model_.name, ": there is no such file any more"));
    }
    auto link = supervisor::EngineLink::start(
        context_.loop, launcher_,
        {[this](const protocol::Message& message) { on_message(message); },
         [this](const EngineEnd& end) { on_ended(end); }, [this] { context_.host.schedule_pass(); }});
    if (!link) return fail_load(std::move(link).error());
    link_ = std::move(*link);
    state_ = State::Loading;
    started_ = context_.now();
    if (proven_file_ == file_) ++restarts_;
    spdlog::info("engine {} started, loads {}", link_->pid(), model_.name);
    send_first_message();
    context_.host.schedule_pass();
}

void Engine::send_first_message() {
    if (is_remote()) {
        link_->send(protocol::Connect{.remote = model_.remote, .model = model_.name_there()});
        return;
    }
    const base::Config& config = context_.config;
    avoidance_ = context_.devices.avoid(*file_);
    protocol::Load load;
    load.model_path = model_.path;
    load.backend = protocol::backend_from_name(settings_.backend);
    load.device = config.device;
    load.precision = config.precision == "fast" ? protocol::Precision::Fast : protocol::Precision::Faithful;
    load.n_threads = config.threads;
    load.n_ctx = settings_.context_length;
    load.n_slots = config.parallel;
    load.prefill_chunk = config.prefill_chunk;
    load.chat_template = settings_.chat_template;
    load.saved_prefix_bytes = uint64_t{config.saved_prefix_mib} << 20;
    load.memory_bytes = memory_.limit;
    load.speculates = config.speculation;
    load.avoid_device = avoidance_.device.name;
    load.avoid_driver = avoidance_.device.driver;
    load.avoid_device_reason = avoidance_.reason;
    link_->send(load);
}

void Engine::stop() {
    if (state_ == State::Down) state_ = State::Gone;
    if (!link_ || state_ == State::Ending) return;
    state_ = State::Ending;
    context_.host.schedule_pass();
    link_->stop();
}

void Engine::fail_load(base::Error error) {
    spdlog::error("model {} cannot be loaded: {}: {}", model_.name, base::error_name(error.code), error.message);
    state_ = link_ ? State::Ending : State::Gone;
    if (link_) link_->stop();
    context_.host.on_load_failed(*this, error);
    context_.host.schedule_pass();
}

void Engine::reject(std::string what) {
    link_->terminate(EngineEnd::Cause::Protocol, std::move(what));
}

void Engine::set_lease(bool held) {
    if (link_ && is_alive()) link_->send(protocol::SetLease{held});
}

// --- what it says ----------------------------------------------------------------------------------------------------

void Engine::on_message(const protocol::Message& message) {
    if (state_ == State::Ending) return;
    std::visit([this](const auto& m) { on(m); }, message);
}

template <typename T>
void Engine::on(const T& unexpected) {
    reject(concat("sent an unexpected ", protocol::message_name(protocol::Message(unexpected))));
}

void Engine::on(const protocol::LoadProgress& progress) {
    constexpr uint32_t kWhole = 1000;
    load_per_mille_ = std::min(progress.per_mille, kWhole);
    context_.host.schedule_pass();
}

void Engine::on(const protocol::DeviceChosen& chosen) {
    if (state_ != State::Loading) return reject("sent a DeviceChosen out of turn");
    chosen_ = chosen;
    context_.host.schedule_pass();
}

void Engine::on(const protocol::Ready& ready) {
    if (state_ != State::Loading || ready.n_slots == 0) {
        return reject(concat("sent a Ready out of turn or with ", ready.n_slots, " slots"));
    }
    ready_ = ready;
    pages_ = {};
    chosen_ = protocol::DeviceChosen{ready.backend, ready.device, ready.driver};
    if (!is_remote() && avoidance_.looks && ready.backend != protocol::BackendKind::Cpu) {
        context_.devices.found_another();
    }
    avoidance_.looks = false;
    state_ = State::Ready;
    told_duty_cycle_ = protocol::kFullDutyCycle;
    cache_is_due_ = false;
    proven_file_ = file_;
    failed_loads_ = 0;
    use_.note_question(context_.now());
    spdlog::info("model {} is ready after {} ms on {} ({}), context {}", model_.name, ready.load_ms,
                 protocol::backend_name(ready.backend), ready.device, ready.n_ctx);
    for (const std::string& note : ready.notes) spdlog::info("model {}: {}", model_.name, note);
    context_.host.on_ready(*this);
    context_.host.schedule_pass();
}

void Engine::on(const protocol::LoadFailed& failed) {
    if (state_ != State::Loading) return reject("sent a LoadFailed out of turn");
    if (failed.code == ErrorCode::OutOfMemory && is_replacement()) {
        // It did fit before: whatever has the memory now may give it back.
        link_->terminate(EngineEnd::Cause::NoMemory, "could not load the model again: " + failed.message);
        return;
    }
    fail_load(error_of(failed));
}

void Engine::on(const protocol::Pages& pages) {
    pages_ = pages;
    context_.host.schedule_pass();
}

template <typename Answer>
void Engine::take_answer(const Answer& answer) {
    use_.note_question(context_.now());
    has_served_ = true;
    if (auto wrong = context_.questions.take(key(), answer); !wrong.empty()) reject(std::move(wrong));
}

void Engine::on(const protocol::LeaseReleased&) {
    context_.host.on_lease_released(*this);
}

// --- its end ---------------------------------------------------------------------------------------------------------

void Engine::on_ended(const EngineEnd& end) {
    const bool was_ready = state_ == State::Ready;
    const bool asked = state_ == State::Ending;
    spdlog::log(end.cause == EngineEnd::Cause::Asked ? spdlog::level::info : spdlog::level::err, "engine {} {}",
                link_->pid(), end.detail);
    ended_link_ = std::move(link_);
    state_ = asked ? State::Gone : State::Down;
    const bool memory_was_short = end.cause != EngineEnd::Cause::Asked && context_.host.on_died(*this, end);
    if (!asked) on_died(end, was_ready, memory_was_short);
    for_each_request([](RequestRecord& record) { record.leave_engine(); });
    context_.questions.forget_engine(key());
    context_.host.schedule_pass();
}

void Engine::on_died(const EngineEnd& end, bool was_ready, bool memory_was_short) {
    std::vector<RequestId> exposed;
    supervisor::EngineDeath death;
    death.lacked_memory = end.may_have_lacked_memory();
    death.memory_was_short = lacked_memory_ = memory_was_short;
    death.was_ready = was_ready;
    death.was_replacement = !was_ready && is_replacement();
    death.can_quarantine = may_leave_device();
    death.device_failed = count_against_device(end);
    death.failed_loads = was_ready ? 0 : ++failed_loads_;
    for_each_request([&](RequestRecord& record) {
        if (!record.exposed()) return;
        exposed.push_back(record.id);
        if (death.counts_for_requests(end)) record.faults.add(end);
        death.worst.counted = std::max(death.worst.counted, record.faults.counted);
        death.worst.foreign_kills = std::max(death.worst.foreign_kills, record.faults.foreign_kills);
    });
    const supervisor::EngineVerdict verdict = supervisor::judge(death);
    if (verdict == supervisor::EngineVerdict::LoadFailed) {
        // A device that is short of memory hands nothing over to a remote, as the code says.
        const auto local = death.lacked_memory ? ErrorCode::OutOfMemory : ErrorCode::ModelLoadFailed;
        return fail_load(base::fail(is_remote() ? ErrorCode::RemoteLost : local, program(), ' ', end.detail,
                                    " while it loaded ", model_.name));
    }

    if (verdict == supervisor::EngineVerdict::QuarantineDevice) {
        if (!death.device_failed) {
            const std::string& device = chosen_ ? chosen_->device : ready_.device;
            context_.devices.leave(*file_, concat("llmd has quarantined ", device, ": llmd-engine ", end.detail));
        }
        for_each_request([](RequestRecord& record) { record.faults = {}; });
        death.failed_loads = failed_loads_ = 0;
    }
    if (const auto pause = supervisor::pause_before_restart(death); pause.count() > 0) {
        retry_at_ = context_.now() + pause;
        retry_timer_ = context_.loop.add_timer_after(pause, [this] {
            retry_timer_ = 0;
            context_.host.schedule_pass();
        });
    }
    for (const RequestId id : exposed) {
        RequestRecord& record = *find(id);
        const auto code = record.faults.verdict();
        if (!code) continue;
        const bool device = *code == ErrorCode::DeviceError;
        context_.requests.end(record, Finish::Error,
                              base::fail(is_remote() ? ErrorCode::RemoteLost : *code, program(), " ended ",
                                         device ? supervisor::kMaxCountedFaults : supervisor::kMaxForeignKills,
                                         " times without a new token; the last time it ", end.detail));
    }
    context_.questions.engine_died(key(), end);
}

bool Engine::may_leave_device() const {
    // One that replaces another takes the same, if it has not said so yet.
    const auto backend = chosen_ ? chosen_->backend : ready_.backend;
    return !is_remote() && protocol::backend_from_name(settings_.backend) == protocol::BackendKind::Auto &&
           backend != protocol::BackendKind::Cpu && !context_.devices.is_left_by(*file_);
}

std::optional<supervisor::DeviceName> Engine::failed_device(const EngineEnd& end) const {
    if (is_remote() || protocol::backend_from_name(settings_.backend) != protocol::BackendKind::Auto ||
        !end.counts_against_device()) {
        return std::nullopt;
    }
    if (chosen_) {
        if (chosen_->backend == protocol::BackendKind::Cpu) return std::nullopt;
        return supervisor::DeviceName{chosen_->device, chosen_->driver};
    }
    // It looked for devices, or began with one, and was given none that it should keep away from altogether.
    const bool looked = end.phase == protocol::Phase::KernelBuild;
    const bool told = !avoidance_.reason.empty();
    if (!looked || (told && !avoidance_.looks)) return std::nullopt;
    return supervisor::DeviceName{};
}

bool Engine::count_against_device(const EngineEnd& end) {
    const auto device = failed_device(end);
    if (!device) return false;
    if (avoidance_.looks && !chosen_) {
        // Looking was too much. The device stays quarantined as it is.
        context_.devices.forbid_looking();
        return false;
    }
    return context_.devices.count(*device, end.detail, started_, context_.now());
}

// --- how long it stays -----------------------------------------------------------------------------------------------

base::TimePoint Engine::stays_until(std::chrono::seconds idle_time) const {
    std::vector<platform::KeepAlive> running;
    for (const auto& [id, record] : context_.requests.records()) {
        if (!record.running || record.model.key() != key()) continue;
        running.push_back({context_.now(), record.request.keep_alive, record.request.caller.sandboxed});
    }
    return use_.stays_until(std::move(running), settings_.pinned, idle_time);
}

}  // namespace llmd::service
