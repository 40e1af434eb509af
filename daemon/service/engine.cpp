#include "service/engine.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/utf8.h"
#include "engines/engine_fault.h"
#include "engines/load_failures.h"
#include "engines/memory_budget.h"
#include "protocol/frame.h"

namespace llmd::service {
namespace {

using base::concat;
using base::ErrorCode;
using engines::EngineEnd;

// The first `n` values, of length 1.
std::vector<float> shortened(const std::vector<float>& embedding, size_t n) {
    std::vector<float> out(embedding.begin(), embedding.begin() + static_cast<ptrdiff_t>(n));
    const double square = std::inner_product(out.begin(), out.end(), out.begin(), 0.0);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : out) value = static_cast<float>(value * scale);
    return out;
}

// Of a LoadFailed or a Refused.
template <typename Told>
base::Error error_of(const Told& told) {
    base::Error error{told.code, told.message};
    if (told.retry_after_s != 0) error.retry_after = std::chrono::seconds(told.retry_after_s);
    return error;
}

}  // namespace

Engine::Engine(const EngineContext& context, engines::EngineLauncher& launcher, ModelReference model)
    : context_(context), launcher_(launcher), model_(std::move(model)) {}

Engine::~Engine() {
    context_.loop.cancel_timer(retry_timer_);
}

RequestRecord* Engine::find(RequestId id) const {
    RequestRecord* record = context_.requests.find(id);
    return record != nullptr && record->model.key() == key() ? record : nullptr;
}

template <typename Action>
void Engine::for_each_request(Action action) {
    for (auto& [id, record] : context_.requests.records()) {
        if (record.model.key() == key()) action(record);
    }
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
    if (state_ == State::Ready) return measured + engines::kRequestBytes;
    // It has all that it had until its process has gone.
    return state_ == State::Ending ? std::max(memory_.booked, measured + engines::kRequestBytes) : memory_bytes();
}

uint64_t Engine::held_bytes() const {
    if (state_ != State::Ready || is_remote()) return 0;
    // The CPU computes with the weights where the file's pages are.
    const bool has_copy = ready_.backend != protocol::BackendKind::Cpu;
    // Its pages are memory once they have been written; those of a GPU at once.
    const uint64_t n_written = std::min(uint64_t{pages_.used} + pages_.cached, uint64_t{pages_.total});
    const uint64_t of_pages = pages_.total == 0 ? 0 : ready_.kv_bytes / pages_.total * n_written;
    return has_copy ? ready_.kv_bytes + ready_.overhead_bytes + ready_.weight_bytes : of_pages + ready_.overhead_bytes;
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
    settings_ = context_.options.of(model_.name);
    memory_ = memory;
    id_ = id;
    has_served_ = is_outdated_ = false;
    load_per_mille_ = 0;
    chosen_.reset();
    file_ = is_remote() ? std::optional(engines::FileIdentity{}) : engines::file_identity(model_.path);
    if (!file_) {
        return fail_load(base::fail(ErrorCode::ModelNotFound, model_.name, ": there is no such file any more"));
    }
    auto link = engines::EngineLink::start(
        context_.loop, launcher_,
        {[this](const protocol::Message& message) { on_message(message); },
         [this](const EngineEnd& end) { on_ended(end); }, [this] { context_.host.schedule_turn(); }});
    if (!link) return fail_load(std::move(link).error());
    link_ = std::move(*link);
    state_ = State::Loading;
    started_ = context_.now();
    if (proven_file_ == file_) ++restarts_;
    spdlog::info("engine {} started, loads {}", link_->pid(), model_.name);
    send_first_message();
    context_.host.schedule_turn();
}

void Engine::send_first_message() {
    if (is_remote()) {
        link_->send(protocol::Connect{model_.remote, model_.name_there()});
        return;
    }
    const ServiceOptions& options = context_.options;
    avoidance_ = context_.devices.avoid(*file_);
    protocol::Load load;
    load.model_path = model_.path;
    load.backend = *settings_.backend;
    load.device = options.device;
    load.precision = options.precision;
    load.n_threads = options.n_threads;
    load.n_ctx = settings_.n_ctx;
    load.n_slots = options.n_slots;
    load.prefill_chunk = options.prefill_chunk;
    load.chat_template = settings_.chat_template;
    load.saved_prefix_bytes = options.saved_prefix_bytes;
    load.memory_bytes = memory_.limit;
    load.speculates = options.speculates;
    load.avoid_device = avoidance_.device.name;
    load.avoid_driver = avoidance_.device.driver;
    load.avoid_device_reason = avoidance_.reason;
    link_->send(load);
}

void Engine::stop() {
    if (state_ == State::Down) state_ = State::Gone;
    if (!link_ || state_ == State::Ending) return;
    state_ = State::Ending;
    context_.host.schedule_turn();
    link_->stop();
}

void Engine::fail_load(base::Error error) {
    spdlog::error("model {} cannot be loaded: {}: {}", model_.name, base::error_name(error.code), error.message);
    state_ = link_ ? State::Ending : State::Gone;
    if (link_) link_->stop();
    context_.host.on_load_failed(*this, error);
    context_.host.schedule_turn();
}

void Engine::condemn(std::string what) {
    link_->terminate(EngineEnd::Cause::Protocol, std::move(what));
}

// --- what it is told -------------------------------------------------------------------------------------------------

void Engine::feed(const Orders& orders) {
    if (state_ != State::Ready) return;
    if (!is_remote() && told_duty_cycle_ != orders.duty_cycle_percent) {
        told_duty_cycle_ = orders.duty_cycle_percent;
        link_->send(protocol::SetPace{told_duty_cycle_});
    }
    // First, so that there is room for those that start.
    for_each_request([&](RequestRecord& record) {
        if (record.running || !record.started_as || std::exchange(record.told_paused, true)) return;
        link_->send(protocol::SetPaused{record.id, true});
    });
    if (std::exchange(cache_is_due_, false) && !is_remote()) link_->send(protocol::DropCache{});
    end_preloads(orders.drains);
    for (auto& [id, record] : context_.requests.records()) {
        if (record.model.key() != key() || !record.running || is_preload(record.request)) continue;
        // It is taken out of the map: the next turn goes on.
        if (!send_start(record)) return;
    }
    // The waiting too: their prompts are checked and counted before their turn comes.
    for_each_request([&](RequestRecord& record) {
        // To a remote a Submit is the hand-over: it comes with the start.
        if (!record.sent && !is_remote() && !is_preload(record.request)) send_submit(record);
    });
    context_.questions.send(*link_, key());
}

void Engine::end_preloads(bool drains) {
    // Those that wait for nothing but the model: the engine never hears of them. One without a slot waits as other
    // requests do where the engine drains: the file may be about to be loaded again.
    for_each_request([&](RequestRecord& record) {
        if (!is_preload(record.request) || (!record.running && drains)) return;
        record.started = context_.now();
        has_served_ = true;
    });
    context_.requests.end_if(
        [&](const RequestRecord& record) {
            return is_preload(record.request) && record.model.key() == key() && (record.running || !drains);
        },
        Finish::Length, std::nullopt);
}

bool Engine::send_start(RequestRecord& record) {
    if (record.file && record.file != file_) {
        context_.requests.end(record, Finish::Error,
                              base::fail(ErrorCode::ModelLoadFailed, model_.name, ": has changed while it was used"));
        return false;
    }
    has_served_ = true;
    if (!record.sent) send_submit(record);
    if (record.started_as != record.request.priority) {
        record.started_as = record.request.priority;
        link_->send(protocol::Start{record.id, record.request.priority});
    }
    if (std::exchange(record.told_paused, false)) link_->send(protocol::SetPaused{record.id, false});
    if (!record.started) record.started = context_.now();
    return true;
}

void Engine::send_submit(RequestRecord& record) {
    protocol::Submit submit = submit_of(record);
    record.sent = true;
    const auto& inputs = record.request.inputs;
    if (inputs.empty()) return link_->send(submit);

    submit.embeds = true;
    const auto send_input = [&](size_t i) {
        submit.prompt = inputs[i].text;
        submit.prompt_ids = inputs[i].ids;
        link_->send(submit);
    };
    // All are tokenized before the first is computed. The engine keeps none of them but that one.
    if (!record.accepted) record.n_checked = record.prompt_tokens = 0;
    for (size_t i = 1; !record.accepted && i < inputs.size(); ++i) {
        send_input(i);
        link_->send(protocol::Cancel{record.id});
    }
    send_input(record.embeddings.size());
}

void Engine::cancel(const RequestRecord& record) {
    if (record.sent && state_ == State::Ready) link_->send(protocol::Cancel{record.id});
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
    condemn(concat("sent an unexpected ", protocol::message_name(protocol::Message(unexpected))));
}

void Engine::on(const protocol::LoadProgress& progress) {
    constexpr uint32_t kWhole = 1000;
    load_per_mille_ = std::min(progress.per_mille, kWhole);
    context_.host.schedule_turn();
}

void Engine::on(const protocol::DeviceChosen& chosen) {
    if (state_ != State::Loading) return condemn("sent a DeviceChosen out of turn");
    chosen_ = chosen;
    context_.host.schedule_turn();
}

void Engine::on(const protocol::Ready& ready) {
    if (state_ != State::Loading || ready.n_slots == 0) {
        return condemn(concat("sent a Ready out of turn or with ", ready.n_slots, " slots"));
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
    use_.note_question(context_.now());
    spdlog::info("model {} is ready after {} ms on {} ({}), context {}", model_.name, ready.load_ms,
                 protocol::backend_name(ready.backend), ready.device, ready.n_ctx);
    context_.host.on_ready(*this);
    context_.host.schedule_turn();
}

void Engine::on(const protocol::LoadFailed& failed) {
    if (state_ != State::Loading) return condemn("sent a LoadFailed out of turn");
    if (failed.code == ErrorCode::OutOfMemory && is_replacement()) {
        // It did fit before: whatever has the memory now may give it back.
        link_->terminate(EngineEnd::Cause::NoMemory, "could not load the model again: " + failed.message);
        return;
    }
    fail_load(error_of(failed));
}

void Engine::on(const protocol::Accepted& accepted) {
    RequestRecord* record = find(accepted.id);
    if (record == nullptr) return;  // ended while this was on its way; the same below
    if (!record->accepted) {
        record->prompt_tokens += accepted.prompt_tokens;
        if (++record->n_checked < record->request.inputs.size()) return;  // more of them are to be answered
    }
    record->answered = true;
    if (std::exchange(record->accepted, true)) return;  // by an engine before this one, or with another input
    context_.host.schedule_turn();
    record->notes = accepted.notes;
    // What it has been told it cannot be told again of another model.
    if (!record->may_move_on()) (void)tell_accepted(*record);
}

bool Engine::tell_accepted(RequestRecord& record) {
    if (std::exchange(record.told, true)) return true;
    const RequestId id = record.id;
    RequestSink& sink = *record.sink;
    const std::string echo = record.request.echo ? base::to_clean_text(record.request.prompt) : std::string();
    if (const std::string note = record.route.note(); !note.empty()) sink.on_note(note);
    for (const std::string& note : std::exchange(record.notes, {})) sink.on_note(note);
    sink.on_accepted(record.prompt_tokens);
    if (!echo.empty() && find(id) != nullptr) sink.on_text(echo);
    return find(id) != nullptr;
}

void Engine::on(const protocol::Refused& refused) {
    base::Error error = error_of(refused);
    if (RequestRecord* record = find(refused.id)) {
        const size_t n_inputs = record->request.inputs.size();
        if (n_inputs > 1) {
            // In the order of send_submit(); what it has sent behind this one is still to be cancelled.
            const size_t input = record->accepted ? record->embeddings.size() : (record->n_checked + 1) % n_inputs;
            error.message = concat("input[", input, "]: ", error.message);
        } else {
            record->sent = false;  // the engine has forgotten it: nothing to cancel there
        }
        if (refused.prompt_tokens != 0) record->prompt_tokens = refused.prompt_tokens;
        context_.requests.end(*record, Finish::Error, error);
        return;
    }
    context_.questions.take_refusal(key(), refused.id, std::move(error));
}

void Engine::on(const protocol::Started& started) {
    RequestRecord* record = find(started.id);
    if (record == nullptr) return;
    if (!record->started_as || !record->answered || started.cached_tokens > record->prompt_tokens) {
        link_->terminate(
            engines::EngineEnd::Cause::Protocol,
            concat("started request ", started.id, " with ", started.cached_tokens, " tokens that it did not have"));
        return;
    }
    // Behind its first token its prompt is only computed again.
    if (record->ids.empty()) record->cached_tokens = started.cached_tokens;
}

void Engine::on(const protocol::Pages& pages) {
    pages_ = pages;
    context_.host.schedule_turn();
}

void Engine::on(const protocol::Tokens& tokens) {
    RequestRecord* record = find(tokens.id);
    if (record == nullptr) return;
    const size_t most_tokens = record->request.inputs.empty() ? record->request.max_tokens : 0;
    const size_t n_logprobs = record->request.top_logprobs ? tokens.ids.size() : 0;
    if (!record->started_as || !record->answered || record->ids.size() + tokens.ids.size() > most_tokens ||
        tokens.logprobs.size() != n_logprobs) {
        condemn(concat("sent tokens that request ", tokens.id, " did not ask for"));
        return;
    }
    if (!tokens.ids.empty()) {
        if (!record->first_token) {
            record->first_token = context_.now();
            context_.scheduler.add_prefilled(record->id, record->prompt_tokens);
        }
        if (context_.scheduler.add_generated(record->id, static_cast<uint32_t>(tokens.ids.size())))
            context_.host.schedule_turn();
        record->ids.insert(record->ids.end(), tokens.ids.begin(), tokens.ids.end());
        record->faults = {};
        record->file = file_;
        if (!record->profile.empty() && record->profile != ready_.profile) record->profile_changed = true;
        record->profile = ready_.profile;
        // A token whose text is held back goes on with what there was before it.
        const bool thinks = tokens.parts.empty()
                                ? record->thinks
                                : std::any_of(tokens.parts.begin(), tokens.parts.end(), [](const auto& part) {
                                      return part.kind == protocol::AnswerPart::Kind::Thinking;
                                  });
        if (thinks) record->thinking_tokens += static_cast<uint32_t>(tokens.ids.size());
    }
    // None again from an engine that goes on with these ids: it tells of new tokens only.
    if (!tokens.logprobs.empty()) {
        if (!tell_accepted(*record)) return;
        record->sink->on_logprobs(tokens.logprobs);
    }
    (void)deliver(*record, tokens.parts, tokens.bytes);
}

void Engine::on(const protocol::Finished& finished) {
    RequestRecord* record = find(finished.id);
    if (record == nullptr) return;
    if (!record->started_as || !record->answered) {
        condemn(concat("finished request ", finished.id, " before its start"));
        return;
    }
    const bool has_succeeded = finished.reason != protocol::FinishReason::Error;
    const bool embeds = !record->request.inputs.empty();
    if ((embeds && has_succeeded) == finished.embedding.empty()) {
        link_->terminate(
            engines::EngineEnd::Cause::Protocol,
            concat("finished request ", finished.id, " with an embedding of ", finished.embedding.size(), " numbers"));
        return;
    }
    if (finished.accepted_tokens > finished.drafted_tokens) {
        condemn(concat("finished request ", finished.id, " with ", finished.accepted_tokens, " accepted tokens of ",
                       finished.drafted_tokens, " drafted ones"));
        return;
    }
    if (embeds && has_succeeded && !take_embedding(*record, finished)) return;
    if (has_succeeded && !tell_accepted(*record)) return;
    if (!deliver(*record, finished.parts, finished.bytes)) return;
    switch (finished.reason) {
        case protocol::FinishReason::Stop:
            context_.requests.end(*record, Finish::Stop, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Length:
            context_.requests.end(*record, Finish::Length, std::nullopt, &finished);
            break;
        case protocol::FinishReason::ToolCalls:
            context_.requests.end(*record, Finish::ToolCalls, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Error:
            context_.requests.end(*record, Finish::Error, base::Error{finished.code, finished.message}, &finished);
            break;
    }
}

bool Engine::take_embedding(RequestRecord& record, const protocol::Finished& finished) {
    context_.scheduler.add_prefilled(record.id, finished.prefill_tokens);
    const auto n_values = record.request.dimensions;
    if (n_values > finished.embedding.size()) {
        context_.requests.end(record, Finish::Error,
                              base::fail(ErrorCode::InvalidArgument, "dimensions: ", n_values,
                                         " are more than the model's ", finished.embedding.size()),
                              &finished);
        return false;
    }
    record.embeddings.push_back(n_values == 0 ? finished.embedding : shortened(finished.embedding, n_values));
    if (record.embeddings.size() == record.request.inputs.size()) return true;
    record.faults = {};
    record.file = file_;
    record.forget_engine();  // which knows it no more, and gets it with the next input, if it still has its slot then
    context_.host.schedule_turn();
    return false;
}

bool Engine::deliver(RequestRecord& record, const std::vector<protocol::AnswerPart>& parts, uint64_t bytes) {
    if (!parts.empty() && !tell_accepted(record)) return false;
    record.delivered_bytes += bytes;
    const RequestId id = record.id;
    RequestSink& sink = *record.sink;
    for (const protocol::AnswerPart& part : parts) {
        if (!record.follow(part)) {
            condemn(concat("sent a part of the answer to request ", id, " that does not follow the others"));
            return false;
        }
        if (part.kind == protocol::AnswerPart::Kind::Text && part.text.empty()) continue;
        part.kind == protocol::AnswerPart::Kind::Text ? sink.on_text(part.text) : sink.on_part(part);
        if (find(id) == nullptr) return false;  // the sink has ended the request
    }
    return true;
}

void Engine::on(const protocol::Usage& usage) {
    RequestRecord* record = find(usage.id);
    if (record == nullptr) return;
    if (!is_remote()) return condemn("sent a Usage");
    if (usage.prompt_tokens != 0) record->prompt_tokens = usage.prompt_tokens;
    record->cached_tokens = std::min(usage.cached_tokens, record->prompt_tokens);
    record->resumed = usage.resumed;
}

template <typename Answer>
void Engine::take_answer(const Answer& answer) {
    use_.note_question(context_.now());
    has_served_ = true;
    if (auto wrong = context_.questions.take(key(), answer); !wrong.empty()) condemn(std::move(wrong));
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
    if (end.cause != EngineEnd::Cause::Asked) context_.host.on_died(*this, end);
    if (!asked) on_died(end, was_ready);
    for_each_request([](RequestRecord& record) { record.forget_engine(); });
    context_.questions.forget_engine(key());
    context_.host.schedule_turn();
}

void Engine::on_died(const EngineEnd& end, bool was_ready) {
    std::vector<RequestId> exposed;
    engines::EngineDeath death;
    death.lacked_memory = end.may_have_lacked_memory();
    death.was_ready = was_ready;
    death.was_replacement = !was_ready && is_replacement();
    death.can_quarantine = may_leave_device();
    death.device_failed = count_against_device(end);
    for_each_request([&](RequestRecord& record) {
        if (!record.exposed()) return;
        exposed.push_back(record.id);
        record.faults.add(end);
        death.worst.counted = std::max(death.worst.counted, record.faults.counted);
        death.worst.foreign_kills = std::max(death.worst.foreign_kills, record.faults.foreign_kills);
    });
    const engines::EngineVerdict verdict = engines::judge(death);
    if (verdict == engines::EngineVerdict::LoadFailed) {
        // A device that is short of memory hands nothing over to a remote, which the code tells.
        const auto local = death.lacked_memory ? ErrorCode::OutOfMemory : ErrorCode::ModelLoadFailed;
        return fail_load(base::fail(is_remote() ? ErrorCode::RemoteLost : local, program(), ' ', end.detail,
                                    " while it loaded ", model_.name));
    }

    if (verdict == engines::EngineVerdict::QuarantineDevice) {
        if (!death.device_failed) {
            const std::string& device = chosen_ ? chosen_->device : ready_.device;
            context_.devices.leave(*file_, concat("llmd has quarantined ", device, ": llmd-engine ", end.detail));
        }
        for_each_request([](RequestRecord& record) { record.faults = {}; });
    }
    if (end.cause == EngineEnd::Cause::NoMemory) {
        // 1, 2, 4 … s, until FaultCount has had enough.
        const auto pause = engines::kFirstLoadRetry * (1u << (death.worst.foreign_kills - 1));
        retry_timer_ = context_.loop.add_timer_after(pause, [this] {
            retry_timer_ = 0;
            context_.host.schedule_turn();
        });
    }
    for (const RequestId id : exposed) {
        RequestRecord& record = *find(id);
        const auto code = record.faults.verdict();
        if (!code) continue;
        const bool device = *code == ErrorCode::DeviceError;
        context_.requests.end(record, Finish::Error,
                              base::fail(is_remote() ? ErrorCode::RemoteLost : *code, program(), " ended ",
                                         device ? engines::kMaxCountedFaults : engines::kMaxForeignKills,
                                         " times without a new token; the last time it ", end.detail));
    }
    context_.questions.engine_died(key(), end);
}

bool Engine::may_leave_device() const {
    // One that replaces another takes the same, if it has not said so yet.
    const auto backend = chosen_ ? chosen_->backend : ready_.backend;
    return !is_remote() && *settings_.backend == protocol::BackendKind::Auto && backend != protocol::BackendKind::Cpu &&
           !context_.devices.is_left_by(*file_);
}

std::optional<engines::DeviceName> Engine::failed_device(const EngineEnd& end) const {
    if (is_remote() || *settings_.backend != protocol::BackendKind::Auto || !end.counts_against_device()) {
        return std::nullopt;
    }
    if (chosen_) {
        if (chosen_->backend == protocol::BackendKind::Cpu) return std::nullopt;
        return engines::DeviceName{chosen_->device, chosen_->driver};
    }
    // It looked for devices, or began with one, and was told of none that it should keep away from altogether.
    const bool looked = end.phase == protocol::Phase::KernelBuild;
    const bool told = !avoidance_.reason.empty();
    if (!looked || (told && !avoidance_.looks)) return std::nullopt;
    return engines::DeviceName{};
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
        running.push_back({context_.now(), record.request.keep_alive, record.request.sandboxed});
    }
    return use_.stays_until(std::move(running), settings_.pinned, idle_time);
}

}  // namespace llmd::service
