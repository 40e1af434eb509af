// All requests of the engine and the step that advances them together. The engine's conversation with llmd and
// llmd-bench drive it; what happens comes out through GeneratorEvents, from inside the call that caused it.
//
// On an asynchronous backend a step of decoding rows that the device samples by itself is followed by the next one
// before its answer is read, so the device never waits for the host. What this next step computed for a sequence that
// has ended, was cancelled or paused meanwhile is discarded: its token is dropped, and its place in the KV pages is
// written again before anyone reads it, since later steps run after it.
//
// At most BackendLimits::max_outputs sequences compute at a time; a slot more than that each keeps the pages of those
// that are paused. When one that is to compute finds no slot or too few pages, others lose theirs and are rebuilt from
// their tokens when it is their turn again, bit for bit (numeric contract): first paused ones, then those of a higher
// rank than its own, each time the highest rank first and of that the one that started last.
//
// What has been computed of a sequence, whole pages of it, is kept for those of the same cache scope that begin alike,
// itself included, until somebody needs the pages: not before logits computed from them were finite, and not if others
// of that sequence are not. With files for it (saved_prefixes.h) some of it outlives the engine.
//
// Where a constraint leaves one token only it is taken without being sampled; several such tokens are computed in one
// step.
//
// A request that embeds takes part in prefill alone. Where its pages are taken from it, it starts over.
//
// Thread-bound, like the backend. After step() has failed it may only be destroyed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/generation/batch.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/generation/kv_cache/saved_prefixes.h"
#include "engine/generation/loaded_model.h"
#include "engine/generation/sampling/logprobs.h"
#include "engine/generation/sequence.h"

namespace llmd::generation {

struct Finish {
    std::variant<End, base::Error> how = End::Stop;
    std::string text;  // the last of it
    Sequence::Costs costs;
    std::vector<float> embedding;  // of a request that embeds and has succeeded
};

class GeneratorEvents {
public:
    virtual ~GeneratorEvents() = default;
    // It has its KV pages, and begins; again after it had to give them away. `cached_tokens` of its prompt need not be
    // computed.
    virtual void on_started(uint64_t id, uint32_t cached_tokens) = 0;
    // `position` tokens of the prompt have been computed, and more are to come.
    virtual void on_prefill(uint64_t id, uint32_t position) = 0;
    // One more token, and the text that became certain with it, often empty; `position` tokens have been computed.
    // `logprobs`, where they are wanted, are the token's; else null.
    virtual void on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                          const TokenLogprobs* logprobs) = 0;
    // The request's last event; its id is free again.
    virtual void on_finished(uint64_t id, const Finish& finish) = 0;
};

class Generator {
public:
    // Model and events must outlive it. `store` has pages of this model and backend; without, nothing is saved.
    Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events, std::optional<PrefixStore> store = {});
    // Leaves nothing in flight.
    ~Generator();
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    // Tokenizes and holds the request. `n_prompt`: as in Sequence::create(). Errors: those of that, and InvalidArgument
    // for an id that is in use.
    base::Result<void> submit(const GenerationRequest& request, uint32_t* n_prompt = nullptr);
    // The request's turn has come: it gets its KV pages when those of its rank that started earlier, and those of lower
    // ranks, leave enough of them. Again: only its rank changes.
    void start(uint64_t id, uint32_t rank = 0);
    // Drops the request without an event. Like start() and set_paused() it ignores an unknown id, because a request may
    // end while the message is on its way.
    void cancel(uint64_t id);
    void set_paused(uint64_t id, bool paused);
    // Takes the pages of those that are paused, which are rebuilt when it is their turn again, and all that is kept of
    // others but for what is in use; files stay.
    void drop_cache();
    // Whether a step may be submitted before the answer of the one before is read. Without, an asynchronous device
    // rests between two calls of step().
    void set_runs_ahead(bool runs_ahead) { runs_ahead_ = runs_ahead; }

    KvPages::Counts page_counts() const { return pages_.counts(); }

    // step() would compute or deliver something.
    bool has_work() const;
    // Advances every request that can be: delivers what one step of the device gave. A row whose logits are not finite
    // ends that request alone; an error is the device's.
    base::Result<void> step();

    // save_next() would save something.
    bool has_unsaved() const { return saved_ && saved_->has_unsaved(); }
    // Saves one page of a prefix. For when there is no work: it may take as long as a step. An error is the device's.
    base::Result<void> save_next();

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
    // Finds who computes next, and gives them their pages.
    base::Result<void> admit();
    // A slot and pages for the sequence, others' if need be; false when those that go before it have them.
    bool make_room(const Sequence& sequence);
    base::Result<void> give_pages(Sequence& sequence);
    void evict(Sequence& sequence);
    // Submits a step of what is pending, if there is anything.
    base::Result<void> launch(Flight& flight);
    // The next step may be submitted before this one's answer is read.
    bool may_be_followed(const Flight& flight) const;
    // Waits for the step and tells what it gave.
    base::Result<void> land(Flight& flight);
    base::Result<void> deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output);
    // The sequence goes on with this token; null where nobody asked for logprobs.
    void take(Sequence& sequence, int32_t id, const TokenLogprobs* logprobs);
    // And with those behind it that have no alternative.
    void take_only_ids(Sequence& sequence);
    // Reads residual_ of a step that has landed, if somebody embeds in it.
    base::Result<void> read_residual(const Batch& batch);
    // Adds the sequence's next rows to its embedding, and ends it with the last.
    void pool(Sequence& sequence, std::span<const float> rows);
    // Nothing that is in flight reaches the sequence.
    void discard(const Sequence& sequence);
    void finish(Sequence& sequence, std::variant<End, base::Error> how, std::vector<float> embedding = {});
    void drop(uint64_t id);

    // Of the vocabulary, made when a grammar first asks for it.
    std::shared_ptr<const constraint::TokenTrie> tokens();
    // Its grammar allows no token: the text is whole, or this model cannot spell what it lacks.
    void end_without_token(Sequence& sequence);

    LoadedModel& model_;
    GeneratorEvents& events_;
    std::shared_ptr<const constraint::TokenTrie> tokens_;
    LogprobReader logprob_reader_;
    KvPages pages_;
    std::optional<SavedPrefixes> saved_;
    PrefillPace pace_;
    std::map<uint64_t, std::unique_ptr<Sequence>> sequences_;
    std::vector<Sequence*> started_;    // by rank, then in the order of their start
    std::vector<Sequence*> computing_;  // the first of these, as admit() found them
    Flight current_;                    // the oldest step in flight
    Flight following_;                  // the one behind it
    std::vector<float> residual_;       // of the rows of the step that lands
    Clock::time_point landed_;
    bool runs_ahead_ = true;
};

}  // namespace llmd::generation
