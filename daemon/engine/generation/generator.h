// Batches all requests of the engine: step() advances them together. EngineServer and llmd-bench drive it. Events come
// through GeneratorEvents from inside the call that caused them.
//
// Steps ahead: on an asynchronous backend a step whose rows all decode and are sampled by the device is followed by the
// next step before its answer is read, so that the device never waits for the host. If a sequence has ended or was
// cancelled or paused meanwhile, the result of the next step is discarded: its token is dropped, and its position in
// the KV pages is written again before it is read, since later steps run after it.
//
// Preemption: at most BackendLimits::max_outputs sequences compute at a time. The other slots keep the pages of paused
// sequences. If a sequence that is to compute finds no slot or too few pages, others are evicted: first paused ones,
// then those of a higher rank than its own, each time the highest rank first and within it the one that started last.
// An evicted sequence is computed again from its tokens when it is admitted again, bit for bit (numeric contract).
//
// Prefix cache: whole pages of a sequence are kept for sequences of the same cache scope that begin alike, itself
// included, until the pages are needed. A page enters the cache once logits computed from it were finite, and leaves it
// if later logits of the sequence are not. The on-disk prefix cache (disk_prefix_cache.h) outlives the engine.
//
// Constraints: if only one token is allowed it is accepted without sampling; several such tokens are computed in one
// step.
//
// Speculation: a decoding sequence may have drafted tokens (drafter.h) computed together with its pending ones. The
// token that each of these rows gives is sampled as ever; the rows behind one that gives another token than was drafted
// are thrown away, as if they had not been computed: their positions are written again before they are read. By the
// numeric contract the tokens are those of single steps, bit for bit. Drafts are computed where they give more tokens
// in the same time, by what rows cost on this device and by how often this sequence's drafts would have been right
// (row_costs.h). A step with drafts is not followed ahead.
//
// Embeddings: such a request takes part in prefill alone. If it is evicted, it starts over.
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
#include "engine/generation/kv_cache/disk_prefix_cache.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/generation/loaded_model.h"
#include "engine/generation/sampling/sampler.h"
#include "engine/generation/sequence.h"
#include "engine/generation/speculation/row_costs.h"

namespace llmd::generation {

struct Finish {
    std::variant<End, base::Error> how = End::Stop;
    std::string text;  // the last part of it
    Sequence::Costs costs;
    std::vector<float> embedding;  // the result of a request that embeds
    std::string stop = {};         // the stop string before which the text ends; empty: another end
};

class GeneratorEvents {
public:
    virtual ~GeneratorEvents() = default;
    // The request has its KV pages and begins, also when it begins again after an eviction. `cached_tokens` of its
    // prompt need not be computed.
    virtual void on_started(uint64_t id, uint32_t cached_tokens) = 0;
    // `position` tokens of the prompt have been computed, and more are to come.
    virtual void on_prefill(uint64_t id, uint32_t position) = 0;
    // One more token was generated. `text` became certain with it and is often empty; `position` tokens have been
    // computed. `logprobs` is null if the request does not want them.
    virtual void on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                          const TokenLogprobs* logprobs) = 0;
    // The request's last event; its id is free again.
    virtual void on_finished(uint64_t id, const Finish& finish) = 0;
};

class Generator {
public:
    // Model and events must outlive it. `store` has pages of this model and backend; without it nothing is saved.
    Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events, std::optional<PrefixStore> store = {});
    // Waits for the steps in flight.
    ~Generator();
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    // Tokenizes the request and keeps it until start(). `n_prompt` and the errors are those of Sequence::create(), and
    // InvalidArgument for an id that is in use.
    base::Result<void> submit(const GenerationRequest& request, uint32_t* n_prompt = nullptr);
    // Starts the request: it gets its KV pages when requests of lower ranks, and those of its rank that started
    // earlier, leave enough of them. A second call changes the rank only.
    void start(uint64_t id, uint32_t rank = 0);
    // Drops the request without an event. An unknown id is ignored here, in start() and in set_paused(), because a
    // request may end while the command is on its way.
    void cancel(uint64_t id);
    void set_paused(uint64_t id, bool paused);
    // Evicts the paused requests and empties the prefix cache, except for pages in use. Files stay.
    void drop_cache();
    // Allows a step to be submitted before the answer of the previous one is read. If it is not allowed, an
    // asynchronous device is idle between two calls of step().
    void set_runs_ahead(bool runs_ahead) { runs_ahead_ = runs_ahead; }
    // Tokens that are likely to come are computed together with the one before them, where that saves time. It changes
    // no token.
    void set_speculates(bool speculates) { speculates_ = speculates; }
    bool speculates() const { return speculates_; }
    // Sets the costs of rows, in place of what has been measured.
    void set_row_costs(const RowCosts& costs) { row_costs_ = costs; }

    KvPages::Counts page_counts() const { return pages_.counts(); }

    // True if step() would compute or deliver something.
    bool has_work() const;
    // Advances every request that can advance, by one step of the device. A row whose logits are not finite ends that
    // request alone; an error is the device's.
    base::Result<void> step();
    // Delivers the results of the step in flight, if there is one, and submits no other. Then the device has nothing to
    // do until the next call of step() or save_next(). An error is the device's.
    base::Result<void> settle();

    // True if save_next() would save something.
    bool has_unsaved() const { return disk_cache_ && disk_cache_->has_unsaved(); }
    // Saves one page of a prefix. It may take as long as a step, so it should run when there is no work. An error is
    // the device's.
    base::Result<void> save_next();

private:
    using Clock = std::chrono::steady_clock;

    // A step that the device computes. The result of a part whose sequence is null is discarded.
    struct DeviceStep {
        Batch batch;
        std::vector<compute::SampleRequest> requests;
        RequestData request_data;
        bool is_in_flight = false;
        Clock::time_point submitted;
    };

    Sequence* find(uint64_t id);
    // Chooses the sequences of the next step, and gives them their pages.
    base::Result<void> admit();
    // Frees a slot and pages for the sequence by evicting others; false if those that go before it hold too many.
    bool make_room(const Sequence& sequence);
    base::Result<void> give_pages(Sequence& sequence);
    void evict(Sequence& sequence);
    bool may_draft() const;
    // Drafts tokens of the sequences of the next step, as far as they are worth their rows.
    void draft();
    // Submits a step of the pending tokens, if there are any.
    base::Result<void> launch(DeviceStep& step);
    // Returns how many drafts of chances_ each sequence of a step should have.
    std::vector<uint32_t> worthwhile(size_t n_sequences, uint32_t n_rows, uint32_t n_tokens, bool may_run_ahead) const;
    // True if the sequences of the step are likely to be worth drafts behind it, for which their tokens must be known.
    bool expects_drafts(const DeviceStep& step);
    // True if the next step may be submitted before this one's answer is read.
    bool may_be_followed(const DeviceStep& step);
    // Waits for the step and delivers its results.
    base::Result<void> complete(DeviceStep& step);
    // The tokens that the outputs of a part give, from output `first` of the step on: that of its last pending token,
    // and those of its drafts as long as they are the tokens that come. The step's drafts took `of_drafts`.
    base::Result<void> deliver_all(const Batch::Part& part, std::span<const compute::Sampled> sampled, uint32_t first,
                                   std::chrono::microseconds of_drafts);
    // One output's. Returns false if the request has ended: then the sequence is gone.
    base::Result<bool> deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output);
    // Accepts the token and reports it; `logprobs` is null if the request does not want them.
    void accept(Sequence& sequence, int32_t id, const TokenLogprobs* logprobs);
    // Accepts the tokens that follow without an alternative.
    void accept_only_ids(Sequence& sequence);
    // Reads residual_ of a completed step if a request in it embeds.
    base::Result<void> read_residual(const Batch& batch);
    // Adds the sequence's next rows to its embedding, and finishes it after the last.
    void pool(Sequence& sequence, std::span<const float> rows);
    // Discards the results in flight of the sequence.
    void discard(const Sequence& sequence);
    void finish(Sequence& sequence, std::variant<End, base::Error> how, std::vector<float> embedding = {});
    void drop(uint64_t id);

    // Returns the trie of the vocabulary, which is built for the first request with a grammar.
    // The vocabulary for the grammar of a request.
    std::shared_ptr<const constraint::TokenTrie> tokens(const GenerationRequest& request);
    // Ends a sequence whose grammar allows no token: its text is complete, or no token of this model continues it.
    void end_without_token(Sequence& sequence);

    LoadedModel& model_;
    GeneratorEvents& events_;
    std::shared_ptr<const constraint::TokenTrie> tokens_, tokens_with_markers_;  // once they are needed
    LogprobReader logprob_reader_;
    KvPages pages_;
    std::optional<DiskPrefixCache> disk_cache_;
    PrefillPace pace_;
    std::map<uint64_t, std::unique_ptr<Sequence>> sequences_;
    std::vector<Sequence*> started_;    // by rank, then in the order of their start
    std::vector<Sequence*> computing_;  // those of started_ that admit() chose
    DeviceStep current_;                // the oldest step in flight
    DeviceStep following_;              // the one after it
    std::vector<float> residual_;       // of the rows of the completed step
    Clock::time_point completed_;
    bool runs_ahead_ = true;
    bool speculates_ = true;
    RowCosts row_costs_;
    std::vector<DraftChance> chances_;
};

}  // namespace llmd::generation
