#include "service/service.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <spdlog/spdlog.h>

#include "engines/device_record.h"
#include "service/service_impl.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

// Weight of the newest request in what is expected of the next.
constexpr double kNewestWeight = 0.25;
constexpr double kMsPerSecond = 1000;
// Shares whose wishes about the loaded model are kept. Those that used it longest ago are forgotten.
constexpr size_t kMaxKeepAlives = 64;

constexpr std::array<std::string_view, 7> kStateNames = {"idle",      "loading",   "ready", "busy",
                                                         "throttled", "suspended", "error"};

milliseconds whole_ms(base::Clock::duration duration) {
    return std::chrono::duration_cast<milliseconds>(duration);
}

double per_second(uint32_t tokens, uint64_t us) {
    return us == 0 ? 0 : static_cast<double>(tokens) * 1e6 / static_cast<double>(us);
}

base::Result<uint64_t> random_seed() {
    uint64_t seed = 0;
    // So few bytes are never cut short.
    if (::getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
        return base::fail_errno(ErrorCode::Failed, "getrandom for a seed", errno);
    }
    return seed;
}

// The mean that follows what is measured; 0: nothing was.
void follow(double& mean, double newest) {
    mean = mean == 0 ? newest : mean + kNewestWeight * (newest - mean);
}

// Of the texts that a request brings; what a front end has copied for each of a call's answers counts for each.
size_t prompt_bytes(const GenerateRequest& request) {
    size_t n = request.prompt.size() + request.prompt_ids.size() * sizeof(int32_t);
    for (const protocol::ChatMessage& message : request.messages) n += text_bytes(message);
    return n;
}

// The limits on what a call asks for, of each of its requests and of all together.
base::Result<void> check_call(const std::vector<GenerateRequest>& requests) {
    if (requests.empty() || requests.size() > RequestLimits::kMaxAnswers) {
        return base::fail(ErrorCode::InvalidArgument, "n: ", requests.size(), " answers, must be 1 to ",
                          RequestLimits::kMaxAnswers);
    }
    size_t n_bytes = 0;
    for (const GenerateRequest& request : requests) {
        if (auto checked = check(request); !checked) return checked;
        n_bytes += prompt_bytes(request);
    }
    if (requests.size() > 1 && n_bytes > RequestLimits::kMaxSocketPromptBytes) {
        return base::fail(ErrorCode::PromptTooLong, "prompt: ", n_bytes, " bytes for ", requests.size(),
                          " answers are more than ", RequestLimits::kMaxSocketPromptBytes);
    }
    return {};
}

Priority allowed_priority(Priority wanted, bool sandboxed) {
    return sandboxed ? std::max(wanted, Priority::Normal) : wanted;
}

base::Error no_such_request(RequestId id) {
    return base::fail(ErrorCode::NotFound, "request ", id, " does not exist or has ended");
}

}  // namespace

std::string_view state_name(State state) {
    return kStateNames[static_cast<size_t>(state)];
}

Service::Impl::Impl(base::EventLoop& loop, base::Result<ServiceOptions> options,
                    std::unique_ptr<engines::EngineLauncher> launcher,
                    std::unique_ptr<engines::ModelCatalogue> catalogue, ServiceClocks clocks)
    : loop_(loop), launcher_(std::move(launcher)), catalogue_(std::move(catalogue)), clocks_(std::move(clocks)) {
    take_options(std::move(options));
}

Service::Impl::~Impl() {
    loop_.cancel_timer(turn_timer_);
    loop_.cancel_timer(retry_timer_);
    for (const auto& [id, record] : records_) loop_.cancel_timer(record.deadline_timer);
}

void Service::Impl::configure(base::Result<ServiceOptions> options) {
    take_options(std::move(options));
    schedule_turn();
}

void Service::Impl::take_options(base::Result<ServiceOptions> options) {
    settings_error_.reset();
    if (options) {
        options_ = std::move(*options);
        if (!has_options_)
            device_health_ = engines::DeviceHealth::decode(engines::read_device_record(options_.device_record));
        has_options_ = true;
        load_failures_ = {};
    } else {
        settings_error_ = std::move(options).error();
    }
}

// A timer that is due at once: unlike a deferred call it can be cancelled.
void Service::Impl::schedule_turn() {
    status_changed_ = true;
    if (turn_timer_ == 0) turn_timer_ = loop_.add_timer_after({}, [this] { turn(); });
}

void Service::Impl::turn() {
    turn_timer_ = 0;
    retired_link_.reset();
    advance();
    // Sinks and callbacks may call the service; what they change waits for the next turn.
    for (const Ending& ending : std::exchange(endings_, {})) {
        if (ending.open_call) ending.sink->on_part({protocol::AnswerPart::Kind::CallCut, {}, *ending.open_call});
        ending.sink->on_finished(ending.outcome);
    }
    for (const auto& callback : std::exchange(callbacks_, {})) callback();
    if (std::exchange(status_changed_, false) && status_callback_) status_callback_();
    if (shutting_down_ && engine_state_ == EngineState::None && endings_.empty()) {
        for (const auto& done : std::exchange(shut_down_callbacks_, {})) done();
    }
}

base::Result<std::vector<RequestId>> Service::Impl::submit(std::vector<GenerateRequest> requests,
                                                           const std::vector<RequestSink*>& sinks) {
    if (shutting_down_) return shutting_down();
    if (auto checked = check_call(requests); !checked) return std::move(checked).error();
    if (const auto* refused = refuse_without_options()) return *refused;
    const GenerateRequest& first = requests.front();
    if (directive_.refuse_all) return directive_.refuse_all->error();
    if (directive_.refuse_background && first.priority == Priority::Background) {
        return directive_.refuse_background->error();
    }
    auto model = resolve(first.model, false);
    if (!model) return std::move(model).error();
    if (auto failure = recent_load_failure(*model)) return *std::move(failure);
    std::vector<Ticket> call;
    for (GenerateRequest& request : requests) {
        if (!request.sampling.seed) {
            const auto seed = random_seed();
            if (!seed) return seed.error();
            request.sampling.seed = *seed;
        }
        request.priority = allowed_priority(request.priority, request.sandboxed);
        call.push_back({.id = last_id_ + 1 + call.size(),
                        .call = last_id_ + 1,
                        .client = request.client,
                        .share = request.share,
                        .sandboxed = request.sandboxed,
                        .model_path = model->path,
                        .priority = request.priority,
                        .max_tokens = request.inputs.empty() ? request.max_tokens : 0});
    }
    if (auto admitted = scheduler_.admit(std::move(call)); !admitted) return std::move(admitted).error();
    std::vector<RequestId> ids;
    for (size_t i = 0; i < requests.size(); ++i) {
        ids.push_back(++last_id_);
        add(std::move(requests[i]), *sinks[i], *model);
    }
    schedule_turn();
    return ids;
}

void Service::Impl::add(GenerateRequest request, RequestSink& sink, const ModelReference& model) {
    const RequestId id = last_id_;
    RequestRecord& record = records_[id];
    record.id = id;
    record.request = std::move(request);
    record.sink = &sink;
    record.model = model;
    record.seed = *record.request.sampling.seed;
    queue_load_if_replaced(record.model);
    record.submitted = clocks_.now();
    if (!record.request.deadline) return;
    record.deadline_timer = loop_.add_timer_after(*record.request.deadline, [this, id] {
        RequestRecord* late = find(id);
        if (late == nullptr) return;
        // A text has got so far; embeddings are worth something only together, and a model only when it is loaded.
        const bool is_text = late->request.inputs.empty() && !is_preload(late->request);
        if (is_text) return end(*late, Finish::Timeout);
        end(*late, Finish::Error, base::fail(ErrorCode::Timeout, "deadline_ms has passed"));
    });
}

base::Result<void> Service::Impl::cancel(RequestId id) {
    RequestRecord* record = find(id);
    if (record == nullptr) return no_such_request(id);
    end(*record, Finish::Cancelled);
    return {};
}

base::Result<void> Service::Impl::fail(RequestId id, base::Error error) {
    RequestRecord* record = find(id);
    if (record == nullptr) return no_such_request(id);
    end(*record, Finish::Error, std::move(error));
    return {};
}

void Service::Impl::cancel_all() {
    while (!records_.empty()) end(records_.begin()->second, Finish::Cancelled);
}

base::Result<void> Service::Impl::set_paused(RequestId id, bool paused) {
    RequestRecord* record = find(id);
    if (record == nullptr) return no_such_request(id);
    if (std::exchange(record->paused, paused) == paused) return {};
    scheduler_.set_blocked(id, paused);
    schedule_turn();
    return {};
}

base::Result<void> Service::Impl::set_priority(RequestId id, Priority priority) {
    RequestRecord* record = find(id);
    if (record == nullptr) return no_such_request(id);
    record->request.priority = allowed_priority(priority, record->request.sandboxed);
    scheduler_.set_priority(id, record->request.priority);
    schedule_turn();
    return {};
}

std::optional<RequestSnapshot> Service::Impl::request(RequestId id) const {
    const auto it = records_.find(id);
    return it == records_.end() ? std::nullopt : std::optional(snapshot(it->second));
}

std::vector<RequestSnapshot> Service::Impl::requests() const {
    std::vector<RequestSnapshot> snapshots;
    for (const auto& [id, record] : records_) snapshots.push_back(snapshot(record));
    return snapshots;
}

RequestSnapshot Service::Impl::snapshot(const RequestRecord& record) const {
    RequestSnapshot snapshot;
    snapshot.id = record.id;
    snapshot.client = record.request.client;
    snapshot.application = record.request.application;
    snapshot.running = record.running;
    snapshot.model = record.model.name;
    snapshot.prompt_tokens = record.prompt_tokens;
    snapshot.generated_tokens = static_cast<uint32_t>(record.ids.size());
    snapshot.priority = record.request.priority;

    const bool loading = engine_state_ != EngineState::Ready || !serves(record.model);
    if (record.paused || (record.started && !record.running)) {
        snapshot.state = RequestState::Paused;
    } else if (!record.running) {
        snapshot.state = loading && serves(record.model) ? RequestState::Loading : RequestState::Queued;
    } else if (loading) {
        snapshot.state = RequestState::Loading;
    } else {
        snapshot.state = record.ids.empty() ? RequestState::Prefill : RequestState::Decode;
    }

    snapshot.position = scheduler_.position(record.id).value_or(0);
    snapshot.estimated_wait_ms = static_cast<uint64_t>(scheduler_.estimated_wait(record.id, pace_).count());
    return snapshot;
}

void Service::Impl::shut_down(std::function<void()> done) {
    shutting_down_ = true;
    shut_down_callbacks_.push_back(std::move(done));
    while (!records_.empty()) end(records_.begin()->second, Finish::Error, shutting_down());
    while (!jobs_.empty()) finish_job(shutting_down());
    for (TokenizeCall& call : tokenize_calls_) answer(call, shutting_down());
    tokenize_calls_.clear();
    schedule_turn();
}

void Service::Impl::apply(const platform::Directive& directive) {
    cache_is_due_ = cache_is_due_ || directive.drop_cache;
    if (directive == directive_) return;
    directive_ = directive;
    scheduler_.set_runs_background(directive.run_background);
    schedule_turn();
}

Activity Service::Impl::activity() const {
    Activity activity;
    activity.has_engine = engine_state_ != EngineState::None;
    activity.has_requests = !records_.empty();
    const bool may_run = std::any_of(records_.begin(), records_.end(), [this](const auto& record) {
        return directive_.run_background || record.second.request.priority != Priority::Background;
    });
    activity.has_work = may_run || !jobs_.empty() || !tokenize_calls_.empty();
    for (const auto& [share, wish] : keep_alive_) activity.keep_alive.push_back(wish);
    activity.is_quiet = engine_state_ != EngineState::Ready || link_->is_idle();
    return activity;
}

Status Service::Impl::status() const {
    Status status;
    status.conditions = directive_.words;
    status.states = directive_.states;
    status.duty_cycle_percent = directive_.duty_cycle_percent;
    const bool ready = engine_state_ == EngineState::Ready;
    if (ready) {
        status.state = scheduler_.n_running() > 0 ? State::Busy : State::Ready;
        status.backend = protocol::backend_name(ready_.backend);
        status.device = ready_.device;
        status.driver = ready_.driver;
        status.precision = ready_.precision == protocol::Precision::Fast ? "fast" : "faithful";
        status.notes = ready_.notes;
        status.sandbox = ready_.sandbox;
        status.context_length = ready_.n_ctx;
        status.slots = ready_.n_slots;
        status.weight_bytes = ready_.weight_bytes;
        status.kv_bytes = ready_.kv_bytes;
        status.kv_pages_used = pages_.used;
        status.kv_pages_cached = pages_.cached;
        status.kv_pages_total = pages_.total;
    } else if (engine_state_ == EngineState::Loading || waits_to_retry()) {
        status.state = State::Loading;
        status.load_per_mille = load_per_mille_;
    } else if (default_load_failed_ || !has_options_) {
        status.state = State::Error;
    }
    const bool has_requests = !records_.empty();
    if (ready && directive_.throttled && has_requests) status.state = State::Throttled;
    if (directive_.suspended) status.state = State::Suspended;
    if (ready || status.state == State::Loading) status.model = model_->name;
    status.queued = static_cast<uint32_t>(scheduler_.n_waiting());
    status.active = static_cast<uint32_t>(scheduler_.n_running());
    status.unload_in = unload_in();
    status.engine_pid = link_ ? link_->pid() : 0;
    status.engine_restarts = engine_restarts_;
    status.last_fault = last_fault_;
    status.last_fault_cause = last_fault_cause_;
    if (settings_error_) status.settings_error = settings_error_->message;
    const auto* quarantine = device_health_.quarantine(clocks_.wall());
    status.quarantined = quarantine != nullptr ? quarantine->reason : avoid_device_reason_;
    status.queue_ms = queue_ms_;
    status.ttft_ms = ttft_ms_;
    status.decode_tps = decode_tps_;
    status.cache_hits = cache_hits_;
    status.cache_hit_tokens = cache_hit_tokens_;
    return status;
}

void Service::Impl::note_use(const std::string& share, std::optional<std::chrono::seconds> wish, bool sandboxed) {
    // LoadModel, which has no share, is for programs outside of sandboxes: what one of these says later holds.
    if (!sandboxed) keep_alive_.erase(std::string());
    keep_alive_[share] = platform::KeepAlive{clocks_.now(), wish, sandboxed};
    if (keep_alive_.size() <= kMaxKeepAlives) return;
    keep_alive_.erase(std::min_element(keep_alive_.begin(), keep_alive_.end(), [](const auto& one, const auto& other) {
        return one.second.used < other.second.used;
    }));
}

std::optional<milliseconds> Service::Impl::unload_in() const {
    if (engine_state_ != EngineState::Ready || directive_.idle_time.count() == 0) return std::nullopt;
    const base::TimePoint now = clocks_.now();
    std::vector<platform::KeepAlive> wishes;
    for (const auto& [share, wish] : keep_alive_) wishes.push_back(wish);
    // As if they ended now.
    for (const auto& [id, record] : records_) {
        if (record.running) wishes.push_back({now, record.request.keep_alive, record.request.sandboxed});
    }
    // It was loaded for its tokenizer, or whoever it was loaded for has left.
    if (wishes.empty()) wishes.push_back({last_question_, std::nullopt, false});
    if (directive_.unload) return milliseconds(0);
    const base::TimePoint end = platform::end_of(wishes, directive_.idle_time);
    if (end == base::TimePoint::max()) return milliseconds::max();
    return std::max(whole_ms(end - now), milliseconds(0));
}

RequestRecord* Service::Impl::find(RequestId id) {
    const auto it = records_.find(id);
    return it == records_.end() ? nullptr : &it->second;
}

void Service::Impl::end(RequestRecord& record, Finish finish, std::optional<base::Error> error,
                        const protocol::Finished* costs) {
    const base::TimePoint now = clocks_.now();
    Outcome outcome;
    outcome.finish = finish;
    outcome.error = std::move(error);
    outcome.model = record.model.name;
    outcome.seed = record.seed;
    outcome.prompt_tokens = record.prompt_tokens;
    outcome.cached_tokens = record.cached_tokens;
    outcome.generated_tokens = static_cast<uint32_t>(record.ids.size());
    outcome.thinking_tokens = record.thinking_tokens;
    outcome.queue_time = whole_ms(record.started.value_or(now) - record.submitted);
    if (record.first_token) outcome.ttft = whole_ms(*record.first_token - record.submitted);
    outcome.profile_changed = record.profile_changed;
    if (costs != nullptr) {
        outcome.prefill_tps = per_second(costs->prefill_tokens, costs->prefill_us);
        outcome.decode_tps = per_second(costs->decode_tokens, costs->decode_us);
    }
    if (finish == Finish::Stop) outcome.embeddings = std::move(record.embeddings);
    if (record.started) queue_ms_.add(static_cast<double>(outcome.queue_time.count()));
    if (record.first_token) ttft_ms_.add(static_cast<double>(outcome.ttft.count()));
    if (outcome.decode_tps > 0) decode_tps_.add(outcome.decode_tps);
    cache_hits_ += outcome.cached_tokens > 0 ? 1 : 0;
    cache_hit_tokens_ += outcome.cached_tokens;
    if ((is_complete(finish) || finish == Finish::Length) && record.request.max_tokens > 0 &&
        record.request.inputs.empty()) {
        follow(pace_.mean_tokens, outcome.generated_tokens);
        if (outcome.decode_tps > 0) follow(pace_.ms_per_token, kMsPerSecond / outcome.decode_tps);
    }
    spdlog::info("request {} ended: {}{}{}, {} prompt tokens, {} generated", record.id, finish_name(finish),
                 outcome.error ? " " : "", outcome.error ? base::error_name(outcome.error->code) : "",
                 outcome.prompt_tokens, outcome.generated_tokens);

    if (record.started && serves(record.model)) {
        note_use(record.request.share, record.request.keep_alive, record.request.sandboxed);
    }
    if (record.sent && costs == nullptr && engine_state_ == EngineState::Ready)
        link_->send(protocol::Cancel{record.id});
    loop_.cancel_timer(record.deadline_timer);
    scheduler_.remove(record.id);
    const auto open_call = record.call_is_open ? std::optional(record.n_calls - 1) : std::nullopt;
    endings_.push_back(Ending{record.sink, std::move(outcome), open_call});
    records_.erase(record.id);
    schedule_turn();
}

Service::Service(base::EventLoop& loop, base::Result<ServiceOptions> options,
                 std::unique_ptr<engines::EngineLauncher> launcher, std::unique_ptr<engines::ModelCatalogue> catalogue,
                 ServiceClocks clocks)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(launcher), std::move(catalogue),
                                   std::move(clocks))) {}
Service::~Service() = default;

base::Result<RequestId> Service::submit(GenerateRequest request, RequestSink& sink) {
    std::vector<GenerateRequest> one;
    one.push_back(std::move(request));
    const auto ids = impl_->submit(std::move(one), {&sink});
    return ids ? base::Result<RequestId>(ids->front()) : ids.error();
}
base::Result<std::vector<RequestId>> Service::submit(std::vector<GenerateRequest> requests,
                                                     const std::vector<RequestSink*>& sinks) {
    return impl_->submit(std::move(requests), sinks);
}
base::Result<void> Service::cancel(RequestId id) {
    return impl_->cancel(id);
}
base::Result<void> Service::fail(RequestId id, base::Error error) {
    return impl_->fail(id, std::move(error));
}
void Service::cancel_all() {
    impl_->cancel_all();
}
base::Result<void> Service::set_paused(RequestId id, bool paused) {
    return impl_->set_paused(id, paused);
}
base::Result<void> Service::set_priority(RequestId id, Priority priority) {
    return impl_->set_priority(id, priority);
}
std::optional<RequestSnapshot> Service::request(RequestId id) const {
    return impl_->request(id);
}
std::vector<RequestSnapshot> Service::requests() const {
    return impl_->requests();
}
void Service::tokenize(const std::string& model, std::string text,
                       std::function<void(base::Result<std::vector<int32_t>>)> done) {
    impl_->tokenize(model, std::move(text), std::move(done));
}
void Service::tokenize(const std::string& model, protocol::Tokenize question,
                       std::function<void(base::Result<protocol::Tokenized>)> done) {
    impl_->tokenize(model, std::move(question), std::move(done));
}
void Service::render(const std::string& model, protocol::Render question,
                     std::function<void(base::Result<std::string>)> done) {
    impl_->render(model, std::move(question), std::move(done));
}
void Service::detokenize(const std::string& model, std::vector<int32_t> ids,
                         std::function<void(base::Result<std::string>)> done) {
    impl_->detokenize(model, std::move(ids), std::move(done));
}
void Service::list_models(std::function<void(std::vector<engines::ModelEntry>)> done) {
    impl_->list_models(std::move(done));
}
void Service::load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done) {
    impl_->load_model(name_or_path, std::move(done));
}
void Service::unload_model(std::function<void(base::Result<void>)> done) {
    impl_->unload_model(std::move(done));
}
void Service::configure(base::Result<ServiceOptions> options) {
    impl_->configure(std::move(options));
}
void Service::on_reload(std::function<void()> callback) {
    impl_->on_reload(std::move(callback));
}

void Service::reload() {
    impl_->reload();
}
void Service::apply(const platform::Directive& directive) {
    impl_->apply(directive);
}
Activity Service::activity() const {
    return impl_->activity();
}
Status Service::status() const {
    return impl_->status();
}
void Service::on_status_changed(std::function<void()> callback) {
    impl_->on_status_changed(std::move(callback));
}
void Service::shut_down(std::function<void()> done) {
    impl_->shut_down(std::move(done));
}

}  // namespace llmd::service
