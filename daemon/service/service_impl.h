// The inside of Service, in three parts: the requests and what all front ends see (service.cpp), the models and the
// jobs that name them (service_models.cpp), and which engines there are and what each computes (service_engines.cpp).
//
// Everything that calls back, starts or stops happens in turn(), a turn of the loop of its own; the public calls and
// the engines' messages only write down what has changed and schedule it. An Engine is one model's; models of one file
// and the same settings have one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engines/load_failures.h"
#include "engines/pool.h"
#include "platform/oom_kills.h"
#include "service/device_leases.h"
#include "service/device_quarantine.h"
#include "service/engine.h"
#include "service/model_jobs.h"
#include "service/remote_access.h"
#include "service/request_table.h"
#include "service/service.h"
#include "service/tokenizer_questions.h"

namespace llmd::service {

inline base::Error shutting_down() {
    return {base::ErrorCode::ShuttingDown, "llmd is shutting down"};
}

class Service::Impl final : private EngineHost {
public:
    Impl(base::EventLoop& loop, base::Result<ServiceOptions> options, std::unique_ptr<engines::EngineLauncher> launcher,
         std::unique_ptr<engines::ModelCatalogue> catalogue, ServiceClocks clocks);
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    // As in Service.
    base::Result<std::vector<RequestId>> submit(std::vector<GenerateRequest> requests,
                                                const std::vector<RequestSink*>& sinks);
    base::Result<void> cancel(RequestId id);
    base::Result<void> fail(RequestId id, base::Error error);
    void cancel_all() { requests_.end_all(Finish::Cancelled, std::nullopt); }
    base::Result<void> set_paused(RequestId id, bool paused);
    base::Result<void> set_priority(RequestId id, Priority priority);
    std::optional<RequestSnapshot> request(RequestId id) const;
    std::vector<RequestSnapshot> requests() const;
    void ask(const std::string& model, TokenizerQuestions::Question question, TokenizerQuestions::Done done);
    void list_models(std::function<void(std::vector<engines::ModelEntry>)> done);
    void load_model(const std::string& name_or_path, ModelJobs::Done done);
    void unload_model(const std::string& name, ModelJobs::Done done);
    void reload();
    void configure(base::Result<ServiceOptions> options);
    void apply(const platform::Directive& directive);
    Activity activity() const;
    Status status() const;
    void on_status_changed(std::function<void()> callback) { status_callback_ = std::move(callback); }
    void on_reload(std::function<void()> callback) { reload_callback_ = std::move(callback); }
    void shut_down(std::function<void()> done);
    RemoteAccess& remotes() { return remotes_; }

private:
    using Engines = std::map<std::string, std::unique_ptr<Engine>>;  // by ModelReference::key()

    // A model that was used, and the default of the settings then: once they name another, whoever names no model gets
    // that.
    struct LastUsed {
        ModelReference model;
        std::string default_model;
    };

    // --- service.cpp -------------------------------------------------------------------------------------------------

    void post(std::function<void()> callback);
    void turn();
    void take_options(base::Result<ServiceOptions> options);
    // Why nothing that needs a model can be done: there never were settings.
    const base::Error* refuse_without_options() const { return has_options_ ? nullptr : &*settings_error_; }
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
    // What the pool has to know of all engines, and of a model that is to be loaded; nothing: that is not known yet.
    std::vector<engines::Resident> residents() const;
    std::optional<Engine::Memory> needed_memory(const ModelReference& model) const;
    uint64_t memory_budget() const;
    // What its Load is to say, given what was booked for it.
    uint64_t memory_limit(const Engine& engine, const Engine::Memory& memory) const;
    // The next step towards having the model, taken as far as it is not for the caller: EngineSlots that yield, or the
    // error of a model that cannot be had.
    engines::Step step_to(const ModelReference& model, Priority priority, bool has_starved);
    void give_leases();
    // What was read of the settings and of the network when llmd-remote was started may be other now.
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
    bool lacked_memory(const engines::EngineEnd& end);
    bool look_for_oom_kills();  // OomKills::look()
    void start_engine(const ModelReference& model);

    void schedule_turn() override;
    void on_ready(Engine& engine) override;
    void on_load_failed(Engine& engine, const base::Error& error) override;
    void on_died(Engine& engine, const engines::EngineEnd& end) override;
    void on_lease_released(Engine& engine) override;

    // From the settings, as they could be read last; has_options_ stays false until they could.
    ServiceOptions options_;
    bool has_options_ = false;
    std::optional<base::Error> settings_error_;

    // Constant after construction.
    base::EventLoop& loop_;
    const std::unique_ptr<engines::EngineLauncher> launcher_;
    const std::unique_ptr<engines::ModelCatalogue> catalogue_;
    const ServiceClocks clocks_;

    uint64_t last_id_ = 0;  // of requests and of questions
    Scheduler scheduler_;
    RequestTable requests_;
    TokenizerQuestions questions_;
    ModelJobs jobs_;
    DeviceQuarantine devices_;
    RemoteAccess remotes_;
    bool remotes_changed_ = false;
    std::vector<std::function<void()>> callbacks_;  // that are due in the next turn
    platform::Directive directive_;

    const EngineContext context_;
    Engines engines_;
    std::optional<LastUsed> last_text_, last_embedder_;
    std::optional<ModelReference> inspected_;  // now, before it is loaded
    uint64_t last_engine_id_ = 0;
    DeviceLeases leases_;
    std::set<std::string> draining_;  // what makes room for the first job
    // Engines that make room for the request that is wanted, and how far.
    std::string yielded_for_;
    std::map<std::string, EngineSlots> yielding_;
    platform::OomKills oom_kills_;
    bool memory_is_short_ = false;  // an engine was killed for it; idle ones go before anything is loaded
    engines::LoadFailures load_failures_;
    bool default_load_failed_ = false;
    uint32_t past_restarts_ = 0;  // of engines that are gone
    std::string last_fault_;
    std::string_view last_fault_cause_ = "none";
    base::EventLoop::TimerId unload_timer_ = 0;

    base::EventLoop::TimerId turn_timer_ = 0;  // 0: nothing to do
    bool status_changed_ = false;
    std::function<void()> status_callback_;
    std::function<void()> reload_callback_;
    bool shutting_down_ = false;
    std::vector<std::function<void()>> shut_down_callbacks_;
};

}  // namespace llmd::service
