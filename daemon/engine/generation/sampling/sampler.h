// Samples the next token of one sequence, and reads the logprobs of tokens. The chain of the sampler has this order:
// penalties, logit bias and bans, top-k, top-p, min-p, temperature. Top-p and min-p use the distribution before
// temperature; top-p uses what top-k kept, renormalised. One token is then drawn by Gumbel-max with noise.h's hash of
// (seed, position, id), so that the token depends on the logits, the parameters, the position and the tokens before it
// only.
//
// The penalties count as llama.cpp does: all three look at the last repeat_last_n tokens, prompt and answer together.
// (OpenAI and vLLM count the answer alone for presence and frequency penalty.) An id that is in this window gets
//     logit = (logit > 0 ? logit / repeat_penalty : logit * repeat_penalty)
//             - (presence_penalty + its occurrences * frequency_penalty)
// and its logit bias is added to that; llama.cpp adds the bias first, which differs only if the id has a repeat penalty
// too. A banned id gets kBan added, which no other logit comes near: it is chosen only if nothing else takes part.
//
// All of this is one compute::LogitBias for each id. The device takes kMaxLogitBiases of them; if there are more, the
// row's logits are read whole, and the host biases them and samples, with the same result.
//
// The device does greedy sampling and plain temperature by itself. The filters work on the candidates that it returns;
// if those do not provably hold the kept set, the row's logits are read whole, with the same result.
//
// If the request has a mask (compute::SampleRequest::allowed), only its ids take part. It applies after the
// logit biases. Thread-bound, one a sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "protocol/ask.h"

namespace llmd::generation {

// A lower temperature counts as 0. At this one a lead of 0.01 in logits is already a factor of e^100, and
// logit / temperature must stay a finite float.
inline constexpr float kLeastTemperature = 1e-4f;
inline constexpr float kMaxTemperature = 1e6f;  // far from kBan; logits mean nothing long before

inline constexpr int32_t kWholeContext = -1;    // as repeat_last_n
inline constexpr float kMaxPenalty = 2;         // of presence_penalty and frequency_penalty, either sign; OpenAI's
inline constexpr size_t kMaxLogitBias = 300;    // ids; OpenAI's
inline constexpr float kMaxBias = 100;          // either sign; OpenAI's
inline constexpr size_t kMaxStopTokenIds = 64;  // Sampling::stop_token_ids
// This is added to the logit of a banned id. No model's logits come near it, and kBan / kLeastTemperature is finite.
inline constexpr float kBan = -1e34f;

using protocol::Sampling;

// InvalidArgument names a parameter and its value: a NaN, a number out of its range, too many biases, or one of an id
// that a vocabulary of n_vocab does not have. A bias is -kMaxBias to kMaxBias, or -infinity, which bans the id.
base::Result<void> check(const Sampling& sampling, uint32_t n_vocab);
// True if some penalty depends on the tokens so far.
inline bool penalises(const Sampling& sampling) {
    return sampling.repeat_last_n != 0 &&
           (sampling.repeat_penalty != 1 || sampling.presence_penalty != 0 || sampling.frequency_penalty != 0);
}
inline bool is_greedy(const Sampling& sampling) {
    return sampling.temperature < kLeastTemperature || sampling.top_k == 1;
}
// True if some filter may drop an id, so that the device's argmax is not enough.
inline bool filters(const Sampling& sampling) {
    return !is_greedy(sampling) && (sampling.top_k > 0 || sampling.top_p < 1 || sampling.min_p > 0);
}
// True if the device's id is the result and depends on no earlier tokens that the host would have to send.
inline bool is_done_by_device(const Sampling& sampling) {
    return !filters(sampling) && !penalises(sampling);
}

// Returns how many of `candidates` pass top-k, top-p and min-p, which is at least one. They are the largest logits of a
// row, by falling logit and then rising id. Returns nothing if ids that are not listed, each with a logit of at most
// `floor`, might belong to the kept set. log_sum_exp is that of the whole row.
std::optional<size_t> kept_candidates(std::span<const compute::Candidate> candidates, float floor, float log_sum_exp,
                                      uint32_t n_vocab, const Sampling& parameters);

// True if a mask (compute::SampleRequest::allowed) has the id; an empty mask has all ids.
inline bool takes_part(std::span<const uint32_t> allowed, uint32_t id) {
    return allowed.empty() || (allowed[id / 32] >> id % 32 & 1) != 0;
}

// Removes the candidates that tie with the floor at the end, since others that tie with it may be missing.
inline std::span<const compute::Candidate> above_floor(std::span<const compute::Candidate> candidates, float floor) {
    while (!candidates.empty() && candidates.back().logit <= floor) {
        candidates = candidates.first(candidates.size() - 1);
    }
    return candidates;
}

// Reads a whole row of logits, for the rare case that the device's candidates are too few.
class WholeRow {
public:
    explicit WholeRow(uint32_t n_vocab) : n_vocab_(n_vocab) {}

    // Returns all ids of the output-th row of the last completed step that `allowed` has, by rising id. `unsent` are
    // the logit biases that the device has not made. The result is valid until the next call, and may be sorted in
    // place.
    base::Result<std::span<compute::Candidate>> read(uint32_t output, compute::Backend& backend,
                                                     std::span<const uint32_t> allowed,
                                                     std::span<const compute::LogitBias> unsent);

private:
    uint32_t n_vocab_;
    std::vector<float> logits_;
    std::vector<compute::Candidate> candidates_;
};

class Sampler {
public:
    // Precondition: check(parameters, n_vocab) succeeded.
    Sampler(const Sampling& parameters, uint32_t n_vocab) : parameters_(parameters), n_vocab_(n_vocab), row_(n_vocab) {}

    const Sampling& parameters() const { return parameters_; }

    // Returns the device's request for the token at `position`, which follows `ids`. If the device does the sampling by
    // itself, `position` may be further on. The ids in `banned` must not be chosen; they are in the vocabulary. The
    // request is valid until the next call, and as long as `allowed` is.
    compute::SampleRequest request(std::span<const int32_t> ids, uint32_t position,
                                   std::span<const uint32_t> allowed = {}, std::span<const int32_t> banned = {});
    // The logit biases of the last request() that are too many for the device, so that it has made none of them; mostly
    // empty. Always empty if the parameters are done by the device and logit_bias and `banned` have at most
    // kMaxLogitBiases ids together.
    std::span<const compute::LogitBias> unsent() const;

    // Returns the id at `position`, from the device's answer to request() for the output-th row of the last completed
    // step, and the mask of that request, which was the last one if it had unsent() logit biases. Precondition: the
    // answer is finite. Errors are the device's.
    base::Result<int32_t> choose(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                 compute::Backend& backend, std::span<const uint32_t> allowed = {});

private:
    void list_logit_biases(std::span<const int32_t> ids, std::span<const int32_t> banned);
    // Samples from all logits of the row, because the device's candidates are too few or it lacks logit biases.
    base::Result<int32_t> choose_of_all(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                        compute::Backend& backend, std::span<const uint32_t> allowed);
    int32_t draw(std::span<const compute::Candidate> kept, uint32_t position) const;

    Sampling parameters_;
    uint32_t n_vocab_;
    std::vector<int32_t> window_;                   // the tokens that the penalties count, sorted
    std::vector<compute::LogitBias> logit_biases_;  // of the last request
    WholeRow row_;
};

// The least logprob that is reported, since JSON cannot hold -infinity.
inline constexpr float kLeastLogprob = -9999;

struct TokenLogprob {
    int32_t id = 0;
    float logprob = 0;  // kLeastLogprob to 0
};

struct TokenLogprobs {
    TokenLogprob chosen;
    std::vector<TokenLogprob> top;  // the likeliest, by falling logprob, then rising id
};

// The logprob of a token: the logarithm of its probability after penalties, logit bias and bans, and before temperature
// and the filters; under a constraint, among the allowed ids. A banned id has kLeastLogprob. Sampling does not depend
// on it. Thread-bound, like the backend; one reader serves all sequences.
class LogprobReader {
public:
    explicit LogprobReader(uint32_t n_vocab) : row_(n_vocab) {}

    // Returns the logprob of `chosen`, the token after the output-th row of the last completed step, with those of the
    // `n_top` likeliest tokens, or as many as there are. `sampled` is the device's answer with candidates; if these do
    // not hold all that is wanted, the row's logits are read. `allowed` is the mask of its request, `unsent` are the
    // logit biases that the device has not made (Sampler::unsent()). Errors are the device's.
    base::Result<TokenLogprobs> read(const compute::Sampled& sampled, int32_t chosen, uint32_t n_top, uint32_t output,
                                     compute::Backend& backend, std::span<const uint32_t> allowed,
                                     std::span<const compute::LogitBias> unsent = {});

private:
    WholeRow row_;
};

}  // namespace llmd::generation
