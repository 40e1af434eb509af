#include "engine/generation/sequence.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace llmd::generation {

using base::ErrorCode;
using base::fail;

namespace {

// A longer prompt is refused without being tokenized if its length shows that it cannot fit: tokenizing megabytes takes
// seconds in which all other requests wait. A shorter one is tokenized, so that the error names its tokens.
constexpr size_t kCountedPromptBytes = 64u << 10;
constexpr size_t kMaxCharacterBytes = 4;  // of UTF-8; an unknown token may stand for one character

// The text of the chat template does not count, since its control tokens may have text of any length.
size_t written_bytes(const GenerationRequest& request) {
    size_t n = request.prompt.size();
    for (const auto& segment : request.conversation) {
        if (segment.special == tokenizer::SpecialTokens::Literal) n += segment.text.size();
    }
    return n;
}

// Returns the most bytes of text that one token can stand for.
size_t longest_token(const tokenizer::Tokenizer& tokenizer) {
    size_t longest = kMaxCharacterBytes;
    std::string bytes;
    for (uint32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
        bytes.clear();
        tokenizer.append_bytes(static_cast<int32_t>(id), bytes);
        longest = std::max(longest, bytes.size());
    }
    return longest;
}

// Returns the most tokens that a prompt may have. A prompt that is not embedded needs room for one more token.
size_t longest_prompt(const GenerationRequest& request, const SequenceLimits& limits) {
    return request.embeds ? limits.n_ctx : limits.n_ctx - 1;
}

base::Result<void> check_ids(const char* field, const std::vector<int32_t>& ids, const SequenceLimits& limits) {
    for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] >= 0 && static_cast<uint32_t>(ids[i]) < limits.n_vocab) continue;
        return fail(ErrorCode::InvalidArgument, field, "[", i, "]: ", ids[i], " is not in the vocabulary of ",
                    limits.n_vocab);
    }
    return {};
}

base::Result<void> check(const GenerationRequest& request, const SequenceLimits& limits) {
    for (size_t i = 0; i < request.stops.size(); ++i) {
        if (request.stops[i].empty()) return fail(ErrorCode::InvalidArgument, "stop: string ", i, " is empty");
    }
    if (auto checked = check_ids("prompt", request.prompt_ids, limits); !checked) return checked;
    if (auto checked = check_ids("replay_ids", request.replay_ids, limits); !checked) return checked;
    if (auto checked = check_ids("stop_token_ids", request.sampling.stop_token_ids, limits); !checked) return checked;
    if (request.sampling.stop_token_ids.size() > kMaxStopTokenIds) {
        return fail(ErrorCode::InvalidArgument, "stop_token_ids: ", request.sampling.stop_token_ids.size(),
                    " ids are more than ", kMaxStopTokenIds);
    }
    if (request.sampling.min_tokens > request.max_tokens && !request.embeds) {
        return fail(ErrorCode::InvalidArgument, "min_tokens: ", request.sampling.min_tokens,
                    " is more than max_tokens, ", request.max_tokens);
    }
    return generation::check(request.sampling, limits.n_vocab);
}

}  // namespace

base::Result<Sequence> Sequence::create(const GenerationRequest& request, const tokenizer::Tokenizer& tokenizer,
                                        const SequenceLimits& limits,
                                        std::shared_ptr<const constraint::TokenTrie> tokens, uint32_t* n_prompt) {
    if (auto checked = check(request, limits); !checked) return checked.error();
    if (const size_t n_bytes = written_bytes(request); n_bytes > kCountedPromptBytes) {
        const size_t n_least = n_bytes / longest_token(tokenizer);
        if (n_least > longest_prompt(request, limits)) {
            return base::context_exceeded(base::concat("at least ", n_least), limits.n_ctx, !request.embeds);
        }
    }

    std::vector<int32_t> prompt_ids = !request.prompt_ids.empty()    ? request.prompt_ids
                                      : request.embeds               ? tokenizer.encode_embedded(request.prompt)
                                      : request.conversation.empty() ? tokenizer.encode_prompt(request.prompt)
                                                                     : tokenizer.encode_prompt(request.conversation);
    if (prompt_ids.empty()) {
        const int32_t id = tokenizer.empty_prompt_id();
        if (id < 0) {
            return fail(ErrorCode::InvalidArgument, "prompt: it is empty, and this model has no token to begin with");
        }
        prompt_ids.push_back(id);
    }
    if (n_prompt != nullptr) *n_prompt = static_cast<uint32_t>(prompt_ids.size());
    if (prompt_ids.size() > longest_prompt(request, limits)) {
        return base::context_exceeded(prompt_ids.size(), limits.n_ctx, !request.embeds);
    }

    Sequence sequence(request, std::move(prompt_ids), tokenizer, limits);
    if (request.grammar) sequence.constraint_.emplace(request.grammar, std::move(tokens));
    for (const int32_t id : request.replay_ids) {
        if (sequence.constraint_ && !sequence.constraint_->allows(id)) {
            return fail(ErrorCode::InvalidArgument, "replay_ids: ", id, " is not what the grammar goes on with");
        }
        if (sequence.end_ || !sequence.accept(id)) break;
    }
    sequence.n_prefill_ = static_cast<uint32_t>(sequence.ids_.size());

    std::string& text = sequence.text_;
    const uint64_t delivered = request.delivered_bytes;
    if (delivered > text.size() || base::utf8_cut(text, delivered) != delivered) {
        return fail(ErrorCode::InvalidArgument, "delivered_bytes: ", delivered,
                    " is no character boundary in the text of replay_ids, which has ", text.size(), " bytes");
    }
    text.erase(0, delivered);
    return sequence;
}

Sequence::Sequence(const GenerationRequest& request, std::vector<int32_t> prompt_ids,
                   const tokenizer::Tokenizer& tokenizer, const SequenceLimits& limits)
    : id_(request.id),
      cache_scope_(request.embeds ? std::string() : request.cache_scope),
      form_field_(!request.regex.empty()     ? "regex"
                  : !request.choices.empty() ? "choices"
                                             : "json_schema"),
      embeds_(request.embeds),
      only_reads_(!request.embeds && request.max_tokens == 0),
      ids_(std::move(prompt_ids)),
      n_prompt_(static_cast<uint32_t>(ids_.size())),
      n_prefill_(n_prompt_),
      max_generated_(embeds_ ? 0 : std::min(std::max(request.max_tokens, 1u), limits.n_ctx - n_prompt_)),
      min_generated_(request.sampling.min_tokens),
      ignores_model_end_ids_(request.sampling.ignore_eos),
      sampler_(request.sampling, limits.n_vocab),
      recording_(request.recording),
      drafter_(n_prompt_ + max_generated_),
      n_vocab_(limits.n_vocab),
      top_logprobs_(request.top_logprobs),
      detokenizer_(tokenizer, request.stops, request.markers) {
    ids_.reserve(max_length());
    for (const int32_t id : tokenizer.end_ids()) {
        if (static_cast<uint32_t>(id) < limits.n_vocab) end_ids_.push_back(id);
    }
    n_model_end_ids_ = end_ids_.size();
    end_ids_.insert(end_ids_.end(), request.sampling.stop_token_ids.begin(), request.sampling.stop_token_ids.end());
}

bool Sequence::accept(int32_t id) {
    if (std::find(end_ids_.begin(), end_ids_.end(), id) != end_ids_.end()) {
        finish(End::Stop);
        return false;
    }
    if (constraint_) (void)constraint_->accept(id);
    ids_.push_back(id);
    text_ += detokenizer_.push(id, ids_.size() - n_prompt_ > min_generated_);
    if (detokenizer_.stopped() || (constraint_ && constraint_->is_final())) {
        finish(End::Stop);
    } else if (ids_.size() >= max_length()) {
        finish(End::Length);
    }
    return true;
}

std::span<const uint32_t> Sequence::allowed_ids() {
    return constraint_ && may_go_on() ? constraint_->allowed().tokens.words() : std::span<const uint32_t>();
}

std::optional<int32_t> Sequence::only_id() {
    return end_ || !constraint_ ? std::nullopt : constraint_->only_id();
}

std::span<const int32_t> Sequence::banned_ids() const {
    if (length() - n_prompt_ < min_generated_) return end_ids_;
    return std::span(end_ids_).first(ignores_model_end_ids_ ? n_model_end_ids_ : 0);
}

bool Sequence::is_done_by_device() const {
    const Sampling& parameters = sampler_.parameters();
    return !constraint_ && !top_logprobs_ && generation::is_done_by_device(parameters) &&
           parameters.logit_bias.size() + end_ids_.size() <= compute::kMaxLogitBiases;
}

Drafter::Context Sequence::draft_context() {
    return {.constraint = constraint(),
            .end_ids = end_ids_,
            .recording = recording_.get(),
            .n_prompt = n_prompt_,
            .n_vocab = n_vocab_};
}

void Sequence::draft(uint32_t most) {
    drafts_.clear();
    if (end_ || n_in_flight_ > 0 || n_awaited_ > 0 || !is_decoding()) return;
    expect_next();
    // The row of the last draft gives a token too, which must have room.
    drafter_.draft(ids_, draft_context(), std::min(most, max_length() - length() - 1), drafts_);
}

compute::SampleRequest Sequence::request() {
    auto request = sampler_.request(ids_, length(), allowed_ids(), banned_ids());
    request.wants_candidates = request.wants_candidates || top_logprobs_;
    return request;
}

void Sequence::list_requests(std::vector<compute::SampleRequest>& requests, RequestData& data) {
    if (drafts_.empty()) {
        requests.push_back(request());
        return;
    }
    const size_t n = ids_.size();
    for (size_t i = 0; i <= drafts_.size(); ++i) {
        if (i > 0) {
            ids_.push_back(drafts_[i - 1].id);
            if (constraint_) (void)constraint_->draft(drafts_[i - 1].id);
        }
        if (i < drafts_.size() && drafts_[i].is_certain) continue;
        auto& added = requests.emplace_back(request());
        // The next request takes the place of what this one refers to.
        added.logit_biases = data.logit_biases.emplace_back(added.logit_biases.begin(), added.logit_biases.end());
        added.allowed = data.masks.emplace_back(added.allowed.begin(), added.allowed.end());
    }
    ids_.resize(n);
    if (constraint_) constraint_->roll_back();
}

std::optional<int32_t> Sequence::recorded() const {
    const size_t n = ids_.size() - n_prompt_;
    if (!recording_ || !recording_->replaces || constraint_ || n >= recording_->ids.size()) return std::nullopt;
    return recording_->ids[n];
}

void Sequence::finish(End end) {
    text_ += detokenizer_.finish();
    end_ = end;
}

}  // namespace llmd::generation
