// The log of a request: everything that is needed to continue it on another engine and to say how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "engines/engine_fault.h"
#include "engines/model_catalogue.h"
#include "service/model_reference.h"
#include "service/request.h"
#include "service/route.h"

namespace llmd::service {

struct RequestRecord {
    RequestId id = 0;
    GenerateRequest request;
    RequestSink* sink = nullptr;
    ModelReference model;
    uint64_t seed = 0;

    base::TimePoint submitted;
    std::optional<base::TimePoint> started;  // first handed to an engine's batch
    std::optional<base::TimePoint> first_token;
    base::EventLoop::TimerId deadline_timer = 0;

    bool running = false;   // it has a slot, whether or not an engine has it at the moment
    bool accepted = false;  // the prompt's length is known
    bool told = false;      // so does the sink, which from then on is told of this model only
    bool paused = false;    // its client does not read
    bool held = false;      // it may not go to its remote yet
    uint32_t prompt_tokens = 0;
    uint32_t cached_tokens = 0;  // of them, when they were first computed
    uint32_t resumed = 0;        // as in protocol::Usage

    // Of a request for embeddings.
    size_t n_checked = 0;  // inputs that this engine has found to fit, until all do: then accepted
    std::vector<std::vector<float>> embeddings;  // of the first inputs

    Route route;                     // `model` is where it has got to
    std::vector<std::string> notes;  // that the sink is to be told of first

    // Its model's engine has it, or had it and will go on with it.
    bool has_been_handed_over() const { return running || started.has_value(); }
    // Another model may still be asked instead of this one.
    bool may_move_on() const { return !told && route.fallback.has_more(request.fallback); }
    // The same request as it was before any model had it.
    void begin_anew(ModelReference next) {
        RequestRecord fresh;
        fresh.id = id;
        fresh.request = std::move(request);
        fresh.sink = sink;
        fresh.model = std::move(next);
        fresh.seed = seed;
        fresh.submitted = submitted;
        fresh.deadline_timer = deadline_timer;
        fresh.paused = paused;
        fresh.route = std::move(route);
        *this = std::move(fresh);
    }

    // What a replay sends.
    std::vector<int32_t> ids;
    uint64_t delivered_bytes = 0;  // of the text behind `ids`; an echoed prompt does not count

    std::optional<engines::FileIdentity> file;  // of the model that made `ids`
    std::string profile;                        // of the engine that made the last id
    bool profile_changed = false;
    engines::FaultCount faults;

    // Of the parts that have been delivered.
    uint32_t n_calls = 0;       // that have begun
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

    // On the engine that runs now.
    bool sent = false;                   // Submit
    bool answered = false;               // Accepted
    std::optional<Priority> started_as;  // Start
    bool told_paused = false;            // SetPaused
    void forget_engine() {
        sent = answered = told_paused = false;
        started_as.reset();
    }

    // An engine's death is this request's concern: the engine computed it, or may have died of tokenizing it.
    bool exposed() const { return running || (sent && !answered); }
};

// What an engine is told of it: the request, and what there is of its answer already. Without the inputs of embeddings.
protocol::Submit submit_of(const RequestRecord& record);

}  // namespace llmd::service
