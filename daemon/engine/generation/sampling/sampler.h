// Samples the next token of one sequence, and reads the logprobs of tokens. The chain of the sampler has this order:
// repeat penalty over the last kPenaltyWindow tokens (prompt included), top-k, top-p, min-p, temperature. Top-p and
// min-p use the distribution before temperature; top-p uses what top-k kept, renormalised. One token is then drawn by
// Gumbel-max with noise.h's hash of (seed, position, id), so that the token depends on the logits, the parameters and
// the position only.
//
// The device does greedy sampling and plain temperature by itself. The filters work on the candidates that it returns;
// if those do not provably hold the kept set, the row's logits are read whole, with the same result.
//
// If the request has a mask (compute::SampleRequest::allowed), only its ids take part. It applies after the penalty.
// Thread-bound, one a sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

inline constexpr uint32_t kPenaltyWindow = 64;  // tokens; as in llama.cpp
static_assert(kPenaltyWindow <= compute::kMaxPenaltyIds);

// A lower temperature counts as 0. At this one a lead of 0.01 in logits is already a factor of e^100, and
// logit / temperature must stay a finite float.
inline constexpr float kLeastTemperature = 1e-4f;

struct SamplerParameters {
    float temperature = 0;  // below kLeastTemperature: greedy
    uint32_t top_k = 0;     // 0: off; keeps the k largest logits, lower ids first among equals
    float top_p = 1;        // 1: off; keeps the fewest largest whose probabilities reach it (Holtzman et al. 2019)
    float min_p = 0;  // 0: off; keeps what has at least this part of the largest's probability (Nguyen et al. 2024)
    float repeat_penalty = 1;  // 1: off
    uint64_t seed = 0;

    // InvalidArgument names a parameter and its value: a NaN, a negative number, a probability above 1.
    base::Result<void> check() const;
    // True if some filter may drop an id, so that the device's argmax is not enough.
    bool filters() const { return !is_greedy() && (top_k > 0 || top_p < 1 || min_p > 0); }
    // True if the device's id is the result and depends on no earlier tokens that the host would have to send.
    bool is_done_by_device() const { return !filters() && repeat_penalty == 1; }
    bool is_greedy() const { return temperature < kLeastTemperature || top_k == 1; }
};

// Returns how many of `candidates` pass top-k, top-p and min-p, which is at least one. They are the largest logits of a
// row, by falling logit and then rising id. Returns nothing if ids that are not listed, each with a logit of at most
// `floor`, might belong to the kept set. log_sum_exp is that of the whole row.
std::optional<size_t> kept_candidates(std::span<const compute::Candidate> candidates, float floor, float log_sum_exp,
                                      uint32_t n_vocab, const SamplerParameters& parameters);

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

    // Returns all ids of the output-th row of the last completed step that `allowed` has, unsorted. They are valid
    // until the next call, and may be sorted in place.
    base::Result<std::span<compute::Candidate>> read(uint32_t output, compute::Backend& backend,
                                                     std::span<const uint32_t> allowed);

private:
    uint32_t n_vocab_;
    std::vector<float> logits_;
    std::vector<compute::Candidate> candidates_;
};

class Sampler {
public:
    // Precondition: parameters.check() succeeded.
    Sampler(const SamplerParameters& parameters, uint32_t n_vocab)
        : parameters_(parameters), n_vocab_(n_vocab), row_(n_vocab) {}

    const SamplerParameters& parameters() const { return parameters_; }

    // Returns the device's request for the token at `position`, which follows `ids`. If the device does the sampling by
    // itself, `position` may be further on. The request is valid until the next call, and as long as `allowed` is.
    compute::SampleRequest request(std::span<const int32_t> ids, uint32_t position,
                                   std::span<const uint32_t> allowed = {});

    // Returns the id at `position`, from the device's answer to request() for the output-th row of the last completed
    // step, and the mask of that request. Precondition: the answer is finite. Errors are the device's.
    base::Result<int32_t> choose(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                 compute::Backend& backend, std::span<const uint32_t> allowed = {});

private:
    // Samples from all logits of the row, because the device's candidates are too few.
    base::Result<int32_t> choose_of_all(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                        compute::Backend& backend, std::span<const uint32_t> allowed);
    int32_t draw(std::span<const compute::Candidate> kept, uint32_t position) const;

    SamplerParameters parameters_;
    uint32_t n_vocab_;
    std::vector<int32_t> penalty_ids_;
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

// The logprob of a token: the logarithm of its probability after the repeat penalty and before temperature and the
// filters; under a constraint, among the allowed ids. Sampling does not depend on it.
// Thread-bound, like the backend; one reader serves all sequences.
class LogprobReader {
public:
    explicit LogprobReader(uint32_t n_vocab) : row_(n_vocab) {}

    // Returns the logprob of `chosen`, the token after the output-th row of the last completed step, with those of the
    // `n_top` likeliest tokens, or as many as there are. `sampled` is the device's answer with candidates; if these do
    // not hold all that is wanted, the row's logits are read. `allowed` is the mask of its request. Errors are the
    // device's.
    base::Result<TokenLogprobs> read(const compute::Sampled& sampled, int32_t chosen, uint32_t n_top, uint32_t output,
                                     compute::Backend& backend, std::span<const uint32_t> allowed);

private:
    WholeRow row_;
};

}  // namespace llmd::generation
