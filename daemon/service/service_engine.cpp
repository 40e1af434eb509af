#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/utf8.h"
#include "protocol/frame.h"
#include "service/service_impl.h"

namespace llmd::service {
namespace {

using base::concat;
using base::ErrorCode;

constexpr uint32_t kMaxTokenizeDeaths = 2;  // as for requests: once may be an accident

// The first `n` values, of length 1.
std::vector<float> shortened(const std::vector<float>& embedding, size_t n) {
    std::vector<float> out(embedding.begin(), embedding.begin() + static_cast<ptrdiff_t>(n));
    const double square = std::inner_product(out.begin(), out.end(), out.begin(), 0.0);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : out) value = static_cast<float>(value * scale);
    return out;
}

}  // namespace

bool Service::Impl::serves(const ModelReference& model) const {
    const bool alive = engine_state_ == EngineState::Ready || engine_state_ == EngineState::Loading;
    return alive && model_->path == model.path;
}

void Service::Impl::advance() {
    if (engine_state_ == EngineState::Ending) return;  // its end calls again
    if (shutting_down_) {
        stop_engine();
        return;
    }
    queue_loads_for_tokenizing();
    if (!run_jobs()) return;
    if (jobs_.empty()) give_slots();
    // As if it had died: whoever asks next gets the same model.
    if (directive_.unload && engine_state_ == EngineState::Ready && !activity().has_work) return stop_engine();
    if (engine_state_ == EngineState::None && scheduler_.n_running() > 0) {
        const auto running =
            std::find_if(records_.begin(), records_.end(), [](const auto& r) { return r.second.running; });
        const ModelReference model = running->second.model;
        if (!waits_to_retry() || model.path != model_->path) start_engine(model);
    }
    feed();
}

bool Service::Impl::waits_to_retry() const {
    return retry_timer_ != 0 && model_ && scheduler_.n_running() > 0;
}

bool Service::Impl::is_replacement() const {
    return proven_file_ == file_ && scheduler_.n_running() > 0;
}

uint32_t Service::Impl::n_slots() const {
    // One is enough to start an engine; what ran on one that died goes on.
    const auto n = engine_state_ == EngineState::Ready
                       ? ready_.n_slots
                       : std::max<uint32_t>(1, static_cast<uint32_t>(scheduler_.n_running()));
    return std::min(n, directive_.max_slots);
}

void Service::Impl::give_slots() {
    if (engine_state_ == EngineState::Loading || engine_state_ == EngineState::Ending) return;
    const auto give = [this](std::span<const EngineSlots> engines) {
        const auto changes = scheduler_.plan(engines, directive_.max_slots, clocks_.now());
        for (const RequestId id : changes.stops) records_.at(id).running = false;
        for (const RequestId id : changes.starts) records_.at(id).running = true;
        return changes.wants;
    };
    const bool ready = engine_state_ == EngineState::Ready;
    std::vector<EngineSlots> engines;
    const auto running = std::find_if(records_.begin(), records_.end(), [](const auto& r) { return r.second.running; });
    if (ready) {
        engines.push_back({model_->path, n_slots()});
    } else if (running != records_.end()) {
        engines.push_back({running->second.model.path, n_slots()});
    }
    // There is room for one engine, so that it yields to whatever is wanted.
    if (!engines.empty()) engines.front().yields_to = Priority::Background;
    auto wants = give(engines);
    if (wants && !engines.empty()) {
        engines.front().yields_to = wants->priority;
        wants = give(engines);
    }
    // The engine may have been started for these: replaced before it has answered, it would be started again.
    const bool owes_answer = std::any_of(tokenize_calls_.begin(), tokenize_calls_.end(),
                                         [this](const TokenizeCall& call) { return serves(call.model); });
    if (!wants || scheduler_.n_running() > 0 || owes_answer) return;
    give(std::array{EngineSlots{wants->model, 1}});
    if (ready) stop_engine();
}

void Service::Impl::start_engine(const ModelReference& model) {
    loop_.cancel_timer(std::exchange(retry_timer_, 0));
    model_ = model;
    default_at_load_ = options_.default_model;
    // What one model does to a device says little about another.
    const auto file = engines::file_identity(model.path);
    if (file != file_) {
        avoid_device_reason_.clear();
        keep_alive_.clear();
    }
    file_ = file;
    load_per_mille_ = 0;
    default_load_failed_ = false;
    chosen_.reset();
    if (!file_) {
        fail_load(model, base::fail(ErrorCode::ModelNotFound, model.name, ": there is no such file any more"));
        return;
    }
    auto link = engines::EngineLink::start(
        loop_, *launcher_,
        {[this](const protocol::Message& message) { on_message(message); },
         [this](const engines::EngineEnd& end) { on_engine_ended(end); }, [this] { schedule_turn(); }});
    if (!link) {
        fail_load(model, std::move(link).error());
        return;
    }
    link_ = std::move(*link);
    engine_state_ = EngineState::Loading;
    if (proven_file_ == file_) ++engine_restarts_;
    status_changed_ = true;
    spdlog::info("engine {} started, loads {}", link_->pid(), model.name);

    protocol::Load load;
    load.model_path = model.path;
    load.backend = options_.backend;
    load.device = options_.device;
    load.precision = options_.precision;
    load.n_threads = options_.n_threads;
    load.n_ctx = options_.n_ctx;
    load.n_slots = options_.n_slots;
    load.prefill_chunk = options_.prefill_chunk;
    load.chat_template = options_.chat_template;
    load.saved_prefix_bytes = options_.saved_prefix_bytes;
    avoid_device(load);
    link_->send(load);
}

void Service::Impl::stop_engine() {
    if (!link_ || engine_state_ == EngineState::Ending) return;
    engine_state_ = EngineState::Ending;
    status_changed_ = true;
    link_->stop();
}

void Service::Impl::feed() {
    if (engine_state_ != EngineState::Ready) return;
    if (told_duty_cycle_ != directive_.duty_cycle_percent) {
        told_duty_cycle_ = directive_.duty_cycle_percent;
        link_->send(protocol::SetPace{told_duty_cycle_});
    }
    // First, so that there is room for those that start.
    for (auto& [id, record] : records_) {
        if (record.running || !record.started_as || std::exchange(record.told_paused, true)) continue;
        link_->send(protocol::SetPaused{id, true});
    }
    if (std::exchange(cache_is_due_, false)) link_->send(protocol::DropCache{});
    end_preloads();
    for (auto& [id, record] : records_) {
        // It is taken out of the map: the next turn goes on.
        if (record.running && !is_preload(record.request) && !send_start(record)) return;
    }
    // The waiting too: their prompts are checked and counted before their turn comes.
    for (auto& [id, record] : records_) {
        if (!record.sent && !is_preload(record.request) && serves(record.model)) send_submit(record);
    }
    for (TokenizeCall& call : tokenize_calls_) {
        if (call.sent || !serves(call.model)) continue;
        std::visit([this](const auto& question) { link_->send(question); }, call.question);
        call.sent = true;
    }
}

void Service::Impl::end_preloads() {
    std::vector<RequestId> loaded;
    for (auto& [id, record] : records_) {
        // One without a slot waits for jobs, as other requests do: the file may be about to be loaded again.
        if (is_preload(record.request) && serves(record.model) && (record.running || jobs_.empty())) {
            loaded.push_back(id);
        }
    }
    for (const RequestId id : loaded) {
        RequestRecord& record = records_.at(id);
        record.started = clocks_.now();
        end(record, Finish::Length);
    }
}

bool Service::Impl::send_start(RequestRecord& record) {
    if (record.file && record.file != file_) {
        end(record, Finish::Error,
            base::fail(ErrorCode::ModelLoadFailed, model_->name, ": has changed while it was used"));
        return false;
    }
    if (!record.sent) send_submit(record);
    if (record.started_as != record.request.priority) {
        record.started_as = record.request.priority;
        link_->send(protocol::Start{record.id, record.request.priority});
    }
    if (std::exchange(record.told_paused, false)) link_->send(protocol::SetPaused{record.id, false});
    if (!record.started) record.started = clocks_.now();
    return true;
}

void Service::Impl::send_submit(RequestRecord& record) {
    const Sampling& sampling = record.request.sampling;
    protocol::Submit submit;
    submit.id = record.id;
    submit.prompt = record.request.prompt;
    submit.prompt_ids = record.request.prompt_ids;
    submit.max_tokens = record.request.max_tokens;
    submit.temperature = sampling.temperature;
    submit.top_k = sampling.top_k;
    submit.top_p = sampling.top_p;
    submit.min_p = sampling.min_p;
    submit.repeat_penalty = sampling.repeat_penalty;
    submit.presence_penalty = sampling.presence_penalty;
    submit.frequency_penalty = sampling.frequency_penalty;
    submit.repeat_last_n = sampling.repeat_last_n;
    for (const auto& [id, bias] : sampling.logit_bias) {
        submit.logit_bias_ids.push_back(id);
        submit.logit_biases.push_back(bias);
    }
    submit.min_tokens = sampling.min_tokens;
    submit.ignore_eos = sampling.ignore_eos;
    submit.stop_token_ids = sampling.stop_token_ids;
    submit.seed = record.seed;
    submit.stops = record.request.stops;
    submit.replay_ids = record.ids;
    submit.delivered_bytes = record.delivered_bytes;
    submit.cache_scope = record.request.application;
    submit.messages = record.request.messages;
    submit.thinking = record.request.thinking;
    submit.tools = record.request.tools;
    submit.tool_choice = record.request.tool_choice;
    submit.tool_name = record.request.tool_name;
    submit.parallel_tool_calls = record.request.parallel_tool_calls;
    submit.json_schema = record.request.json_schema;
    submit.wants_logprobs = record.request.top_logprobs.has_value();
    submit.n_top_logprobs = record.request.top_logprobs.value_or(0);
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

void Service::Impl::on_message(const protocol::Message& message) {
    if (engine_state_ == EngineState::Ending) return;
    std::visit([this](const auto& m) { on(m); }, message);
}

template <typename T>
void Service::Impl::on(const T& unexpected) {
    link_->terminate(engines::EngineEnd::Cause::Protocol,
                     concat("sent an unexpected ", protocol::message_name(protocol::Message(unexpected))));
}

void Service::Impl::on(const protocol::LoadProgress& progress) {
    constexpr uint32_t kWhole = 1000;
    load_per_mille_ = std::min(progress.per_mille, kWhole);
    schedule_turn();
}

void Service::Impl::on(const protocol::DeviceChosen& chosen) {
    if (engine_state_ != EngineState::Loading) {
        link_->terminate(engines::EngineEnd::Cause::Protocol, "sent a DeviceChosen out of turn");
        return;
    }
    chosen_ = chosen;
}

void Service::Impl::on(const protocol::Ready& ready) {
    if (engine_state_ != EngineState::Loading || ready.n_slots == 0) {
        link_->terminate(engines::EngineEnd::Cause::Protocol,
                         concat("sent a Ready out of turn or with ", ready.n_slots, " slots"));
        return;
    }
    ready_ = ready;
    pages_ = {};
    chosen_ = protocol::DeviceChosen{ready.backend, ready.device, ready.driver};
    note_device();
    engine_state_ = EngineState::Ready;
    told_duty_cycle_ = protocol::kFullDutyCycle;
    cache_is_due_ = false;
    proven_file_ = file_;
    last_question_ = clocks_.now();
    load_failures_.forget(model_->path);
    spdlog::info("model {} is ready after {} ms on {} ({}), context {}", model_->name, ready.load_ms,
                 protocol::backend_name(ready.backend), ready.device, ready.n_ctx);
    schedule_turn();
}

void Service::Impl::on(const protocol::LoadFailed& failed) {
    if (engine_state_ != EngineState::Loading) {
        link_->terminate(engines::EngineEnd::Cause::Protocol, "sent a LoadFailed out of turn");
        return;
    }
    if (failed.code == ErrorCode::OutOfMemory && is_replacement()) {
        // It did fit before: whatever has the memory now may give it back.
        link_->terminate(engines::EngineEnd::Cause::NoMemory, "could not load the model again: " + failed.message);
        return;
    }
    stop_engine();
    fail_load(ModelReference(*model_), base::Error{failed.code, failed.message});
}

void Service::Impl::on(const protocol::Accepted& accepted) {
    RequestRecord* record = find(accepted.id);
    if (record == nullptr) return;  // ended while this was on its way; the same below
    if (!record->accepted) {
        record->prompt_tokens += accepted.prompt_tokens;
        if (++record->n_checked < record->request.inputs.size()) return;  // more of them are to be answered
    }
    record->answered = true;
    if (std::exchange(record->accepted, true)) return;  // by an engine before this one, or with another input
    schedule_turn();
    RequestSink& sink = *record->sink;
    const std::string echo = record->request.echo ? base::to_clean_text(record->request.prompt) : std::string();
    for (const std::string& note : accepted.notes) sink.on_note(note);
    sink.on_accepted(record->prompt_tokens);
    if (!echo.empty() && find(accepted.id) != nullptr) sink.on_text(echo);
}

void Service::Impl::on(const protocol::Refused& refused) {
    base::Error error{refused.code, refused.message};
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
        end(*record, Finish::Error, error);
        return;
    }
    const auto call = std::find_if(tokenize_calls_.begin(), tokenize_calls_.end(),
                                   [&](const TokenizeCall& c) { return c.id == refused.id; });
    if (call == tokenize_calls_.end()) return;
    answer(*call, error);
    tokenize_calls_.erase(call);
}

void Service::Impl::on(const protocol::Started& started) {
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

void Service::Impl::on(const protocol::Pages& pages) {
    pages_ = pages;
    status_changed_ = true;
}

void Service::Impl::on(const protocol::Tokens& tokens) {
    RequestRecord* record = find(tokens.id);
    if (record == nullptr) return;
    const size_t most_tokens = record->request.inputs.empty() ? record->request.max_tokens : 0;
    const size_t n_logprobs = record->request.top_logprobs ? tokens.ids.size() : 0;
    if (!record->started_as || !record->answered || record->ids.size() + tokens.ids.size() > most_tokens ||
        tokens.logprobs.size() != n_logprobs) {
        link_->terminate(engines::EngineEnd::Cause::Protocol,
                         concat("sent tokens that request ", tokens.id, " did not ask for"));
        return;
    }
    if (!tokens.ids.empty()) {
        if (!record->first_token) {
            record->first_token = clocks_.now();
            scheduler_.add_prefilled(record->id, record->prompt_tokens);
        }
        if (scheduler_.add_generated(record->id, static_cast<uint32_t>(tokens.ids.size()))) schedule_turn();
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
    if (!tokens.logprobs.empty()) record->sink->on_logprobs(tokens.logprobs);
    (void)deliver(*record, tokens.parts, tokens.bytes);
}

void Service::Impl::on(const protocol::Finished& finished) {
    RequestRecord* record = find(finished.id);
    if (record == nullptr) return;
    if (!record->started_as || !record->answered) {
        link_->terminate(engines::EngineEnd::Cause::Protocol,
                         concat("finished request ", finished.id, " before its start"));
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
    if (embeds && has_succeeded && !take_embedding(*record, finished)) return;
    if (!deliver(*record, finished.parts, finished.bytes)) return;
    switch (finished.reason) {
        case protocol::FinishReason::Stop:
            end(*record, Finish::Stop, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Length:
            end(*record, Finish::Length, std::nullopt, &finished);
            break;
        case protocol::FinishReason::ToolCalls:
            end(*record, Finish::ToolCalls, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Error:
            end(*record, Finish::Error, base::Error{finished.code, finished.message}, &finished);
            break;
    }
}

bool Service::Impl::take_embedding(RequestRecord& record, const protocol::Finished& finished) {
    scheduler_.add_prefilled(record.id, finished.prefill_tokens);
    const auto n_values = record.request.dimensions;
    if (n_values > finished.embedding.size()) {
        end(record, Finish::Error,
            base::fail(ErrorCode::InvalidArgument, "dimensions: ", n_values, " are more than the model's ",
                       finished.embedding.size()),
            &finished);
        return false;
    }
    record.embeddings.push_back(n_values == 0 ? finished.embedding : shortened(finished.embedding, n_values));
    if (record.embeddings.size() == record.request.inputs.size()) return true;
    record.faults = {};
    record.file = file_;
    record.forget_engine();  // which knows it no more, and gets it with the next input, if it still has its slot then
    schedule_turn();
    return false;
}

bool Service::Impl::deliver(RequestRecord& record, const std::vector<protocol::AnswerPart>& parts, uint64_t bytes) {
    record.delivered_bytes += bytes;
    const RequestId id = record.id;
    RequestSink& sink = *record.sink;
    for (const protocol::AnswerPart& part : parts) {
        if (!record.follow(part)) {
            link_->terminate(engines::EngineEnd::Cause::Protocol,
                             concat("sent a part of the answer to request ", id, " that does not follow the others"));
            return false;
        }
        part.kind == protocol::AnswerPart::Kind::Text ? sink.on_text(part.text) : sink.on_part(part);
        if (find(id) == nullptr) return false;  // the sink has ended the request
    }
    return true;
}

void Service::Impl::on_engine_ended(const engines::EngineEnd& end) {
    const bool was_ready = engine_state_ == EngineState::Ready;
    spdlog::log(end.cause == engines::EngineEnd::Cause::Asked ? spdlog::level::info : spdlog::level::err,
                "engine {} {}", link_->pid(), end.detail);
    const bool asked = engine_state_ == EngineState::Ending;
    retired_link_ = std::move(link_);
    engine_state_ = EngineState::None;
    if (end.cause != engines::EngineEnd::Cause::Asked) {
        last_fault_ = "llmd-engine " + end.detail;
        last_fault_cause_ = engines::cause_name(end.cause);
    }
    if (asked) {
        proven_file_.reset();
        keep_alive_.clear();
    } else {
        on_engine_died(end, was_ready);
    }
    for (auto& [id, record] : records_) record.forget_engine();
    for (TokenizeCall& call : tokenize_calls_) call.sent = false;
    schedule_turn();
}

void Service::Impl::on_engine_died(const engines::EngineEnd& end, bool was_ready) {
    std::vector<RequestId> exposed;
    engines::EngineDeath death;
    death.lacked_memory = end.lacked_memory();
    death.was_ready = was_ready;
    death.was_replacement = !was_ready && is_replacement();
    death.can_quarantine = may_leave_device();
    death.device_failed = count_against_device(end);
    for (auto& [id, record] : records_) {
        if (!record.exposed()) continue;
        exposed.push_back(id);
        record.faults.add(end);
        death.worst.counted = std::max(death.worst.counted, record.faults.counted);
        death.worst.foreign_kills = std::max(death.worst.foreign_kills, record.faults.foreign_kills);
    }
    const engines::EngineVerdict verdict = engines::judge(death);
    if (verdict == engines::EngineVerdict::LoadFailed) {
        fail_load(ModelReference(*model_), base::fail(ErrorCode::ModelLoadFailed, "llmd-engine ", end.detail,
                                                      " while it loaded ", model_->name));
        return;
    }

    if (verdict == engines::EngineVerdict::QuarantineDevice) {
        if (!death.device_failed) {
            const std::string& device = chosen_ ? chosen_->device : ready_.device;
            avoid_device_reason_ = concat("llmd has quarantined ", device, ": llmd-engine ", end.detail);
            spdlog::warn("{}", avoid_device_reason_);
        }
        for (auto& [id, record] : records_) record.faults = {};
    }
    if (end.cause == engines::EngineEnd::Cause::NoMemory) {
        // 1, 2, 4 … s, until FaultCount has had enough.
        retry_timer_ =
            loop_.add_timer_after(engines::kFirstLoadRetry * (1u << (death.worst.foreign_kills - 1)), [this] {
                retry_timer_ = 0;
                schedule_turn();
            });
    }
    for (const RequestId id : exposed) {
        RequestRecord& record = records_.at(id);
        const auto code = record.faults.verdict();
        if (!code) continue;
        const bool device = *code == ErrorCode::DeviceError;
        this->end(
            record, Finish::Error,
            base::fail(*code, "llmd-engine ended ", device ? engines::kMaxCountedFaults : engines::kMaxForeignKills,
                       " times without a new token; the last time it ", end.detail));
    }
    for (TokenizeCall& call : tokenize_calls_) {
        if (call.sent && ++call.deaths >= kMaxTokenizeDeaths) {
            answer(call, base::fail(ErrorCode::DeviceError, "llmd-engine ended before it answered; the last time it ",
                                    end.detail));
        }
    }
    std::erase_if(tokenize_calls_, [](const TokenizeCall& call) { return call.deaths >= kMaxTokenizeDeaths; });
}

void Service::Impl::fail_load(const ModelReference& model, base::Error error) {
    spdlog::error("model {} cannot be loaded: {}: {}", model.name, base::error_name(error.code), error.message);
    load_failures_.add(model.path, file_, error, clocks_.now());
    const auto expected = default_model();
    default_load_failed_ = expected && expected->path == model.path;
    last_fault_ = error.message;
    last_fault_cause_ = "load_failed";
    proven_file_.reset();
    model_.reset();

    std::vector<RequestId> failed;
    for (const auto& [id, record] : records_) {
        if (record.model.path == model.path) failed.push_back(id);
    }
    for (const RequestId id : failed) end(records_.at(id), Finish::Error, error);
    for (TokenizeCall& call : tokenize_calls_) {
        if (call.model.path == model.path) answer(call, error);
    }
    std::erase_if(tokenize_calls_, [&](const TokenizeCall& call) { return call.model.path == model.path; });
    if (!jobs_.empty() && jobs_.front().load && jobs_.front().load->path == model.path) finish_job(error);
    schedule_turn();
}

}  // namespace llmd::service
