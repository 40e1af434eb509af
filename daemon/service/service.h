// What the front ends talk to: takes requests, keeps them alive across engine deaths, and tells how things are.
// Owns the scheduler (order), the engine link (the running engine) and the model catalogue (names).
// Thread-bound to the event loop. No call blocks; no callback or sink is called before the call that caused it returns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "service/engine_link.h"
#include "service/model_catalogue.h"
#include "service/request.h"
#include "service/scheduler.h"

namespace llmd::service {

enum class State : uint8_t { Idle, Loading, Ready, Busy, Throttled, Suspended, Error };
std::string_view state_name(State state);  // "idle"

struct Status {
    State state = State::Idle;
    std::string model;    // of the loaded or loading model; empty when none
    std::string backend;  // "opencl", "cpu"; empty until a model is loaded
    std::string device;
    std::string driver;
    std::string precision;           // "faithful", "fast"
    std::vector<std::string> notes;  // why this device, and the like
    uint32_t context_length = 0;
    uint32_t load_per_mille = 0;  // while loading
    uint32_t queued = 0;
    uint32_t active = 0;
    uint64_t weight_bytes = 0;
    uint64_t kv_bytes = 0;
    int64_t engine_pid = 0;        // 0: no engine is running
    uint32_t engine_restarts = 0;  // since llmd started
    std::string last_fault;        // the last engine death or device error, with its cause; empty if none
};

class Service {
public:
    // The loop must outlive the service. `now` is the clock of queue times and of the pause after a failed load;
    // deadlines and budgets are timers of the loop.
    Service(base::EventLoop& loop, ServiceOptions options, std::unique_ptr<EngineLauncher> launcher,
            std::unique_ptr<ModelCatalogue> catalogue, std::function<base::TimePoint()> now = base::Clock::now);
    // Kills the engine. Sinks and callbacks that still wait are never called.
    ~Service();

    // Errors: ModelNotFound, QueueFull, RateLimited, ShuttingDown, InvalidArgument, PromptTooLong; and the error of the
    // last try, at once, while a model that failed to load is not tried again. On success `sink` is called until
    // on_finished(); it must live until then.
    base::Result<RequestId> submit(GenerateRequest request, RequestSink& sink);
    // The request ends with Finish::Cancelled in a later turn of the loop. NotFound when it has ended.
    base::Result<void> cancel(RequestId id);
    // Ends the request with this error instead (SlowConsumer, for example).
    base::Result<void> fail(RequestId id, base::Error error);
    void cancel_all();
    // Back-pressure: a paused request keeps its place and makes no more text.
    base::Result<void> set_paused(RequestId id, bool paused);
    base::Result<void> set_priority(RequestId id, Priority priority);
    std::optional<RequestSnapshot> request(RequestId id) const;
    std::vector<RequestSnapshot> requests() const;

    // Empty `model`: the loaded one, else the default. Loads it if need be.
    void tokenize(std::string model, std::string text, std::function<void(base::Result<std::vector<int32_t>>)> done);
    void list_models(std::function<void(std::vector<ModelEntry>)> done);
    // A name from the catalogue or an absolute path. Waits for running requests of another model; a loaded model whose
    // file has changed is loaded again. Forgets that the model failed to load and that the device was set aside.
    void load_model(std::string name_or_path, std::function<void(base::Result<void>)> done);
    // Ends the engine once running requests have ended.
    void unload_model(std::function<void(base::Result<void>)> done);
    // Inspects all models again when they are next listed. The folders themselves are read at every question.
    void reload();

    Status status() const;
    // Called (in its own turn, coalesced) whenever status() may have changed.
    void on_status_changed(std::function<void()> callback);

    // Refuses new requests with ShuttingDown, cancels the rest, ends the engine, then calls `done`.
    void shut_down(std::function<void()> done);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace llmd::service
