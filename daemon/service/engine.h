// One model's engine and its life: started, loaded, fed with what the scheduler has decided, replaced when it dies, and
// stopped. It knows the requests of its own model only; a death says nothing about the others'. Which engines there are
// and when they may start is Service's to decide. Logs. Thread-bound to the event loop.
//
//     Down ─start()─▶ Loading ─Ready─▶ Ready ─stop()─▶ Ending ─▶ Gone
//      ▲                 │               │ died            load failed, or ended as asked:
//      └─────────────────┴───────────────┘                 the object is of no more use
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/config.h"
#include "base/event_loop.h"
#include "platform/policy.h"
#include "service/device_quarantine.h"
#include "service/engine_use.h"
#include "service/model_reference.h"
#include "service/request_table.h"
#include "service/scheduler.h"
#include "service/tokenizer_questions.h"
#include "supervisor/engine_link.h"
#include "supervisor/load_failures.h"

namespace llmd::service {

class Engine;

// The owner of an engine implements this. The engine calls it from inside callbacks of the loop: the owner acts in a
// later iteration of the loop.
class EngineHost {
public:
    virtual void schedule_pass() = 0;
    virtual void on_ready(Engine& engine) = 0;
    // Its model cannot be loaded: whoever waits for it gets `error`.
    virtual void on_load_failed(Engine& engine, const base::Error& error) = 0;
    // It has ended by itself. True: certainly or perhaps because memory was short.
    virtual bool on_died(Engine& engine, const supervisor::EngineEnd& end) = 0;
    virtual void on_lease_released(Engine& engine) = 0;
    // As ModelCatalogue has it.
    virtual std::optional<supervisor::FileIdentity> identify(const std::string& path) const = 0;

protected:
    ~EngineHost() = default;
};

// All engines share this; all of it outlives them.
struct EngineContext {
    base::EventLoop& loop;
    const std::function<base::TimePoint()>& now;
    const base::Config& config;  // as the settings are now
    Scheduler& scheduler;
    RequestTable& requests;
    TokenizerQuestions& questions;
    DeviceQuarantine& devices;
    const supervisor::LoadFailures& loads;
    EngineHost& host;
};

class Engine {
public:
    enum class State : uint8_t { Down, Loading, Ready, Ending, Gone };

    Engine(const EngineContext& context, supervisor::EngineLauncher& launcher, ModelReference model);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();  // kills the process if there is one

    const ModelReference& model() const { return model_; }
    const std::string& key() const { return model_.key(); }
    State state() const { return state_; }
    bool is_alive() const { return state_ == State::Loading || state_ == State::Ready; }
    bool is_ready() const { return state_ == State::Ready; }
    bool has_process() const { return link_ != nullptr; }
    pid_t pid() const { return link_ ? link_->pid() : 0; }
    // Computes nothing and has nothing to answer.
    bool is_quiet() const { return state_ != State::Ready || link_->is_idle(); }
    // It has begun with some request or answered a question since it was started.
    bool has_served() const { return has_served_; }
    // Tells its processes apart.
    uint64_t id() const { return id_; }
    // The identity of the file when the engine was started; nothing for a remote one.
    const std::optional<supervisor::FileIdentity>& file() const { return file_; }
    // The name of its process.
    std::string_view program() const { return is_remote() ? "llmd-remote" : "llmd-engine"; }
    // These are from the last Ready.
    const protocol::Ready& ready() const { return ready_; }
    const protocol::Pages& pages() const { return pages_; }
    uint32_t load_per_mille() const { return load_per_mille_; }
    uint32_t restarts() const { return restarts_; }
    // It is to be replaced once nobody runs on it; until it is started again.
    void become_outdated() { is_outdated_ = true; }
    bool is_outdated() const { return is_outdated_; }
    // That it was started with.
    const base::ModelSettings& settings() const { return settings_; }
    // The memory that it was allowed, until it has said what it takes.
    uint64_t memory_bytes() const;
    // The memory that the pool counts for it: the same with room for requests, and while it is ending the larger of
    // both.
    uint64_t counted_bytes() const;
    size_t n_running() const { return context_.requests.n_running(key()); }
    // That it can compute at a time: one until it is ready, and those that ran on one that has died go on.
    uint32_t n_slots() const;
    // It died, and the next start is due later.
    bool waits_to_retry() const { return context_.now() < retry_at_; }
    // Its last process died while memory was short, and none has been started since.
    bool lacked_memory() const { return lacked_memory_; }

    // The memory that comes back when it ends: its own, without pages of the model's file.
    uint64_t held_bytes() const;
    // Memory that an engine is given: what is booked, and what its Load says (0: its own choice).
    struct Memory {
        uint64_t booked = 0, limit = 0;
    };
    // That it was started with the last time.
    const Memory& memory() const { return memory_; }
    // Starts a process that loads the model. Down before. `id`: never used before.
    void start(uint64_t id, Memory memory);
    void stop();
    // In an iteration of the loop of its own after it has ended.
    void release_ended_link() { ended_link_.reset(); }

    struct Orders {
        uint32_t duty_cycle_percent = protocol::kFullDutyCycle;
        bool drains = false;  // nothing new begins on it: it is to be stopped or replaced
    };
    // Tells it what it does not know yet.
    void feed(const Orders& orders);
    void drop_cache() { cache_is_due_ = true; }
    // It knows no more of this one, which is about to end.
    void cancel(const RequestRecord& record);

    // Where it computes, or is about to; nothing while that is not known. The name of the GPU, or kCpu.
    static constexpr std::string_view kCpu = "cpu";
    std::optional<std::string> device() const;
    void set_lease(bool held);

    // Who uses it, and how long it stays for them.
    EngineUse& use() { return use_; }
    const EngineUse& use() const { return use_; }
    std::vector<platform::KeepAlive> keep_alives() const { return use_.keep_alives(settings_.pinned); }
    // When nobody has needed it for long enough; max(): never.
    base::TimePoint stays_until(std::chrono::seconds idle_time) const;

private:
    // A request of this engine's model; null: it has ended, or is another's, which this engine does not know.
    RequestRecord* find(RequestId id) const;
    template <typename Action>
    void for_each_request(Action action) {
        for (auto& [id, record] : context_.requests.records()) {
            if (record.model.key() == key()) action(record);
        }
    }
    // Returns the error of a LoadFailed or a Refused.
    template <typename Told>
    static base::Error error_of(const Told& told) {
        base::Error error{told.code, told.message};
        if (told.retry_after_s != 0) error.retry_after = std::chrono::seconds(told.retry_after_s);
        return error;
    }
    // The file that it loads was ready before, and somebody's text waits for it.
    bool is_replacement() const { return context_.loads.was_ready(key(), file_) && n_running() > 0; }
    bool is_remote() const { return model_.is_remote(); }
    uint64_t measured_bytes() const;  // 0: it has not been ready

    void send_first_message();
    void fail_load(base::Error error);
    void end_preloads(bool drains);
    // False when the record has ended instead.
    bool send_start(RequestRecord& record);
    void send_submit(RequestRecord& record);
    // An input has its embedding; false when the next one is due.
    bool take_embedding(RequestRecord& record, const protocol::Finished& finished);
    // Tells the sink that the request is accepted, unless it knows. False: the request has ended with that.
    bool tell_accepted(RequestRecord& record);
    // Hands text to the sink and counts it. False: the request has ended with that, or the engine, which reports
    // nonsense.
    bool deliver(RequestRecord& record, const std::vector<protocol::AnswerPart>& parts, uint64_t bytes);
    template <typename Answer>
    void take_answer(const Answer& answer);
    void reject(std::string what);

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
    void on(const protocol::Usage& usage);
    void on(const protocol::Finished& finished);
    void on(const protocol::Tokenized& tokenized) { take_answer(tokenized); }
    void on(const protocol::Detokenized& detokenized) { take_answer(detokenized); }
    void on(const protocol::Rendered& rendered) { take_answer(rendered); }
    void on(const protocol::LeaseReleased& released);
    // Rejects messages that only llmd or only an inspection sends, or that the link keeps to itself.
    template <typename T>
    void on(const T& unexpected);

    void on_ended(const supervisor::EngineEnd& end);
    void on_died(const supervisor::EngineEnd& end, bool was_ready, bool memory_was_short);
    // It computes, or would compute, on a GPU that may be left for the CPU.
    bool may_leave_device() const;
    // Whose failure its death is; nothing when it is not that of such a GPU.
    std::optional<supervisor::DeviceName> failed_device(const supervisor::EngineEnd& end) const;
    bool count_against_device(const supervisor::EngineEnd& end);

    const EngineContext& context_;
    supervisor::EngineLauncher& launcher_;
    const ModelReference model_;

    State state_ = State::Down;
    std::unique_ptr<supervisor::EngineLink> link_;
    std::unique_ptr<supervisor::EngineLink> ended_link_;
    base::TimePoint started_{};
    base::ModelSettings settings_;                         // the settings that it was started with
    std::optional<supervisor::FileIdentity> file_;         // when it was started
    std::optional<supervisor::FileIdentity> proven_file_;  // was ready in this process, or in the one that died
    Memory memory_;
    uint64_t id_ = 0;
    bool has_served_ = false;
    bool is_outdated_ = false;
    protocol::Ready ready_;
    protocol::Pages pages_;  // as last heard
    uint32_t load_per_mille_ = 0;
    uint32_t restarts_ = 0;
    bool lacked_memory_ = false;
    uint32_t failed_loads_ = 0;                     // since it was ready, or since another device has its turn
    std::optional<protocol::DeviceChosen> chosen_;  // by the process that runs or has just died
    DeviceQuarantine::Avoidance avoidance_;         // the avoidance that it was given
    base::TimePoint retry_at_{};                    // nothing is started before
    base::EventLoop::TimerId retry_timer_ = 0;      // then
    uint32_t told_duty_cycle_ = 0;
    bool cache_is_due_ = false;
    EngineUse use_;
};

}  // namespace llmd::service
