// The logprob of a token: the logarithm of its probability after the repeat penalty and before temperature and the
// filters; under a constraint, among the allowed ids. Sampling does not depend on it.
// Thread-bound, like the backend; one reader serves all sequences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

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

class LogprobReader {
public:
    explicit LogprobReader(uint32_t n_vocab) : n_vocab_(n_vocab) {}

    // Returns the logprob of `chosen`, the token after the output-th row of the last completed step, with those of the
    // `n_top` likeliest tokens, or as many as there are. `sampled` is the device's answer with candidates; if these do
    // not hold all that is wanted, the row's logits are read. `allowed` is the mask of its request. Errors are the
    // device's.
    base::Result<TokenLogprobs> read(const compute::Sampled& sampled, int32_t chosen, uint32_t n_top, uint32_t output,
                                     compute::Backend& backend, std::span<const uint32_t> allowed);

private:
    // Fills candidates_ with all ids that take part, the first n_top of them (at least one) sorted by falling logit.
    base::Result<void> read_row(uint32_t output, compute::Backend& backend, std::span<const uint32_t> allowed,
                                uint32_t n_top);

    uint32_t n_vocab_;
    std::vector<float> logits_;
    std::vector<compute::Candidate> candidates_;
};

}  // namespace llmd::generation
