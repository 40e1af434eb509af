// What the front ends talk to: takes requests, keeps them alive across engine deaths, and tells how things are.
// Owns the scheduler (order), the engines (one a loaded model) and the model catalogue (names).
// Thread-bound to the event loop. No call blocks; no callback or sink is called before the call that caused it returns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "engines/device_health.h"
#include "engines/engine_link.h"
#include "engines/model_catalogue.h"
#include "platform/network.h"
#include "platform/policy.h"
#include "remotes/remote_policy.h"
#include "service/histogram.h"
#include "service/request.h"
#include "service/scheduler.h"
#include "service/service_options.h"

namespace llmd::service {

enum class State : uint8_t { Idle, Loading, Ready, Busy, Throttled, Suspended, Error };
std::string_view state_name(State state);  // "idle"

// One engine, and so one model.
struct EngineStatus {
    std::string model;
    State state = State::Idle;  // loading, ready or busy
    std::string backend;        // "opencl", "cpu" or "remote"; empty until it is loaded
    std::string device;
    uint64_t memory_bytes = 0;  // that it takes, or is allowed while it loads
    uint32_t context_length = 0;
    uint32_t slots = 0;
    uint32_t active = 0;
    std::optional<std::chrono::milliseconds> unload_in;  // as in Status
    bool pinned = false;                                 // by the settings
    // For how long nobody has used it; 0 while somebody does. Nothing until it is loaded.
    std::optional<std::chrono::seconds> idle;
    int64_t pid = 0;
    uint32_t restarts = 0;  // in the place of dead ones
};

struct RemoteStatus {
    std::string name;
    std::string host;   // as base::address_of() has it
    std::string state;  // "unused", "ready", "away", "off"
    uint64_t since_s = 0;
    uint64_t retry_in_s = 0;  // while it is away
    std::string last_error;
    uint32_t in_flight = 0;
    std::optional<uint64_t> last_use_s;  // nothing: not since llmd started
    std::vector<std::string> models;     // as they are asked for
};

// What is about one model, is about the last text model that was used, else the default, else any that is loaded.
struct Status {
    State state = State::Idle;
    std::vector<EngineStatus> engines;  // all that run, by model
    std::vector<RemoteStatus> remotes;  // that the settings name
    std::string model;                  // of the loaded or loading model; empty when none
    std::string backend;                // "opencl", "cpu"; empty until a model is loaded
    std::string device;
    std::string driver;
    std::string precision;           // "faithful", "fast"
    std::vector<std::string> notes;  // why this device, and the like
    std::string sandbox;             // what of the engine is sandboxed, for people; empty until a model is loaded
    uint32_t context_length = 0;
    uint32_t slots = 0;           // requests that the loaded model can compute at a time
    uint32_t load_per_mille = 0;  // while loading
    uint32_t queued = 0;
    uint32_t active = 0;
    // Until the loaded model goes, if nobody asks meanwhile; max(): it stays. Nothing: no model is loaded, or nobody
    // has told the service how long one may be idle.
    std::optional<std::chrono::milliseconds> unload_in;
    uint64_t weight_bytes = 0;
    uint64_t kv_bytes = 0;
    uint32_t kv_pages_used = 0;    // of kPageTokens tokens each, by requests
    uint32_t kv_pages_cached = 0;  // free, and kept meanwhile for prompts that begin like earlier ones
    uint32_t kv_pages_total = 0;
    int64_t engine_pid = 0;                      // 0: no engine is running
    uint32_t engine_restarts = 0;                // since llmd started
    std::string last_fault;                      // the last engine death or device error, with its cause; empty if none
    std::string_view last_fault_cause = "none";  // cause_name(), or load_failed
    std::string settings_error;                  // why the settings are not those of the files; empty if they are
    std::string quarantined;                     // which device is left for the CPU, and why; empty if none
    platform::Directive::Words conditions;       // of the device, as the last directive tells them
    platform::Directive::States states;          // likewise, for programs
    uint32_t duty_cycle_percent = protocol::kFullDutyCycle;
    // Of requests that have ended since llmd started.
    Histogram queue_ms;             // submission to start, of those that started
    Histogram ttft_ms;              // submission to first token, of those that had one
    Histogram prefill_ms;           // start to first token, the restart of an engine that died in between included
    Histogram decode_tps;           // tokens per second, of those that the engine has ended
    uint64_t cache_hits = 0;        // requests whose prompt's beginning had been computed by earlier ones
    uint64_t cache_hit_tokens = 0;  // their tokens that were not computed again
    uint64_t drafted_tokens = 0;    // as in Outcome, of all requests that have ended
    uint64_t accepted_tokens = 0;
};

// What a service asks of the machine; other answers in tests.
struct ServiceClocks {
    // Of queue times and of the pause after a failed load.
    std::function<base::TimePoint()> now = base::Clock::now;
    // Of how long a device is quarantined, which may be longer than llmd lives.
    std::function<engines::DeviceHealth::WallTime()> wall = std::chrono::system_clock::now;
    // Memory that can be had without swapping; without it, what is loaded next takes the place of what is loaded.
    std::function<std::optional<uint64_t>()> available_memory = {};
    // How many processes the kernel has killed for want of memory (platform/oom_kills.h); without it, whoever kills an
    // engine may have been the kernel.
    std::function<std::optional<uint64_t>()> oom_kills = {};
};

// What the policy has to know of the service; cheaper than its status.
struct Activity {
    bool has_engine = false;                      // any model is loaded, is being loaded, or is going
    bool has_work = false;                        // that may be done: held-back background requests are none
    bool has_requests = false;                    // these included
    bool is_quiet = false;                        // no engine computes, or has an answer to give
    std::vector<platform::KeepAlive> keep_alive;  // of those that have used a model that is loaded
};

class Service {
public:
    // The loop must outlive the service. Deadlines and budgets are timers of the loop. `options` as in configure().
    Service(base::EventLoop& loop, base::Result<ServiceOptions> options,
            std::unique_ptr<engines::EngineLauncher> launcher, std::unique_ptr<engines::ModelCatalogue> catalogue,
            ServiceClocks clocks = {});
    // Kills the engines. Sinks and callbacks that still wait are never called.
    ~Service();

    // Errors: ModelNotFound, QueueFull, RateLimited, ShuttingDown, InvalidArgument, PromptTooLong; Suspended or
    // OutOfMemory while the directive refuses it; and the error of the last try, at once, while a model that failed to
    // load is not tried again. On success `sink` is called until on_finished(); it must live until then.
    base::Result<RequestId> submit(GenerateRequest request, RequestSink& sink);
    // The answers of one call, at most RequestLimits::kMaxAnswers, which count as one request: all are taken or none.
    // They have the same client, share and model, and their prompts are together no longer than one may be. Each has
    // its own of the sinks, and ends by itself.
    base::Result<std::vector<RequestId>> submit(std::vector<GenerateRequest> requests,
                                                const std::vector<RequestSink*>& sinks);
    // The request ends with Finish::Cancelled in a later turn of the loop. NotFound when it has ended.
    base::Result<void> cancel(RequestId id);
    // Ends the request with this error instead (SlowConsumer, for example).
    base::Result<void> fail(RequestId id, base::Error error);
    void cancel_all();
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
    // people, since a prompt of this text would not be the same. The message's id means nothing. Else as tokenize().
    // InvalidArgument names what the template has no place for.
    void render(const std::string& model, protocol::Render question,
                std::function<void(base::Result<std::string>)> done);
    // The text that these tokens are, as clean text (base/utf8.h); control tokens have none, and the blank that the
    // tokenizer puts before a text is not there. Else as tokenize().
    // InvalidArgument names an id that the model's vocabulary does not have.
    void detokenize(const std::string& model, std::vector<int32_t> ids,
                    std::function<void(base::Result<std::string>)> done);
    // Those of this device and, behind them, the remotes' that the caller may ask for.
    void list_models(const remotes::Caller& caller, std::function<void(std::vector<engines::ModelEntry>)> done);
    void list_models(std::function<void(std::vector<engines::ModelEntry>)> done);  // of this device
    // A name from the catalogue or an absolute path. Waits for running requests of other models where there is no room
    // beside them; a loaded model whose file has changed is loaded again. Forgets that the model failed to load and
    // that the device was quarantined.
    void load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done);
    // Ends all engines once running requests have ended.
    void unload_model(std::function<void(base::Result<void>)> done);
    // Likewise the engine of one model; ModelNotFound: there is no such model.
    void unload_model(const std::string& name, std::function<void(base::Result<void>)> done);
    // Has the settings read again, and inspects all models again when they are next listed. The directories themselves
    // are read at every question.
    void reload();
    // Called by reload(), for whoever knows where the settings are.
    void on_reload(std::function<void()> callback);

    // For what is loaded from now on; an engine that runs keeps what it was started with. What could not be loaded is
    // tried again. An error leaves the options as they are; before there were any, all that needs a model is refused
    // with it.
    void configure(base::Result<ServiceOptions> options);

    // Until the next one. Requests are never ended by it: they are refused, or they wait.
    void apply(const platform::Directive& directive);

    Activity activity() const;
    Status status() const;
    // Called (in its own turn, coalesced) whenever status() may have changed.
    void on_status_changed(std::function<void()> callback);

    // What starts llmd-remote, without which no model of a remote can be had.
    void set_remote_launcher(std::unique_ptr<engines::EngineLauncher> launcher);
    // What tells of the network, which a request for a remote waits for; null, as at first: nobody does. It outlives
    // the service, or null is set before it goes.
    void set_network(platform::NetworkWatch* network);

    // Refuses new requests and ends the others, all with ShuttingDown, ends the engines, then calls `done`.
    void shut_down(std::function<void()> done);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace llmd::service
