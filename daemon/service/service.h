// The service that the front ends talk to: takes requests, keeps them alive across engine deaths, and reports how
// things are. Owns the scheduler (order), the engines (one a loaded model) and the model catalogue (names). In three
// parts: the requests and what all front ends see (service.cpp), the models and the jobs that name them
// (service_models.cpp), and which engines there are and what each computes (service_engines.cpp).
//
// Everything that calls back, starts or stops happens in pass(), an iteration of the loop of its own; the public calls
// and the engines' messages only write down what has changed and schedule it. An Engine is one model's; models of one
// file and the same settings have one.
//
// Thread-bound to the event loop. No call blocks; no callback or sink is called before the call that caused it returns.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "platform/network.h"
#include "platform/oom_kills.h"
#include "platform/policy.h"
#include "service/device_leases.h"
#include "service/device_quarantine.h"
#include "service/engine.h"
#include "service/model_jobs.h"
#include "service/remote_access.h"
#include "service/request.h"
#include "service/request_table.h"
#include "service/scheduler.h"
#include "service/status.h"
#include "service/tokenizer_questions.h"
#include "supervisor/device_health.h"
#include "supervisor/engine_link.h"
#include "supervisor/load_failures.h"
#include "supervisor/model_catalogue.h"
#include "supervisor/pool.h"

namespace llmd::service {

// A service asks this of the machine; other answers in tests.
struct ServiceEnvironment {
    // The clock of queue times and of the pause after a failed load.
    std::function<base::TimePoint()> now = base::Clock::now;
    // The clock of how long a device is quarantined, which may be longer than llmd lives.
    std::function<supervisor::DeviceHealth::WallTime()> wall = std::chrono::system_clock::now;
    // Memory that can be had without swapping; without it, what is loaded next takes the place of what is loaded.
    std::function<std::optional<uint64_t>()> available_memory = {};
    // How many processes the kernel has killed for want of memory (platform/oom_kills.h); without it, whoever kills an
    // engine may have been the kernel.
    std::function<std::optional<uint64_t>()> oom_kills = {};
    std::string device_record = {};  // the file that keeps DeviceHealth; empty: it is not kept
    std::string remote_log = {};     // the file with the record of what remotes were asked; empty: there is none
};

// The policy has to know this of the service; cheaper than its status.
struct Activity {
    bool has_engine = false;                      // any model is loaded, is being loaded, or is going
    bool has_work = false;                        // that may be done: kept background requests are none
    bool has_requests = false;                    // these included
    bool is_quiet = false;                        // no engine computes, or has an answer to give
    std::vector<platform::KeepAlive> keep_alive;  // of those that have used a model that is loaded
};

class Service final : private EngineHost {
public:
    // The loop must outlive the service. Deadlines and budgets are timers of the loop. `config` as in configure().
    Service(base::EventLoop& loop, base::Result<base::Config> config,
            std::unique_ptr<supervisor::EngineLauncher> launcher, std::unique_ptr<supervisor::ModelCatalogue> catalogue,
            ServiceEnvironment environment = {});
    // Kills the engines. Sinks and callbacks that still wait are never called.
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Errors: ModelNotFound, QueueFull, RateLimited, ShuttingDown, InvalidArgument, PromptTooLong; Suspended or
    // OutOfMemory while the directive refuses it; and the error of the last try, at once, while a model that failed to
    // load is not tried again. On success `sink` is called until on_finished(); it must live until then.
    base::Result<RequestId> submit(GenerateRequest request, RequestSink& sink);
    // The answers of one call, at most RequestLimits::kMaxAnswers, which count as one request: all are taken or none.
    // They have the same client, share and model, and their prompts are together no longer than one may be. Each has
    // its own of the sinks, and ends by itself.
    base::Result<std::vector<RequestId>> submit(std::vector<GenerateRequest> requests,
                                                const std::vector<RequestSink*>& sinks);
    // Whether the limits on requests in flight let submit() take another call of this caller.
    bool has_room(const base::Caller& caller) const { return scheduler_.admits(caller).has_value(); }
    // Called in each pass, in which requests may have ended or started: has_room() may have become true.
    void on_pass(std::function<void()> callback) { pass_callback_ = std::move(callback); }
    // The request ends with Finish::Cancelled in a later iteration of the loop. NotFound when it has ended.
    base::Result<void> cancel(RequestId id);
    // Ends the request with this error instead (SlowConsumer, for example).
    base::Result<void> fail(RequestId id, base::Error error);
    void cancel_all() { requests_.end_all(Finish::Cancelled, std::nullopt); }
    // Back-pressure: a paused request keeps its slot and generates no more text.
    base::Result<void> set_paused(RequestId id, bool paused);
    base::Result<void> set_priority(RequestId id, Priority priority);
    std::optional<RequestSnapshot> request(RequestId id) const;
    std::vector<RequestSnapshot> requests() const;

    // Empty `model`: the last that was used for texts, else the default. Loads it if need be.
    void tokenize(const std::string& model, std::string text,
                  std::function<void(base::Result<std::vector<int32_t>>)> done);
    // The same with what else Tokenize can ask for; its id means nothing.
    void tokenize(const std::string& model, protocol::Tokenize question,
                  std::function<void(base::Result<protocol::Tokenized>)> done);
    // The prompt that the model's chat template makes of a conversation, with the texts of its control tokens: for
    // people, since a prompt of this text would not be the same, and its length. The message's id means nothing. Else
    // as tokenize(). InvalidArgument names what the template has no place for.
    void render(const std::string& model, protocol::Render question,
                std::function<void(base::Result<protocol::Rendered>)> done);
    // The text that these tokens are, as clean text (base/utf8.h); control tokens have none, and the blank that the
    // tokenizer puts before a text is not there. Else as tokenize().
    // InvalidArgument names an id that the model's vocabulary does not have.
    void detokenize(const std::string& model, std::vector<int32_t> ids,
                    std::function<void(base::Result<std::string>)> done);
    // Those of this device and, behind them, the remotes' that the caller may ask for.
    void list_models(const base::Caller& caller, std::function<void(std::vector<supervisor::ModelEntry>)> done);
    void list_models(std::function<void(std::vector<supervisor::ModelEntry>)> done);  // of this device
    // A name from the catalogue or an absolute path. Waits for running requests of other models where there is no room
    // beside them; a loaded model whose file has changed is loaded again. Forgets that the model failed to load and
    // that the device was quarantined.
    void load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done);
    // Ends the engine of this model, or all where `name` is empty, once running requests have ended. ModelNotFound:
    // there is no such model.
    void unload_model(const std::string& name, std::function<void(base::Result<void>)> done);
    // Has the settings read again, and inspects all models again when they are next listed. The directories themselves
    // are read at every question.
    void reload();
    // Called by reload(), for whoever knows where the settings are.
    void on_reload(std::function<void()> callback) { reload_callback_ = std::move(callback); }

    // For what is loaded from now on; an engine that runs keeps what it was started with. What could not be loaded is
    // tried again. An error leaves the settings as they are; before there were any, all that needs a model is refused
    // with it.
    void configure(base::Result<base::Config> config);

    // Until the next one. Requests are never ended by it: they are refused, or they wait.
    void apply(const platform::Directive& directive);

    Activity activity() const;
    Status status() const;
    // Called (in a pass of its own, coalesced) whenever status() may have changed.
    void on_status_changed(std::function<void()> callback) { status_callback_ = std::move(callback); }

    // Sets the launcher of llmd-remote, without which no model of a remote can be had.
    void set_remote_launcher(std::unique_ptr<supervisor::EngineLauncher> launcher) {
        remotes_.set_launcher(std::move(launcher));
    }
    // Sets the object that reports the network, which a request for a remote waits for; null, as at first: nobody does.
    // It outlives the service, or null is set before it goes.
    void set_network(platform::NetworkWatch* network) { remotes_.set_network(network); }

    // Refuses new requests and ends the others, all with ShuttingDown, ends the engines, then calls `done`.
    void shut_down(std::function<void()> done);

private:
    using Engines = std::map<std::string, std::unique_ptr<Engine>>;  // by ModelReference::key()

    // A model that was used, and the default of the settings then: once they name another, whoever names no model gets
    // that.
    struct LastUsed {
        ModelReference model;
        std::string configured;
    };

    // --- service.cpp -------------------------------------------------------------------------------------------------

    void ask(const std::string& model, TokenizerQuestions::Question question, TokenizerQuestions::Done done);
    static base::Error shutting_down();
    void post(std::function<void()> callback);
    void pass();
    void take_config(base::Result<base::Config> config);
    // Why nothing that needs a model can be done: there never were settings.
    const base::Error* refuse_without_options() const { return has_config_ ? nullptr : &*settings_error_; }
    void on_leaving(RequestRecord& record, const Outcome& outcome, bool is_over);
    bool ask_next(RequestRecord& record, base::Error& error);
    void block(RequestRecord& record);
    RequestSnapshot snapshot(const RequestRecord& record) const;
    // Whose figures stand in the status for all: the last used text model's, or the default's, or any.
    const Engine* main_engine() const;
    State state_of(const Engine& engine) const;
    EngineStatus status_of(const Engine& engine) const;
    std::optional<std::chrono::milliseconds> unload_in(const Engine& engine) const;

    // --- service_models.cpp ------------------------------------------------------------------------------------------

    base::Result<ModelReference> default_model() const;
    // Empty `name`: the one of the settings, if it is for this; else the last that was used for this, else the default.
    base::Result<ModelReference> resolve(const std::string& name, bool embeds) const;
    // Whether `chosen`, the default, is due before one that was used: the settings name it, and it is for this.
    bool settings_answer(const base::Result<ModelReference>& chosen, bool embeds) const;
    // The model `name`, which may be a remote's, for this request.
    base::Result<ModelReference> model_of(const std::string& name, const GenerateRequest& request) const;
    // The first of the route, from where it has got to, that takes the request now. Sets `held` as refusal() does.
    // `error`: what led there, if any model has had the request.
    base::Result<ModelReference> choose_model(const GenerateRequest& request, Route& route, bool& held,
                                              std::optional<base::Error> error);
    // Why the request cannot be taken now. Sets `held` where it can be taken and has to wait.
    std::optional<base::Error> refusal(const GenerateRequest& request, const ModelReference& model, bool& held);
    base::Result<ModelReference> resolve_path(const std::string& path) const;
    // The same under the name by which its file is in use already.
    ModelReference as_known(ModelReference model) const;
    std::optional<base::Error> recent_load_failure(const ModelReference& model);
    void note_used(const ModelReference& model, bool embeds);
    std::optional<base::Error> refuse_job() const;
    // Another file under the name of a loaded model is loaded before the requests that come after it.
    void queue_load_if_replaced(const ModelReference& model);
    void run_jobs();
    // One look at the first job. True when it is done.
    bool run_load(const ModelJobs::Job& job);
    bool run_unload(const ModelJobs::Job& job);

    // --- service_engines.cpp -----------------------------------------------------------------------------------------

    // One look at everything that waits: does what can be done now.
    void advance();
    void drop_ended_engines();
    void assign_slots();
    // The pool has to know these: all engines, and the memory that a model needs which is to be loaded; nothing:
    // unknown yet.
    std::vector<supervisor::Resident> residents() const;
    std::optional<Engine::Memory> needed_memory(const ModelReference& model) const;
    uint64_t memory_budget() const;
    // Returns the limit in the engine's Load, given what was booked for it.
    uint64_t memory_limit(const Engine& engine, const Engine::Memory& memory) const;
    // The next step towards having the model, taken as far as it is not for the caller: EngineSlots that yield, or the
    // error of a model that cannot be had.
    supervisor::Step step_to(const ModelReference& model, Priority priority, bool has_starved);
    void give_leases();
    // Has each llmd-remote replaced if the settings or the network, which it read when it was started, may have
    // changed.
    void replace_remotes_if_changed();
    // Asks the rules again about all that is for a remote: it may go by now, or not any more.
    void review_remote_requests();
    // They need no room here, so nothing of this device is waited for.
    void start_remotes();
    void unload_idle();
    void restart_dead();
    void feed();
    // The engine of this model that is loaded or loading; null: there is none.
    Engine* serving(const ModelReference& model);
    const Engine* serving(const ModelReference& model) const;
    // It has been started with the file that is there now.
    bool is_current(const Engine& engine) const;
    // Nothing new begins on it, because of the first job.
    bool drains(const Engine& engine) const;
    // Nobody runs on it or waits for its answer.
    bool is_idle(const Engine& engine) const;
    // Nobody who may run wants its model.
    bool is_needed(const Engine& engine) const;
    bool is_loading() const;
    // False while idle engines are going because one was killed for its memory.
    bool free_memory_after_kill();
    // A death for which idle engines are to go: certainly or perhaps for want of memory (platform/oom_kills.h).
    bool lacked_memory(const supervisor::EngineEnd& end);
    bool look_for_oom_kills();  // OomKills::look()
    void start_engine(const ModelReference& model);

    void schedule_pass() override;
    void on_ready(Engine& engine) override;
    void on_load_failed(Engine& engine, const base::Error& error) override;
    bool on_died(Engine& engine, const supervisor::EngineEnd& end) override;
    void on_lease_released(Engine& engine) override;
    std::optional<supervisor::FileIdentity> identify(const std::string& path) const override {
        return catalogue_->identify(path);
    }

    // From the settings, as they could be read last; has_config_ stays false until they could.
    base::Config config_;
    bool has_config_ = false;
    std::optional<base::Error> settings_error_;

    // Constant after construction.
    base::EventLoop& loop_;
    const std::unique_ptr<supervisor::EngineLauncher> launcher_;
    const std::unique_ptr<supervisor::ModelCatalogue> catalogue_;
    const ServiceEnvironment environment_;

    uint64_t last_id_ = 0;  // of requests and of questions
    Scheduler scheduler_;
    RequestTable requests_;
    TokenizerQuestions questions_;
    ModelJobs jobs_;
    DeviceQuarantine devices_;
    RemoteAccess remotes_;
    bool remotes_changed_ = false;
    std::vector<std::function<void()>> callbacks_;  // calls that are due in the next pass
    platform::Directive directive_;

    const EngineContext context_;
    Engines engines_;
    std::optional<LastUsed> last_text_, last_embedder_;
    std::optional<ModelReference> inspected_;  // now, before it is loaded
    uint64_t last_engine_id_ = 0;
    DeviceLeases leases_;
    std::set<std::string> draining_;  // the models whose engines make room for the first job
    // Engines that make room for the request that is wanted, and how far.
    std::string yielded_for_;
    std::map<std::string, EngineSlots> yielding_;
    platform::OomKills oom_kills_;
    bool memory_is_short_ = false;  // an engine was killed for it; idle ones go before anything is loaded
    supervisor::LoadFailures load_failures_;
    bool default_load_failed_ = false;
    uint32_t past_restarts_ = 0;  // of engines that are gone
    std::string last_fault_;
    std::string_view last_fault_cause_ = "none";
    base::EventLoop::TimerId unload_timer_ = 0;

    base::EventLoop::TimerId pass_timer_ = 0;  // 0: nothing to do
    bool status_changed_ = false;
    std::function<void()> status_callback_;
    std::function<void()> pass_callback_;
    std::function<void()> reload_callback_;
    bool shutting_down_ = false;
    std::vector<std::function<void()>> shut_down_callbacks_;
};

}  // namespace llmd::service
