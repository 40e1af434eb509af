#include "service/service.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <spdlog/spdlog.h>

#include "remotes/names.h"
#include "service/service_impl.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

constexpr uint64_t kMostRemoteSeed = 0x7fff'ffff;

constexpr std::array<std::string_view, 7> kStateNames = {"idle",      "loading",   "ready", "busy",
                                                         "throttled", "suspended", "error"};

base::Result<uint64_t> random_seed() {
    uint64_t seed = 0;
    // So few bytes are never cut short.
    if (::getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
        return base::fail_errno(ErrorCode::Failed, "getrandom for a seed", errno);
    }
    return seed;
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
    if (requests.size() > 1 && !requests.front().fallback.empty()) {
        return base::fail(ErrorCode::InvalidArgument, "fallback: not with ", requests.size(),
                          " answers, which may not be of several models");
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

// Gives the member of the answer to a tokenizer question that `done` is for.
template <typename Answer, typename T>
std::function<void(base::Result<protocol::Message>)> unwrap(std::function<void(base::Result<T>)> done,
                                                            T Answer::*member) {
    return [done = std::move(done), member](base::Result<protocol::Message> answer) {
        if (!answer) return done(std::move(answer).error());
        done(std::move(std::get<Answer>(*answer).*member));
    };
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
    : loop_(loop),
      launcher_(std::move(launcher)),
      catalogue_(std::move(catalogue)),
      clocks_(std::move(clocks)),
      requests_(loop, scheduler_,
                {clocks_.now,
                 [this](RequestRecord& record, const Outcome& outcome, bool is_over) {
                     on_leaving(record, outcome, is_over);
                 },
                 [this](RequestRecord& record, base::Error& error) { return ask_next(record, error); },
                 [this] { schedule_turn(); }}),
      questions_([this](std::function<void()> callback) { post(std::move(callback)); }),
      jobs_([this](std::function<void()> callback) { post(std::move(callback)); }),
      devices_(clocks_.wall),
      remotes_(loop, clocks_.now,
               [this] {
                   remotes_changed_ = true;
                   schedule_turn();
               }),
      context_{loop_, clocks_.now, options_, scheduler_, requests_, questions_, devices_, *this},
      leases_(loop, clocks_.now, [this] { schedule_turn(); }) {
    catalogue_->on_inspected([this] { schedule_turn(); });
    take_options(std::move(options));
}

Service::Impl::~Impl() {
    loop_.cancel_timer(turn_timer_);
    loop_.cancel_timer(unload_timer_);
}

void Service::Impl::configure(base::Result<ServiceOptions> options) {
    take_options(std::move(options));
    schedule_turn();
}

void Service::Impl::take_options(base::Result<ServiceOptions> options) {
    settings_error_.reset();
    if (options) {
        options_ = std::move(*options);
        devices_.keep_in(options_.device_record);
        remotes_.configure(options_.remotes, options_.remote_log, options_.records_remotes);
        remotes_changed_ = true;
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

void Service::Impl::post(std::function<void()> callback) {
    callbacks_.push_back(std::move(callback));
    schedule_turn();
}

void Service::Impl::turn() {
    turn_timer_ = 0;
    advance();
    // Sinks and callbacks may call the service; what they change waits for the next turn.
    requests_.deliver_endings();
    for (const auto& callback : std::exchange(callbacks_, {})) callback();
    if (std::exchange(status_changed_, false) && status_callback_) status_callback_();
    if (shutting_down_ && engines_.empty() && !requests_.has_endings()) {
        for (const auto& done : std::exchange(shut_down_callbacks_, {})) done();
    }
}

base::Result<std::vector<RequestId>> Service::Impl::submit(std::vector<GenerateRequest> requests,
                                                           const std::vector<RequestSink*>& sinks) {
    if (shutting_down_) return shutting_down();
    if (auto checked = check_call(requests); !checked) return std::move(checked).error();
    if (const auto* refused = refuse_without_options()) return *refused;
    const GenerateRequest& first = requests.front();
    Route route;
    route.model = first.model;
    bool held = false;
    const auto model = choose_model(first, route, held, std::nullopt);
    if (!model) return model.error();
    const bool may_go_to_remote =
        model->is_remote() || std::any_of(first.fallback.begin(), first.fallback.end(),
                                          [](const std::string& name) { return !remotes::is_of_this_device(name); });
    std::vector<Ticket> call;
    for (GenerateRequest& request : requests) {
        if (!request.sampling.seed) {
            const auto seed = random_seed();
            if (!seed) return seed.error();
            // Remotes hold 31 bits.
            request.sampling.seed = may_go_to_remote ? *seed & kMostRemoteSeed : *seed;
        }
        if (!request.bare_calls) request.bare_calls = options_.bare_calls;
        request.priority = allowed_priority(request.priority, request.sandboxed);
        call.push_back({.id = last_id_ + 1 + call.size(),
                        .call = last_id_ + 1,
                        .client = request.client,
                        .share = request.share,
                        .sandboxed = request.sandboxed,
                        .model_path = model->key(),
                        .priority = request.priority,
                        .max_tokens = request.inputs.empty() ? request.max_tokens : 0});
    }
    if (auto admitted = scheduler_.admit(std::move(call)); !admitted) return std::move(admitted).error();
    std::vector<RequestId> ids;
    for (size_t i = 0; i < requests.size(); ++i) {
        ids.push_back(++last_id_);
        RequestRecord& record = requests_.add(last_id_, std::move(requests[i]), *sinks[i], *model);
        record.route = route;
        record.held = held;
        if (held) block(record);
    }
    queue_load_if_replaced(*model);
    schedule_turn();
    return ids;
}

base::Result<void> Service::Impl::cancel(RequestId id) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    requests_.end(*record, Finish::Cancelled);
    return {};
}

base::Result<void> Service::Impl::fail(RequestId id, base::Error error) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    requests_.end(*record, Finish::Error, std::move(error));
    return {};
}

base::Result<void> Service::Impl::set_paused(RequestId id, bool paused) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    if (std::exchange(record->paused, paused) == paused) return {};
    block(*record);
    return {};
}

void Service::Impl::block(RequestRecord& record) {
    scheduler_.set_blocked(record.id, record.paused || record.held);
    schedule_turn();
}

base::Result<void> Service::Impl::set_priority(RequestId id, Priority priority) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    record->request.priority = allowed_priority(priority, record->request.sandboxed);
    scheduler_.set_priority(id, record->request.priority);
    schedule_turn();
    return {};
}

std::optional<RequestSnapshot> Service::Impl::request(RequestId id) const {
    const auto& records = requests_.records();
    const auto it = records.find(id);
    return it == records.end() ? std::nullopt : std::optional(snapshot(it->second));
}

std::vector<RequestSnapshot> Service::Impl::requests() const {
    std::vector<RequestSnapshot> snapshots;
    for (const auto& [id, record] : requests_.records()) snapshots.push_back(snapshot(record));
    return snapshots;
}

RequestSnapshot Service::Impl::snapshot(const RequestRecord& record) const {
    RequestSnapshot snapshot;
    snapshot.id = record.id;
    snapshot.client = record.request.client;
    snapshot.application = record.request.application;
    snapshot.running = record.running;
    snapshot.model = record.model.name;
    if (record.model.is_remote()) snapshot.where = record.model.remote;
    snapshot.away = record.model.is_remote() && record.has_been_handed_over();
    snapshot.prompt_tokens = record.prompt_tokens;
    snapshot.generated_tokens = static_cast<uint32_t>(record.ids.size());
    snapshot.priority = record.request.priority;

    const Engine* engine = serving(record.model);
    const bool loading = engine == nullptr || !engine->is_ready();
    if (record.paused || (record.started && !record.running)) {
        snapshot.state = RequestState::Paused;
    } else if (!record.running) {
        snapshot.state = loading && engine != nullptr ? RequestState::Loading : RequestState::Queued;
    } else if (loading) {
        snapshot.state = RequestState::Loading;
    } else {
        snapshot.state = record.ids.empty() ? RequestState::Prefill : RequestState::Decode;
    }

    snapshot.position = scheduler_.position(record.id).value_or(0);
    snapshot.estimated_wait_ms = static_cast<uint64_t>(scheduler_.estimated_wait(record.id, requests_.pace()).count());
    return snapshot;
}

void Service::Impl::ask(const std::string& model, TokenizerQuestions::Question question,
                        TokenizerQuestions::Done done) {
    std::optional<base::Error> refused;
    if (shutting_down_) refused = shutting_down();
    if (!refused) refused = questions_.refuse(question);
    if (const auto* error = refuse_without_options(); error && !refused) refused = *error;
    if (refused) return questions_.refuse(std::move(done), *std::move(refused));
    auto resolved = resolve(model, false);
    if (!resolved) return questions_.refuse(std::move(done), std::move(resolved).error());
    if (auto failure = recent_load_failure(*resolved)) return questions_.refuse(std::move(done), *std::move(failure));
    if (directive_.refuse_all && serving(*resolved) == nullptr) {
        return questions_.refuse(std::move(done), directive_.refuse_all->error());
    }
    questions_.add(++last_id_, std::move(*resolved), std::move(question), std::move(done));
    schedule_turn();
}

void Service::Impl::shut_down(std::function<void()> done) {
    shutting_down_ = true;
    shut_down_callbacks_.push_back(std::move(done));
    requests_.end_all(Finish::Error, shutting_down());
    jobs_.fail_all(shutting_down());
    questions_.fail_all(shutting_down());
    schedule_turn();
}

void Service::Impl::apply(const platform::Directive& directive) {
    if (directive.drop_cache) {
        for (auto& [key, engine] : engines_) engine->drop_cache();
    }
    if (directive == directive_) return;
    directive_ = directive;
    scheduler_.set_runs_background(directive.run_background);
    schedule_turn();
}

void Service::Impl::on_leaving(RequestRecord& record, const Outcome& outcome, bool is_over) {
    if (record.model.is_remote()) remotes_.end(record, outcome);
    Engine* engine = serving(record.model);
    if (engine == nullptr) return;
    if (record.started) {
        const auto wish = record.model.is_remote() ? std::nullopt : record.request.keep_alive;
        engine->use().note(record.request.share, wish, record.request.sandboxed, clocks_.now());
    }
    if (!is_over) engine->cancel(record);
}

bool Service::Impl::ask_next(RequestRecord& record, base::Error& error) {
    Route route = record.route;
    if (!route.advance(record.request.fallback, error, record.told)) {
        error = route.with_history(std::move(error));
        return false;
    }
    bool held = false;
    auto next = choose_model(record.request, route, held, error);
    if (!next) {
        error = std::move(next).error();
        return false;
    }
    spdlog::info("request {} is for {} now, since {} failed: {}", record.id, next->name, record.model.name,
                 base::error_name(error.code));
    record.route = std::move(route);
    record.begin_anew(std::move(*next));
    record.held = held;
    scheduler_.set_model(record.id, record.model.key());
    block(record);
    queue_load_if_replaced(record.model);
    return true;
}

Activity Service::Impl::activity() const {
    Activity activity;
    activity.has_requests = !requests_.empty();
    activity.is_quiet = true;
    for (const auto& [key, engine] : engines_) {
        activity.has_engine = activity.has_engine || engine->has_process();
        activity.is_quiet = activity.is_quiet && engine->is_quiet();
        for (const auto& wish : engine->wishes()) activity.keep_alive.push_back(wish);
    }
    const auto& records = requests_.records();
    const bool may_run = std::any_of(records.begin(), records.end(), [this](const auto& record) {
        return directive_.run_background || record.second.request.priority != Priority::Background;
    });
    activity.has_work = may_run || !jobs_.empty() || !questions_.empty();
    return activity;
}

const Engine* Service::Impl::main_engine() const {
    std::vector<const Engine*> all;
    for (const auto& [key, engine] : engines_) {
        if (engine->model().is_remote()) continue;  // whoever may not ask it is not told of it
        const bool counts = engine->is_alive() || (engine->waits_to_retry() && engine->n_running() > 0);
        if (counts) all.push_back(engine.get());
    }
    if (all.size() < 2) return all.empty() ? nullptr : all.front();
    const auto text = last_text_ ? base::Result<ModelReference>(last_text_->model) : default_model();
    const auto main = std::find_if(all.begin(), all.end(),
                                   [&](const Engine* engine) { return text && engine->key() == text->key(); });
    return main == all.end() ? all.front() : *main;
}

State Service::Impl::state_of(const Engine& engine) const {
    if (!engine.is_ready()) return State::Loading;
    return engine.n_running() > 0 ? State::Busy : State::Ready;
}

EngineStatus Service::Impl::status_of(const Engine& engine) const {
    EngineStatus status;
    status.model = engine.model().name;
    status.state = state_of(engine);
    status.memory_bytes = engine.memory_bytes();
    status.active = static_cast<uint32_t>(engine.n_running());
    status.unload_in = unload_in(engine);
    status.pid = engine.pid();
    status.restarts = engine.restarts();
    status.pinned = engine.settings().pinned;
    if (!engine.is_ready()) return status;
    const auto unused = clocks_.now() - engine.use().last();
    status.idle = engine.n_running() > 0 ? std::chrono::seconds(0) : std::chrono::floor<std::chrono::seconds>(unused);
    status.backend = protocol::backend_name(engine.ready().backend);
    status.device = engine.ready().device;
    status.context_length = engine.ready().n_ctx;
    status.slots = engine.ready().n_slots;
    return status;
}

Status Service::Impl::status() const {
    Status status;
    for (const RemoteAccess::Status& remote : remotes_.status()) {
        const auto& words = remote.words;
        RemoteStatus& one = status.remotes.emplace_back();
        one.name = remote.name;
        one.host = remote.host;
        one.state = words.state;
        one.since_s = static_cast<uint64_t>(words.since.count());
        one.retry_in_s = static_cast<uint64_t>(words.retry_in.count());
        one.last_error = words.last_error;
        one.in_flight = words.in_flight;
        if (words.last_use) one.last_use_s = static_cast<uint64_t>(words.last_use->count());
        one.models = remote.models;
    }
    status.conditions = directive_.words;
    status.states = directive_.states;
    status.duty_cycle_percent = directive_.duty_cycle_percent;
    status.engine_restarts = past_restarts_;
    for (const auto& [key, engine] : engines_) {
        status.engine_restarts += engine->restarts();
        if (engine->is_alive()) status.engines.push_back(status_of(*engine));
    }
    const Engine* main = main_engine();
    const bool ready = main != nullptr && main->is_ready();
    if (main != nullptr) {
        status.state = state_of(*main);
        status.model = main->model().name;
        status.load_per_mille = ready ? 0 : main->load_per_mille();
        status.engine_pid = main->pid();
        status.unload_in = unload_in(*main);
    } else if (inspected_) {
        status.state = State::Loading;
        status.model = inspected_->name;
    } else if (default_load_failed_ || !has_options_) {
        status.state = State::Error;
    }
    if (ready) {
        const protocol::Ready& told = main->ready();
        status.backend = protocol::backend_name(told.backend);
        status.device = told.device;
        status.driver = told.driver;
        status.precision = told.precision == protocol::Precision::Fast ? "fast" : "faithful";
        status.notes = told.notes;
        status.sandbox = told.sandbox;
        status.context_length = told.n_ctx;
        status.slots = told.n_slots;
        status.weight_bytes = told.weight_bytes;
        status.kv_bytes = told.kv_bytes;
        status.kv_pages_used = main->pages().used;
        status.kv_pages_cached = main->pages().cached;
        status.kv_pages_total = main->pages().total;
        // Aggregated: it would change at every alternation of two engines.
        if (scheduler_.n_running_here() > 0) status.state = State::Busy;
        const auto& records = requests_.records();
        const bool has_requests_here = std::any_of(records.begin(), records.end(),
                                                   [](const auto& record) { return !record.second.model.is_remote(); });
        if (directive_.throttled && has_requests_here) status.state = State::Throttled;
    }
    if (directive_.suspended) status.state = State::Suspended;
    status.queued = static_cast<uint32_t>(scheduler_.n_waiting());
    status.active = static_cast<uint32_t>(scheduler_.n_running());
    status.last_fault = last_fault_;
    status.last_fault_cause = last_fault_cause_;
    if (settings_error_) status.settings_error = settings_error_->message;
    status.quarantined = devices_.reason();
    const RequestTable::Measured& measured = requests_.measured();
    status.queue_ms = measured.queue_ms;
    status.ttft_ms = measured.ttft_ms;
    status.prefill_ms = measured.prefill_ms;
    status.decode_tps = measured.decode_tps;
    status.cache_hits = measured.cache_hits;
    status.cache_hit_tokens = measured.cache_hit_tokens;
    status.drafted_tokens = measured.drafted_tokens;
    status.accepted_tokens = measured.accepted_tokens;
    return status;
}

std::optional<milliseconds> Service::Impl::unload_in(const Engine& engine) const {
    const bool is_remote = engine.model().is_remote();
    if (!engine.is_ready() || (directive_.idle_time.count() == 0 && !is_remote)) return std::nullopt;
    if (directive_.unload) return milliseconds(0);
    const base::TimePoint end = engine.stays_until(is_remote ? kRemoteIdle : directive_.idle_time);
    if (end == base::TimePoint::max()) return milliseconds::max();
    return std::max(std::chrono::duration_cast<milliseconds>(end - clocks_.now()), milliseconds(0));
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
    impl_->ask(model, protocol::Tokenize{.text = std::move(text)}, unwrap(std::move(done), &protocol::Tokenized::ids));
}
void Service::tokenize(const std::string& model, protocol::Tokenize question,
                       std::function<void(base::Result<protocol::Tokenized>)> done) {
    impl_->ask(model, std::move(question), [done = std::move(done)](base::Result<protocol::Message> answer) {
        if (!answer) return done(std::move(answer).error());
        done(std::get<protocol::Tokenized>(*std::move(answer)));
    });
}
void Service::render(const std::string& model, protocol::Render question,
                     std::function<void(base::Result<std::string>)> done) {
    impl_->ask(model, std::move(question), unwrap(std::move(done), &protocol::Rendered::text));
}
void Service::detokenize(const std::string& model, std::vector<int32_t> ids,
                         std::function<void(base::Result<std::string>)> done) {
    impl_->ask(model, protocol::Detokenize{0, std::move(ids)}, unwrap(std::move(done), &protocol::Detokenized::text));
}
void Service::list_models(const remotes::Caller& caller, std::function<void(std::vector<engines::ModelEntry>)> done) {
    impl_->list_models(
        [remote = impl_->remotes().models(caller), done = std::move(done)](std::vector<engines::ModelEntry> models) {
            models.insert(models.end(), remote.begin(), remote.end());
            done(std::move(models));
        });
}
void Service::list_models(std::function<void(std::vector<engines::ModelEntry>)> done) {
    impl_->list_models(std::move(done));
}
void Service::load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done) {
    impl_->load_model(name_or_path, std::move(done));
}
void Service::unload_model(std::function<void(base::Result<void>)> done) {
    impl_->unload_model({}, std::move(done));
}
void Service::unload_model(const std::string& name, std::function<void(base::Result<void>)> done) {
    impl_->unload_model(name, std::move(done));
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
void Service::set_remote_launcher(std::unique_ptr<engines::EngineLauncher> launcher) {
    impl_->remotes().set_launcher(std::move(launcher));
}
void Service::set_network(platform::NetworkWatch* network) {
    impl_->remotes().set_network(network);
}
void Service::on_status_changed(std::function<void()> callback) {
    impl_->on_status_changed(std::move(callback));
}
void Service::shut_down(std::function<void()> done) {
    impl_->shut_down(std::move(done));
}

}  // namespace llmd::service
