#include "engine/generation/sampling/logprobs.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/generation/sampling/sampler.h"

namespace llmd::generation {

using compute::Candidate;

namespace {

TokenLogprob logprob(const Candidate& candidate, double log_sum_exp) {
    // Rounding errors may put it a little above 0.
    const double value = std::clamp<double>(candidate.logit - log_sum_exp, kLeastLogprob, 0);
    return {candidate.id, static_cast<float>(value)};
}

// Returns nothing if `sorted`, of which the first n_top are in order, lacks a token that is wanted.
std::optional<TokenLogprobs> look_up(std::span<const Candidate> sorted, int32_t chosen, uint32_t n_top, bool holds_all,
                                     double log_sum_exp) {
    const auto found = std::find_if(sorted.begin(), sorted.end(), [&](const auto& one) { return one.id == chosen; });
    if (found == sorted.end() || (sorted.size() < n_top && !holds_all)) return std::nullopt;
    TokenLogprobs out{logprob(*found, log_sum_exp), {}};
    for (const Candidate& one : sorted.first(std::min<size_t>(n_top, sorted.size()))) {
        out.top.push_back(logprob(one, log_sum_exp));
    }
    return out;
}

}  // namespace

base::Result<TokenLogprobs> LogprobReader::read(const compute::Sampled& sampled, int32_t chosen, uint32_t n_top,
                                                uint32_t output, compute::Backend& backend,
                                                std::span<const uint32_t> allowed) {
    // Some of the ids that tie with the floor may be missing.
    std::span<const Candidate> listed = sampled.candidates;
    while (!listed.empty() && listed.back().logit <= sampled.candidate_floor) {
        listed = listed.first(listed.size() - 1);
    }
    const bool holds_all = sampled.candidate_floor == -std::numeric_limits<float>::infinity();
    if (auto told = look_up(listed, chosen, n_top, holds_all, sampled.log_sum_exp)) return std::move(*told);
    if (auto row = read_row(output, backend, allowed, n_top); !row) return row.error();
    if (auto told = look_up(candidates_, chosen, n_top, true, sampled.log_sum_exp)) return std::move(*told);
    return base::fail(base::ErrorCode::DeviceError, "logprobs: id ", chosen, " is not among the ids that could come");
}

base::Result<void> LogprobReader::read_row(uint32_t output, compute::Backend& backend,
                                           std::span<const uint32_t> allowed, uint32_t n_top) {
    logits_.resize(n_vocab_);
    if (auto read = backend.read_logits(output, logits_); !read) return read;
    candidates_.clear();
    for (uint32_t id = 0; id < n_vocab_; ++id) {
        if (takes_part(allowed, id)) candidates_.push_back({static_cast<int32_t>(id), logits_[id]});
    }
    const auto n_sorted = std::min<size_t>(std::max<size_t>(n_top, 1), candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(n_sorted), candidates_.end(),
                      compute::comes_first);
    return {};
}

}  // namespace llmd::generation
