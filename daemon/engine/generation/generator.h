// All requests of the engine and the step that advances them together. The engine's conversation with llmd and
// llmd-bench drive it; what happens comes out through GeneratorEvents, from inside the call that caused it.
//
// On an asynchronous backend a step of decoding rows that the device samples by itself is followed by the next one
// before its answer is read, so the device never waits for the host. What this next step computed for a sequence that
// has ended, was cancelled or paused meanwhile is discarded: its token is dropped, and its place in the KV pages is
// written again before anyone reads it, since later steps run after it.
//
// Thread-bound, like the backend. After step() has failed it may only be destroyed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/generation/batch.h"
#include "engine/generation/kv_pages.h"
#include "engine/generation/loaded_model.h"
#include "engine/generation/sequence.h"

namespace llmd::generation {

struct Finish {
    std::variant<End, base::Error> how = End::Stop;
    std::string text;  // the last of it
    Sequence::Costs costs;
};

class GeneratorEvents {
public:
    virtual ~GeneratorEvents() = default;
    // `position` tokens of the prompt have been computed, and more are to come.
    virtual void on_prefill(uint64_t id, uint32_t position) = 0;
    // One more token, and the text that became certain with it, often empty; `position` tokens have been computed.
    virtual void on_token(uint64_t id, int32_t token, std::string text, uint32_t position) = 0;
    // The request's last event; its id is free again.
    virtual void on_finished(uint64_t id, const Finish& finish) = 0;
};

class Generator {
public:
    // Model and events must outlive it.
    Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events);
    // Leaves nothing in flight.
    ~Generator();
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    // Tokenizes and holds the request; gives its prompt's tokens. Errors: Sequence::create()'s, and InvalidArgument for
    // an id that is in use.
    base::Result<uint32_t> submit(const GenerationRequest& request);
    // The request's turn has come: it gets its KV pages when those that started earlier leave enough of them.
    void start(uint64_t id);
    // Drops the request without an event. Like start() and set_paused() it ignores an unknown id, because a request may
    // end while the message is on its way.
    void cancel(uint64_t id);
    void set_paused(uint64_t id, bool paused);

    // step() would compute or deliver something.
    bool has_work() const;
    // Advances every request that can be: delivers what one step of the device gave. A row whose logits are not finite
    // ends that request alone; an error is the device's.
    base::Result<void> step();

private:
    using Clock = std::chrono::steady_clock;

    // A step of the device. A part whose sequence is null is discarded.
    struct Flight {
        Batch batch;
        std::vector<compute::SampleRequest> requests;
        bool is_in_flight = false;
        Clock::time_point submitted;
    };

    Sequence* find(uint64_t id);
    base::Result<void> admit();
    // Submits a step of what is pending, if there is anything.
    base::Result<void> launch(Flight& flight);
    // The next step may be submitted before this one's answer is read.
    bool may_be_followed(const Flight& flight) const;
    // Waits for the step and tells what it gave.
    base::Result<void> land(Flight& flight);
    base::Result<void> deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output);
    // Nothing that is in flight reaches the sequence.
    void discard(const Sequence& sequence);
    void finish(Sequence& sequence, std::variant<End, base::Error> how);
    void drop(uint64_t id);

    LoadedModel& model_;
    GeneratorEvents& events_;
    KvPages pages_;
    PrefillPace pace_;
    std::map<uint64_t, std::unique_ptr<Sequence>> sequences_;
    std::vector<Sequence*> started_;  // in the order of their start: those with a slot, then those that wait for one
    Flight current_;                  // the oldest step in flight
    Flight following_;                // the one behind it
    Clock::time_point landed_;
};

}  // namespace llmd::generation
