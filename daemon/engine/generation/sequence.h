// One request inside the engine: its tokens, how many of them have been computed, its text and its end. A sequence
// knows nothing of batches and devices; the generator asks it what to compute and tells it what was sampled.
// Thread-bound. The tokenizer must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/generation/constraint/constraint.h"
#include "engine/generation/forward.h"
#include "engine/generation/sampling/sampler.h"
#include "engine/generation/speculation/drafter.h"
#include "engine/tokenizer/stream_detokenizer.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::generation {

// A request and how this engine answers it. Messages, tools and schema have become `conversation`,
// `markers` and `grammar` (server/answer_syntax.h). At most kMaxStopTokenIds tokens end generation as the model's end
// tokens do; they are no part of the text. min_tokens, at most max_tokens, are generated before one of them is sampled,
// and stop strings are looked for in the text behind these. A grammar goes before min_tokens and ignore_eos: where it
// allows nothing but tokens that end the text, or where nothing can follow the text, it ends.
struct GenerationRequest : protocol::Submit {
    std::vector<tokenizer::TextSegment> conversation;  // instead of a prompt: one that is rendered; empty: none
    // The control tokens whose text counts, ascending (chat/call_syntax.h): the same of every request of a model that
    // has any.
    std::vector<int32_t> markers;
    std::shared_ptr<const constraint::Grammar> grammar;  // that the text must match; null: any text
    std::shared_ptr<const Recording> recording;          // for measurements; null: none
};

// The data that the requests of one step refer to where a sequence has several.
struct RequestData {
    std::deque<std::vector<compute::LogitBias>> logit_biases;
    std::deque<std::vector<uint32_t>> masks;

    void clear() {
        logit_biases.clear();
        masks.clear();
    }
};

enum class End : uint8_t {
    Stop,    // an end token or a stop token (no part of the text), a stop string, or the end of the grammar's text
    Length,  // max_tokens are generated, or the context is full
};

struct SequenceLimits {
    uint32_t n_ctx = 0;  // prompt and answer together
    uint32_t n_vocab = 0;
};

class Sequence {
public:
    // Tokenizes the prompt and replays `replay_ids`. ContextExceeded names the prompt's tokens and n_ctx if the prompt
    // leaves no room for a token (for an embedding, if it exceeds the context); InvalidArgument names the field and its
    // value. `tokens` must be given if the request has a grammar.
    // `n_prompt`, if given, becomes the number of the prompt's tokens, even if an error follows.
    static base::Result<Sequence> create(const GenerationRequest& request, const tokenizer::Tokenizer& tokenizer,
                                         const SequenceLimits& limits,
                                         std::shared_ptr<const constraint::TokenTrie> tokens = nullptr,
                                         uint32_t* n_prompt = nullptr);

    uint64_t id() const { return id_; }
    const std::string& cache_scope() const { return cache_scope_; }
    std::string_view form_field() const { return form_field_; }  // of the request, that its grammar is of; for messages
    bool embeds() const { return embeds_; }
    // The answer has no tokens; the one that the end of the prompt gives is discarded.
    bool only_reads() const { return only_reads_; }
    uint32_t n_prompt() const { return n_prompt_; }
    // The most tokens that this sequence can have.
    uint32_t max_length() const { return n_prompt_ + max_generated_; }
    // Prompt and answer so far.
    std::span<const int32_t> ids() const { return ids_; }
    uint32_t n_computed() const { return n_computed_; }
    // The tokens that are computed or in flight.
    uint32_t n_scheduled() const { return n_computed_ + n_in_flight_; }
    // ids() and the tokens that are being sampled.
    uint32_t length() const { return static_cast<uint32_t>(ids_.size()) + n_awaited_; }
    // The tokens to schedule. There is at least one until the end, since computing the last token gives the next one;
    // there is none if the token being sampled is the last that fits. For an embedding these are the prompt's tokens
    // that have not been scheduled.
    uint32_t n_pending() const { return embeds_ || length() < max_length() ? length() - n_scheduled() : 0; }
    // True if the last token of the prefill has been computed or is in flight.
    bool is_decoding() const { return length() > n_prefill_; }

    // n pending tokens are in flight now; if `samples`, the next token is being sampled.
    void schedule(uint32_t n, bool samples) {
        n_in_flight_ += n;
        n_awaited_ += samples ? 1 : 0;
    }
    // The oldest n tokens in flight are in the KV pages now; if `sampled`, a call of accept() follows.
    void arrive(uint32_t n, bool sampled) {
        n_computed_ += n;
        n_in_flight_ -= n;
        n_awaited_ -= sampled ? 1 : 0;
    }
    // The tokens in flight are pending again, because their results are discarded.
    void recall() {
        n_in_flight_ = n_awaited_ = 0;
        drafts_.clear();
    }

    // --- Speculation: tokens that are expected behind ids() are computed with the pending ones, and thrown away where
    // something else is sampled.
    // Learns from the tokens since the last call, and expects the next one.
    void expect_next() { drafter_.follow(ids_, draft_context()); }
    // The probability of that; 0 if nothing is expected.
    double expectation() const { return drafter_.expectation(); }
    // Drafts at most `most` tokens; none while tokens are in flight, or before the answer's first token.
    void draft(uint32_t most);
    // Those behind ids() that are to be computed with the pending tokens.
    std::span<const Draft> drafts() const { return drafts_; }
    // Keeps the first n.
    void keep_drafts(uint32_t n) { drafts_.resize(n); }
    std::vector<Draft> take_drafts() { return std::exchange(drafts_, {}); }
    // The row of a draft is in the KV pages: it is the token behind those that are computed.
    void arrive_draft() { ++n_computed_; }
    // The device's requests for the token behind the pending ones, and behind each draft that is not followed by a
    // certain one. They refer to the sequence until it changes, and with drafts to `data`.
    void list_requests(std::vector<compute::SampleRequest>& requests, RequestData& data);
    // The recorded token that comes next, if there is one.
    std::optional<int32_t> recorded() const;
    // The first n tokens are in the KV pages already.
    // Precondition: none has been computed, n < ids().size().
    void take_cached(uint32_t n) { n_computed_ = n; }
    // The KV pages are gone: all tokens are pending as prefill.
    void forget_pages() {
        recall();
        n_computed_ = 0;
        n_prefill_ = static_cast<uint32_t>(ids_.size());
    }
    // Appends the next token. Returns false if it is an end token or a stop token, which is no part of the answer.
    // Precondition: !end(), and the constraint allows it.
    bool accept(int32_t id);
    // Ends the answer without another token.
    void stop() { finish(End::Stop); }

    std::optional<End> end() const { return end_; }
    // Returns the text that became certain since the last call, as valid UTF-8, and after the end the rest of it.
    std::string take_text() { return std::exchange(text_, {}); }
    // Returns the stop string that ended the text, or nothing.
    const std::string& stop_string() const { return detokenizer_.stop(); }

    Sampler& sampler() { return sampler_; }
    // Null without a grammar.
    constraint::Constraint* constraint() { return constraint_ ? &*constraint_ : nullptr; }
    // True if some token is allowed next.
    bool may_go_on() { return !constraint_ || constraint_->allowed().n > 0; }
    // The allowed tokens, as compute::SampleRequest::allowed; empty if all are allowed or none. Valid until the
    // constraint changes or drafts.
    std::span<const uint32_t> allowed_ids();
    // The next token if exactly one is allowed; nothing after the end.
    std::optional<int32_t> only_id();
    // The tokens that must not be sampled at position length() (Sampler::request()), because of min_tokens or
    // ignore_eos. They yield to allowed_ids(): if all of those are banned one of them is sampled. They do not depend on
    // tokens that are in flight. Valid as long as the sequence.
    std::span<const int32_t> banned_ids() const;
    // True if the token that the device samples is the next token, so that the device can go on before the host sees
    // it: neither the request for a token nor the choice depends on the tokens before it.
    bool is_done_by_device() const;
    std::optional<uint32_t> top_logprobs() const { return top_logprobs_; }

    // The time that this engine spent on the sequence; the generator writes it.
    struct Costs {
        uint32_t prefill_tokens = 0;
        uint32_t decode_tokens = 0;
        std::chrono::microseconds prefill_time{};
        std::chrono::microseconds decode_time{};
        // Speculation counts tokens that were drafted, and those of them whose rows gave a token of the answer; the
        // time of drafted rows, by what rows cost on this device (RowCosts), and what the others had of it. Both are
        // part of decode_time. The host's time for drafting, whether rows came of it or not, is no part of it.
        uint32_t drafted = 0;
        uint32_t accepted = 0;
        std::chrono::microseconds draft_time{};
        std::chrono::microseconds rejected_time{};
        std::chrono::nanoseconds look_up_time{};
    } costs;
    bool paused = false;
    uint32_t rank = 0;               // sequences of smaller ranks go first
    std::optional<uint32_t> slot;    // while it has KV pages
    std::optional<Pooling> pooling;  // of an embedding, while it has KV pages

private:
    Sequence(const GenerationRequest& request, std::vector<int32_t> prompt_ids, const tokenizer::Tokenizer& tokenizer,
             const SequenceLimits& limits);

    void finish(End end);
    Drafter::Context draft_context();
    compute::SampleRequest request();

    uint64_t id_;
    std::string cache_scope_;
    std::string_view form_field_;
    bool embeds_;
    bool only_reads_;
    std::vector<int32_t> ids_;
    uint32_t n_prompt_;
    uint32_t n_prefill_;  // the prompt, and after an eviction the tokens that are computed again
    uint32_t max_generated_;
    uint32_t min_generated_;
    std::vector<int32_t> end_ids_;  // the model's end tokens, then the stop tokens; all in the vocabulary
    size_t n_model_end_ids_ = 0;
    bool ignores_model_end_ids_;
    uint32_t n_computed_ = 0;
    uint32_t n_in_flight_ = 0;
    uint32_t n_awaited_ = 0;  // tokens that are being sampled
    Sampler sampler_;
    std::optional<constraint::Constraint> constraint_;
    std::shared_ptr<const Recording> recording_;
    Drafter drafter_;
    std::vector<Draft> drafts_;
    uint32_t n_vocab_;
    std::optional<uint32_t> top_logprobs_;
    tokenizer::StreamDetokenizer detokenizer_;
    std::string text_;
    std::optional<End> end_;
};

}  // namespace llmd::generation
