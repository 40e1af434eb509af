#include "service/service.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <spdlog/spdlog.h>

#include "handover/names.h"

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

// Gives all of it.
template <typename Answer>
std::function<void(base::Result<protocol::Message>)> unwrap(std::function<void(base::Result<Answer>)> done) {
    return [done = std::move(done)](base::Result<protocol::Message> answer) {
        if (!answer) return done(std::move(answer).error());
        done(std::get<Answer>(*std::move(answer)));
    };
}

base::Error no_such_request(RequestId id) {
    return base::fail(ErrorCode::NotFound, "request ", id, " does not exist or has ended");
}

}  // namespace

base::Error Service::shutting_down() {
    return {ErrorCode::ShuttingDown, "llmd is shutting down"};
}

std::string_view state_name(State state) {
    return kStateNames[static_cast<size_t>(state)];
}

Service::Service(base::EventLoop& loop, base::Result<base::Config> config,
                 std::unique_ptr<supervisor::EngineLauncher> launcher,
                 std::unique_ptr<supervisor::ModelCatalogue> catalogue, ServiceEnvironment environment)
    : loop_(loop),
      launcher_(std::move(launcher)),
      catalogue_(std::move(catalogue)),
      environment_(std::move(environment)),
      requests_(loop, scheduler_,
                {environment_.now,
                 [this](RequestRecord& record, const Outcome& outcome, bool is_over) {
                     on_leaving(record, outcome, is_over);
                 },
                 [this](RequestRecord& record, base::Error& error) { return ask_next(record, error); },
                 [this] { schedule_pass(); }}),
      questions_([this](std::function<void()> callback) { post(std::move(callback)); }),
      jobs_([this](std::function<void()> callback) { post(std::move(callback)); }),
      devices_(environment_.wall),
      remotes_(loop, environment_.now,
               [this] {
                   remotes_changed_ = true;
                   schedule_pass();
               }),
      context_{loop_, environment_.now, config_, scheduler_, requests_, questions_, devices_, load_failures_, *this},
      leases_(loop, environment_.now, [this] { schedule_pass(); }) {
    catalogue_->on_inspected([this] { schedule_pass(); });
    take_config(std::move(config));
}

Service::~Service() {
    loop_.cancel_timer(pass_timer_);
    loop_.cancel_timer(unload_timer_);
}

void Service::configure(base::Result<base::Config> config) {
    take_config(std::move(config));
    schedule_pass();
}

void Service::take_config(base::Result<base::Config> config) {
    settings_error_.reset();
    if (config) {
        config_ = std::move(*config);
        devices_.keep_in(environment_.device_record);
        remotes_.configure(config_.remotes, environment_.remote_log, config_.remote_log);
        remotes_changed_ = true;
        has_config_ = true;
        load_failures_.forget_all();
    } else {
        settings_error_ = std::move(config).error();
    }
}

// A timer that is due at once: unlike a deferred call it can be cancelled.
void Service::schedule_pass() {
    status_changed_ = true;
    if (pass_timer_ == 0) pass_timer_ = loop_.add_timer_after({}, [this] { pass(); });
}

void Service::post(std::function<void()> callback) {
    callbacks_.push_back(std::move(callback));
    schedule_pass();
}

void Service::pass() {
    pass_timer_ = 0;
    advance();
    // Sinks and callbacks may call the service; what they change waits for the next pass.
    requests_.deliver_endings();
    for (const auto& callback : std::exchange(callbacks_, {})) callback();
    if (pass_callback_) pass_callback_();
    if (std::exchange(status_changed_, false) && status_callback_) status_callback_();
    if (shutting_down_ && engines_.empty() && !requests_.has_endings()) {
        for (const auto& done : std::exchange(shut_down_callbacks_, {})) done();
    }
}

base::Result<std::vector<RequestId>> Service::submit(std::vector<GenerateRequest> requests,
                                                     const std::vector<RequestSink*>& sinks) {
    if (shutting_down_) return shutting_down();
    if (auto checked = check(requests); !checked) return std::move(checked).error();
    if (const auto* refused = refuse_without_options()) return *refused;
    const GenerateRequest& first = requests.front();
    Route route;
    route.model = first.model;
    bool held = false;
    const auto model = choose_model(first, route, held, std::nullopt);
    if (!model) return model.error();
    const bool may_go_to_remote =
        model->is_remote() || std::any_of(first.fallback.begin(), first.fallback.end(),
                                          [](const std::string& name) { return !handover::is_of_this_device(name); });
    std::vector<Ticket> call;
    for (GenerateRequest& request : requests) {
        if (!request.sampling.seed) {
            const auto seed = random_seed();
            if (!seed) return seed.error();
            // Remotes hold 31 bits.
            request.sampling.seed = may_go_to_remote ? *seed & kMostRemoteSeed : *seed;
        }
        if (!request.bare_calls) request.bare_calls = config_.bare_calls;
        request.priority = allowed_priority(request.priority, request.caller.sandboxed);
        call.push_back({.id = last_id_ + 1 + call.size(),
                        .call = last_id_ + 1,
                        .caller = request.caller,
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
        record.kept = held;
        if (held) block(record);
    }
    queue_load_if_replaced(*model);
    schedule_pass();
    return ids;
}

base::Result<void> Service::cancel(RequestId id) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    requests_.end(*record, Finish::Cancelled);
    return {};
}

base::Result<void> Service::fail(RequestId id, base::Error error) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    requests_.end(*record, Finish::Error, std::move(error));
    return {};
}

base::Result<void> Service::set_paused(RequestId id, bool paused) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    if (std::exchange(record->paused, paused) == paused) return {};
    block(*record);
    return {};
}

void Service::block(RequestRecord& record) {
    scheduler_.set_blocked(record.id, record.paused || record.kept);
    schedule_pass();
}

base::Result<void> Service::set_priority(RequestId id, Priority priority) {
    RequestRecord* record = requests_.find(id);
    if (record == nullptr) return no_such_request(id);
    record->request.priority = allowed_priority(priority, record->request.caller.sandboxed);
    scheduler_.set_priority(id, record->request.priority);
    schedule_pass();
    return {};
}

std::optional<RequestSnapshot> Service::request(RequestId id) const {
    const auto& records = requests_.records();
    const auto it = records.find(id);
    return it == records.end() ? std::nullopt : std::optional(snapshot(it->second));
}

std::vector<RequestSnapshot> Service::requests() const {
    std::vector<RequestSnapshot> snapshots;
    for (const auto& [id, record] : requests_.records()) snapshots.push_back(snapshot(record));
    return snapshots;
}

RequestSnapshot Service::snapshot(const RequestRecord& record) const {
    RequestSnapshot snapshot;
    snapshot.id = record.id;
    snapshot.caller = record.request.caller;
    snapshot.bus_path = record.request.bus_path;
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

void Service::ask(const std::string& model, TokenizerQuestions::Question question, TokenizerQuestions::Done done) {
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
    schedule_pass();
}

void Service::shut_down(std::function<void()> done) {
    shutting_down_ = true;
    shut_down_callbacks_.push_back(std::move(done));
    requests_.end_all(Finish::Error, shutting_down());
    jobs_.fail_all(shutting_down());
    questions_.fail_all(shutting_down());
    schedule_pass();
}

void Service::apply(const platform::Directive& directive) {
    if (directive.drop_cache) {
        for (auto& [key, engine] : engines_) engine->drop_cache();
    }
    if (directive == directive_) return;
    directive_ = directive;
    scheduler_.set_runs_background(directive.run_background);
    schedule_pass();
}

void Service::on_leaving(RequestRecord& record, const Outcome& outcome, bool is_over) {
    if (record.model.is_remote()) remotes_.end(record, outcome);
    Engine* engine = serving(record.model);
    if (engine == nullptr) return;
    if (record.started) {
        const auto keep_alive = record.model.is_remote() ? std::nullopt : record.request.keep_alive;
        engine->use().note(record.request.caller.share, keep_alive, record.request.caller.sandboxed,
                           environment_.now());
    }
    if (!is_over) engine->cancel(record);
}

bool Service::ask_next(RequestRecord& record, base::Error& error) {
    Route route = record.route;
    if (!route.advance(record.request.fallback, error, record.stage == RequestRecord::Stage::Announced)) {
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
    record.kept = held;
    scheduler_.set_model(record.id, record.model.key());
    block(record);
    queue_load_if_replaced(record.model);
    return true;
}

Activity Service::activity() const {
    Activity activity;
    activity.has_requests = !requests_.empty();
    activity.is_quiet = true;
    for (const auto& [key, engine] : engines_) {
        activity.has_engine = activity.has_engine || engine->has_process();
        activity.is_quiet = activity.is_quiet && engine->is_quiet();
        for (const auto& one : engine->keep_alives()) activity.keep_alive.push_back(one);
    }
    const auto& records = requests_.records();
    const bool may_run = std::any_of(records.begin(), records.end(), [this](const auto& record) {
        return directive_.run_background || record.second.request.priority != Priority::Background;
    });
    activity.has_work = may_run || !jobs_.empty() || !questions_.empty();
    return activity;
}

const Engine* Service::main_engine() const {
    std::vector<const Engine*> all;
    for (const auto& [key, engine] : engines_) {
        if (engine->model().is_remote()) continue;  // whoever may not ask it does not see it
        const bool counts = engine->is_alive() || (engine->waits_to_retry() && engine->n_running() > 0);
        if (counts) all.push_back(engine.get());
    }
    if (all.size() < 2) return all.empty() ? nullptr : all.front();
    const auto text = last_text_ ? base::Result<ModelReference>(last_text_->model) : default_model();
    const auto main = std::find_if(all.begin(), all.end(),
                                   [&](const Engine* engine) { return text && engine->key() == text->key(); });
    return main == all.end() ? all.front() : *main;
}

State Service::state_of(const Engine& engine) const {
    if (!engine.is_ready()) return State::Loading;
    return engine.n_running() > 0 ? State::Busy : State::Ready;
}

EngineStatus Service::status_of(const Engine& engine) const {
    EngineStatus status;
    status.model = engine.model().name;
    status.state = state_of(engine);
    status.memory_bytes = engine.memory_bytes();
    status.active = static_cast<uint32_t>(engine.n_running());
    status.unload_in = unload_in(engine);
    status.pid = engine.pid();
    status.restarts = engine.restarts();
    status.pinned = engine.settings().pinned;
    if (!engine.is_ready()) {
        status.load_per_mille = engine.load_per_mille();
        return status;
    }
    const auto unused = environment_.now() - engine.use().last();
    status.idle = engine.n_running() > 0 ? std::chrono::seconds(0) : std::chrono::floor<std::chrono::seconds>(unused);
    const protocol::Ready& ready = engine.ready();
    status.backend = protocol::backend_name(ready.backend);
    status.device = ready.device;
    status.driver = ready.driver;
    status.precision = ready.precision == protocol::Precision::Fast ? "fast" : "faithful";
    status.notes = ready.notes;
    status.sandbox = ready.sandbox;
    status.context_length = ready.n_ctx;
    status.slots = ready.n_slots;
    status.weight_bytes = ready.weight_bytes;
    status.kv_bytes = ready.kv_bytes;
    status.pages = engine.pages();
    return status;
}

Status Service::status() const {
    Status status;
    status.remotes = remotes_.status();
    status.conditions = directive_.words;
    status.states = directive_.states;
    status.duty_cycle_percent = directive_.duty_cycle_percent;
    status.engine_restarts = past_restarts_;
    for (const auto& [key, engine] : engines_) {
        status.engine_restarts += engine->restarts();
        if (engine->is_alive()) status.engines.push_back(status_of(*engine));
    }
    // Engines are kept by the path of their file, which says nothing to who reads a status.
    std::ranges::sort(status.engines, {}, &EngineStatus::model);
    if (const Engine* main = main_engine()) {
        status.main = status_of(*main);
        status.state = status.main.state;
        if (main->is_ready()) {
            // Aggregated: it would change at every alternation of two engines.
            if (scheduler_.n_running_here() > 0) status.state = State::Busy;
            const bool has_requests_here = std::ranges::any_of(
                requests_.records(), [](const auto& record) { return !record.second.model.is_remote(); });
            if (directive_.throttled && has_requests_here) status.state = State::Throttled;
        }
    } else if (inspected_) {
        status.state = State::Loading;
        status.main.model = inspected_->name;
    } else if (default_load_failed_ || !has_config_) {
        status.state = State::Error;
    }
    if (directive_.suspended) status.state = State::Suspended;
    status.queued = static_cast<uint32_t>(scheduler_.n_waiting());
    status.active = static_cast<uint32_t>(scheduler_.n_running());
    status.last_fault = last_fault_;
    status.last_fault_cause = last_fault_cause_;
    if (settings_error_) status.settings_error = settings_error_->message;
    status.quarantined = devices_.reason();
    status.figures = requests_.figures();
    return status;
}

std::optional<milliseconds> Service::unload_in(const Engine& engine) const {
    const bool is_remote = engine.model().is_remote();
    if (!engine.is_ready() || (directive_.idle_time.count() == 0 && !is_remote)) return std::nullopt;
    if (directive_.unload) return milliseconds(0);
    const base::TimePoint end = engine.stays_until(is_remote ? kRemoteIdle : directive_.idle_time);
    if (end == base::TimePoint::max()) return milliseconds::max();
    return std::max(std::chrono::duration_cast<milliseconds>(end - environment_.now()), milliseconds(0));
}

base::Result<RequestId> Service::submit(GenerateRequest request, RequestSink& sink) {
    std::vector<GenerateRequest> one;
    one.push_back(std::move(request));
    const auto ids = submit(std::move(one), {&sink});
    return ids ? base::Result<RequestId>(ids->front()) : ids.error();
}

void Service::tokenize(const std::string& model, std::string text,
                       std::function<void(base::Result<std::vector<int32_t>>)> done) {
    ask(model, protocol::Tokenize{.text = std::move(text)}, unwrap(std::move(done), &protocol::Tokenized::ids));
}

void Service::tokenize(const std::string& model, protocol::Tokenize question,
                       std::function<void(base::Result<protocol::Tokenized>)> done) {
    ask(model, std::move(question), unwrap(std::move(done)));
}

void Service::render(const std::string& model, protocol::Render question,
                     std::function<void(base::Result<protocol::Rendered>)> done) {
    ask(model, std::move(question), unwrap(std::move(done)));
}

void Service::detokenize(const std::string& model, std::vector<int32_t> ids,
                         std::function<void(base::Result<std::string>)> done) {
    ask(model, protocol::Detokenize{0, std::move(ids)}, unwrap(std::move(done), &protocol::Detokenized::text));
}

}  // namespace llmd::service
