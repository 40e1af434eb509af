// The inside of Service, in five parts: the requests (service.cpp), the questions for a model's tokenizer
// (service_tokenizer.cpp), the models that both name (service_models.cpp), the life of the engine that does it
// (service_engine.cpp), and the device that engines are kept away from (service_device.cpp).
//
// Everything that calls back, starts or stops happens in turn(), a turn of the loop of its own; the public calls and
// the engine's messages only write down what has changed and schedule it. There is at most one engine at a time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engines/load_failures.h"
#include "service/request_record.h"
#include "service/service.h"

namespace llmd::service {

inline base::Error shutting_down() {
    return {base::ErrorCode::ShuttingDown, "llmd is shutting down"};
}

class Service::Impl {
public:
    Impl(base::EventLoop& loop, base::Result<ServiceOptions> options, std::unique_ptr<engines::EngineLauncher> launcher,
         std::unique_ptr<engines::ModelCatalogue> catalogue, ServiceClocks clocks);
    ~Impl();

    // As in Service.
    base::Result<std::vector<RequestId>> submit(std::vector<GenerateRequest> requests,
                                                const std::vector<RequestSink*>& sinks);
    base::Result<void> cancel(RequestId id);
    base::Result<void> fail(RequestId id, base::Error error);
    void cancel_all();
    base::Result<void> set_paused(RequestId id, bool paused);
    base::Result<void> set_priority(RequestId id, Priority priority);
    std::optional<RequestSnapshot> request(RequestId id) const;
    std::vector<RequestSnapshot> requests() const;
    void tokenize(const std::string& model, std::string text,
                  std::function<void(base::Result<std::vector<int32_t>>)> done);
    void tokenize(const std::string& model, protocol::Tokenize question,
                  std::function<void(base::Result<protocol::Tokenized>)> done);
    void render(const std::string& model, protocol::Render question,
                std::function<void(base::Result<std::string>)> done);
    void detokenize(const std::string& model, std::vector<int32_t> ids,
                    std::function<void(base::Result<std::string>)> done);
    void list_models(std::function<void(std::vector<engines::ModelEntry>)> done);
    void load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done);
    void unload_model(std::function<void(base::Result<void>)> done);
    void reload();
    void configure(base::Result<ServiceOptions> options);
    void apply(const platform::Directive& directive);
    Activity activity() const;
    Status status() const;
    void on_status_changed(std::function<void()> callback) { status_callback_ = std::move(callback); }
    void on_reload(std::function<void()> callback) { reload_callback_ = std::move(callback); }
    void shut_down(std::function<void()> done);

private:
    enum class EngineState : uint8_t { None, Loading, Ready, Ending };

    // LoadModel or UnloadModel; nothing new starts while one waits for running requests to end.
    struct Job {
        std::optional<ModelReference> load;  // nothing: unload
        std::function<void(base::Result<void>)> done;
    };
    // A question for the tokenizer of a model, and who gets the answer: the message of that name.
    using TokenizeQuestion = std::variant<protocol::Tokenize, protocol::Detokenize, protocol::Render>;
    struct TokenizeCall {
        uint64_t id = 0;
        ModelReference model;
        TokenizeQuestion question;
        std::function<void(base::Result<protocol::Message>)> done;
        bool sent = false;
        uint32_t deaths = 0;  // of engines that should have answered it
    };
    struct Ending {
        RequestSink* sink;
        Outcome outcome;
        std::optional<uint32_t> open_call;  // which this has cut
    };

    // --- service.cpp: requests ---------------------------------------------------------------------------------------

    void schedule_turn();
    void turn();
    // The request that last_id_ names, which the scheduler has admitted.
    void add(GenerateRequest request, RequestSink& sink, const ModelReference& model);
    RequestRecord* find(RequestId id);
    // Takes the request out; its final event follows in turn().
    void end(RequestRecord& record, Finish finish, std::optional<base::Error> error = std::nullopt,
             const protocol::Finished* costs = nullptr);
    RequestSnapshot snapshot(const RequestRecord& record) const;
    // The loaded model has been used; the wish of that share from now on.
    void note_use(const std::string& share, std::optional<std::chrono::seconds> wish, bool sandboxed);
    std::optional<std::chrono::milliseconds> unload_in() const;

    // --- service_tokenizer.cpp: questions for a model's tokenizer ----------------------------------------------------

    void ask(const std::string& model, TokenizeQuestion question,
             std::function<void(base::Result<protocol::Message>)> done);
    std::optional<base::Error> refuse(const TokenizeQuestion& question) const;
    void answer(TokenizeCall& call, base::Result<protocol::Message> result);
    // The engine's answer to a Question.
    template <typename Question, typename Answer>
    void on_answer(const Answer& answered);

    // --- service_models.cpp: which model, and the jobs that load and unload it ---------------------------------------

    base::Result<ModelReference> default_model() const;
    base::Result<ModelReference> resolve(const std::string& name_or_path, bool allow_path) const;
    std::optional<base::Error> recent_load_failure(const ModelReference& model);
    void take_options(base::Result<ServiceOptions> options);
    // Why nothing that needs a model can be done: there never were settings.
    const base::Error* refuse_without_options() const { return has_options_ ? nullptr : &*settings_error_; }
    // Why no job can be taken now.
    std::optional<base::Error> refuse_job() const;
    void finish_job(base::Result<void> result);
    void answer(std::function<void(base::Result<void>)> done, base::Result<void> result);
    void queue_load(const ModelReference& model);
    void queue_loads_for_tokenizing();
    // Another file under the name of the loaded model is loaded before the requests that come after it.
    void queue_load_if_replaced(const ModelReference& model);
    bool run_jobs();  // false while the engine is being replaced or ended

    // --- service_engine.cpp: the engine ------------------------------------------------------------------------------

    // One look at everything that waits: does what can be done now.
    void advance();
    void give_slots();
    uint32_t n_slots() const;
    void start_engine(const ModelReference& model);
    void stop_engine();
    bool serves(const ModelReference& model) const;
    // The engine, alive or just dead, was started to go on with requests that another one had begun.
    bool is_replacement() const;
    // The next try to load *model_ again is due later.
    bool waits_to_retry() const;
    // Tells the engine what it does not know yet.
    void feed();
    // Those that wait for nothing but the model: the engine never hears of them.
    void end_preloads();
    // False when the record has ended instead.
    bool send_start(RequestRecord& record);
    void send_submit(RequestRecord& record);
    // An input has its embedding; false when the next one is due.
    bool take_embedding(RequestRecord& record, const protocol::Finished& finished);

    void on_message(const protocol::Message& message);
    void on(const protocol::LoadProgress& progress);
    void on(const protocol::DeviceChosen& chosen);
    void on(const protocol::Ready& ready);
    void on(const protocol::LoadFailed& failed);
    void on(const protocol::Accepted& accepted);
    void on(const protocol::Refused& refused);
    void on(const protocol::Started& started);
    void on(const protocol::Pages& pages);
    void on(const protocol::Tokens& tokens);
    void on(const protocol::Finished& finished);
    void on(const protocol::Tokenized& tokenized);
    void on(const protocol::Detokenized& detokenized);
    void on(const protocol::Rendered& rendered);
    // What only llmd says, only an inspection, or what the link keeps to itself.
    template <typename T>
    void on(const T& unexpected);
    // Hands text to the sink and counts it.
    // False: the request has ended with that, or the engine, which tells nonsense.
    bool deliver(RequestRecord& record, const std::vector<protocol::AnswerPart>& parts, uint64_t bytes);

    void on_engine_ended(const engines::EngineEnd& end);
    void on_engine_died(const engines::EngineEnd& end, bool was_ready);
    // Whoever waits for this model gets `error`; it is not tried again for a while.
    void fail_load(const ModelReference& model, base::Error error);

    // --- service_device.cpp: the device that engines are kept away from ----------------------------------------------

    void avoid_device(protocol::Load& load);
    // The engine computes, or would compute, on a GPU that llmd may leave for the CPU.
    bool may_leave_device() const;
    // Whose failure the death of an engine is; nothing when it is not that of such a GPU.
    std::optional<engines::DeviceName> failed_device(const engines::EngineEnd& end) const;
    // True when the device is quarantined by this death.
    bool count_against_device(const engines::EngineEnd& end);
    // Somebody who may do so wants it.
    void use_device_again();
    // After Ready.
    void note_device();
    void keep_device_health();

    // From the settings, as they could be read last; has_options_ stays false until they could.
    ServiceOptions options_;
    bool has_options_ = false;
    std::optional<base::Error> settings_error_;
    // As it was when *model_ was loaded; once the settings name another, whoever names none gets that.
    std::string default_at_load_;

    // Constant after construction.
    base::EventLoop& loop_;
    const std::unique_ptr<engines::EngineLauncher> launcher_;
    const std::unique_ptr<engines::ModelCatalogue> catalogue_;
    const ServiceClocks clocks_;

    // Requests.
    Scheduler scheduler_;
    std::map<RequestId, RequestRecord> records_;
    std::vector<Ending> endings_;
    uint64_t last_id_ = 0;  // of requests and tokenize calls
    Pace pace_;
    Histogram queue_ms_, ttft_ms_, decode_tps_;  // as in Status
    uint64_t cache_hits_ = 0, cache_hit_tokens_ = 0;
    platform::Directive directive_;
    base::TimePoint last_question_{};                        // for the loaded model's tokenizer, or when it was ready
    std::map<std::string, platform::KeepAlive> keep_alive_;  // of the loaded model, by share

    std::deque<Job> jobs_;
    std::deque<TokenizeCall> tokenize_calls_;
    std::vector<std::function<void()>> callbacks_;  // answers that are due in the next turn

    // The engine.
    EngineState engine_state_ = EngineState::None;
    std::unique_ptr<engines::EngineLink> link_;
    std::unique_ptr<engines::EngineLink> retired_link_;  // ended; destroyed in the next turn
    std::optional<ModelReference> model_;                // of the engine, or of the last one until it is unloaded
    std::optional<engines::FileIdentity> file_;          // of *model_ when the engine was started
    std::optional<engines::FileIdentity> proven_file_;   // was ready in this engine, or in the one that died
    protocol::Ready ready_;                              // of the last engine that was ready
    protocol::Pages pages_;                              // of it, as last heard
    uint32_t load_per_mille_ = 0;
    uint32_t engine_restarts_ = 0;
    std::optional<protocol::DeviceChosen> chosen_;  // by the engine that runs or has just died
    std::string avoid_device_reason_;      // not empty: the device has been quarantined, for this file_ and this llmd
    engines::DeviceHealth device_health_;  // quarantines it for every model, and for longer
    bool looks_at_device_ = false;         // the engine was told the name of the device that it is to avoid
    base::EventLoop::TimerId retry_timer_ = 0;  // not 0: *model_ did not fit into memory a moment ago
    engines::LoadFailures load_failures_;
    bool default_load_failed_ = false;
    uint32_t told_duty_cycle_ = 0;  // of the engine that runs now
    bool cache_is_due_ = false;     // DropCache
    std::string last_fault_;
    std::string_view last_fault_cause_ = "none";

    base::EventLoop::TimerId turn_timer_ = 0;  // 0: nothing to do
    bool status_changed_ = false;
    std::function<void()> status_callback_;
    std::function<void()> reload_callback_;
    bool shutting_down_ = false;
    std::vector<std::function<void()>> shut_down_callbacks_;
};

}  // namespace llmd::service
