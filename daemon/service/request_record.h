// The log of a request: everything that is needed to continue it on another engine and to say how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "service/model_reference.h"
#include "service/request.h"
#include "service/route.h"
#include "supervisor/engine_fault.h"
#include "supervisor/model_catalogue.h"

namespace llmd::service {

struct RequestRecord {
    RequestId id = 0;
    GenerateRequest request;  // which has a seed
    RequestSink* sink = nullptr;
    ModelReference model;

    base::TimePoint submitted;
    std::optional<base::TimePoint> started;  // first handed to an engine's batch
    std::optional<base::TimePoint> first_token;
    base::EventLoop::TimerId deadline_timer = 0;

    enum class Stage : uint8_t {
        Unmeasured,  // the prompt's length is not known
        Measured,
        Announced,  // to the sink too, which from then on is notified of this model only
    };
    Stage stage = Stage::Unmeasured;
    bool running = false;  // it has a slot, whether or not an engine has it at the moment
    bool paused = false;   // its client does not read
    bool kept = false;     // it may not go to its remote yet
    uint32_t prompt_tokens = 0;
    uint32_t cached_tokens = 0;  // prompt tokens from the cache, when they were first computed
    uint32_t resumed = 0;        // as in protocol::Usage

    // These two are for embeddings.
    size_t n_checked = 0;  // inputs that this engine has found to fit, until all do: then Stage::Measured
    std::vector<std::vector<float>> embeddings;  // of the first inputs

    Route route;                     // `model` is where it has got to
    std::vector<std::string> notes;  // the sink is to be notified of these first

    // Its model's engine has it, or had it and will go on with it.
    bool has_been_handed_over() const { return running || started.has_value(); }
    // Another model may still be asked instead of this one.
    bool may_move_on() const { return stage != Stage::Announced && route.fallback.has_more(request.fallback); }
    // The same request as it was before any model had it.
    void begin_anew(ModelReference next) {
        RequestRecord fresh;
        fresh.id = id;
        fresh.request = std::move(request);
        fresh.sink = sink;
        fresh.model = std::move(next);
        fresh.submitted = submitted;
        fresh.deadline_timer = deadline_timer;
        fresh.paused = paused;
        fresh.route = std::move(route);
        *this = std::move(fresh);
    }

    // A replay sends these.
    std::vector<int32_t> ids;
    uint64_t delivered_bytes = 0;  // of the text behind `ids`; an echoed prompt does not count

    std::optional<supervisor::FileIdentity> file;  // of the model that made `ids`
    std::string profile;                           // of the engine that made the last id
    bool profile_changed = false;
    supervisor::FaultCount faults;

    // These describe the parts that have been delivered.
    uint32_t n_calls = 0;       // calls that have begun
    bool call_is_open = false;  // the last of them has not ended
    bool thinks = false;        // the last part was thinking
    uint32_t thinking_tokens = 0;
    // Takes note of the next part. False: it cannot follow those before it.
    bool follow(const protocol::AnswerPart& part) {
        using Kind = protocol::AnswerPart::Kind;
        const bool is_of_call = part.kind != Kind::Text && part.kind != Kind::Thinking;
        const bool begins = part.kind == Kind::CallBegin;
        if (call_is_open != (is_of_call && !begins)) return false;
        if (is_of_call && part.call != (begins ? n_calls : n_calls - 1)) return false;
        if (begins) ++n_calls;
        call_is_open = begins || part.kind == Kind::CallArguments;
        thinks = part.kind == Kind::Thinking;
        return true;
    }

    // The state of the request on the engine that runs now.
    enum class OnEngine : uint8_t { Nothing, Submit, Answered };  // with Accepted
    OnEngine on_engine = OnEngine::Nothing;
    std::optional<Priority> started_as;  // Start
    bool paused_on_engine = false;       // SetPaused
    void leave_engine() {
        on_engine = OnEngine::Nothing;
        started_as.reset();
        paused_on_engine = false;
    }

    // An engine's death is this request's concern: the engine computed it, or may have died of tokenizing it.
    bool exposed() const { return running || on_engine == OnEngine::Submit; }
};

// Returns the message that gives it to an engine: the request, and what there is of its answer already. Without the
// inputs of embeddings.
protocol::Submit submit_of(const RequestRecord& record);

}  // namespace llmd::service
