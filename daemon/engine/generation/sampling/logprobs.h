// How likely a token was: the logarithm of its probability after the repeat penalty, before temperature and the
// filters; under a constraint, among the ids that this allows. Read beside the choice, which does not depend on it.
// Thread-bound, like the backend; one serves all sequences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

// No id that could have come is told to be less likely: a number that JSON can hold.
inline constexpr float kLeastLogprob = -9999;

struct TokenLogprob {
    int32_t id = 0;
    float logprob = 0;  // kLeastLogprob to 0
};

struct TokenLogprobs {
    TokenLogprob chosen;
    std::vector<TokenLogprob> top;  // the likeliest, by falling logprob, then rising id
};

class LogprobReader {
public:
    explicit LogprobReader(uint32_t n_vocab) : n_vocab_(n_vocab) {}

    // Of `chosen`, the token that follows the output-th row of the step just waited for, with `n_top` alternatives, or
    // as many as there are. `sampled` is the device's answer, with candidates: where these do not hold all that is
    // wanted, the row is read. `allowed` was the mask of its request. Errors are the device's.
    base::Result<TokenLogprobs> read(const compute::Sampled& sampled, int32_t chosen, uint32_t n_top, uint32_t output,
                                     compute::Backend& backend, std::span<const uint32_t> allowed);

private:
    // All ids that take part, in candidates_; the first n_top, and the first in any case, by falling logit.
    base::Result<void> read_row(uint32_t output, compute::Backend& backend, std::span<const uint32_t> allowed,
                                uint32_t n_top);

    uint32_t n_vocab_;
    std::vector<float> logits_;
    std::vector<compute::Candidate> candidates_;
};

}  // namespace llmd::generation
