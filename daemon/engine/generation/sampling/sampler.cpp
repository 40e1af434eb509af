#include "engine/generation/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/compute/noise.h"

namespace llmd::generation {

using compute::Candidate;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr size_t kFirstSorted = 4096;  // logits of a whole row that are sorted first
constexpr size_t kMoreSorted = 8;      // factor, if these were too few

base::Error out_of_range(const char* name, float value, const char* range) {
    return base::fail(base::ErrorCode::InvalidArgument, name, ": ", value, " is not ", range);
}

}  // namespace

base::Result<void> SamplerParameters::check() const {
    if (!(temperature >= 0 && temperature < kInfinity)) return out_of_range("temperature", temperature, "0 or more");
    if (!(top_p >= 0 && top_p <= 1)) return out_of_range("top_p", top_p, "from 0 to 1");
    if (!(min_p >= 0 && min_p <= 1)) return out_of_range("min_p", min_p, "from 0 to 1");
    if (!(repeat_penalty > 0 && repeat_penalty < kInfinity)) {
        return out_of_range("repeat_penalty", repeat_penalty, "above 0");
    }
    return {};
}

std::optional<size_t> kept_candidates(std::span<const Candidate> candidates, float floor, float log_sum_exp,
                                      uint32_t n_vocab, const SamplerParameters& parameters) {
    candidates = above_floor(candidates, floor);
    if (candidates.empty()) return std::nullopt;

    const size_t k = parameters.top_k == 0 ? n_vocab : std::min(parameters.top_k, n_vocab);
    const bool holds_top_k = candidates.size() >= k || floor == -kInfinity;
    candidates = candidates.first(std::min(k, candidates.size()));
    const float largest = candidates.front().logit;

    double log_total = log_sum_exp;
    if (parameters.top_k > 0 && parameters.top_p < 1) {
        if (!holds_top_k) return std::nullopt;
        double total = 0;
        for (const Candidate& c : candidates) total += std::exp(static_cast<double>(c.logit) - largest);
        log_total = largest + std::log(total);
    }
    const double top_p = parameters.top_p < 1 ? parameters.top_p : std::numeric_limits<double>::infinity();
    const double least = largest + std::log(static_cast<double>(parameters.min_p));  // -infinity when off

    double mass = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (i > 0 && (mass >= top_p || candidates[i].logit < least)) return i;
        mass += std::exp(candidates[i].logit - log_total);
    }
    if (holds_top_k || mass >= top_p || floor < least) return candidates.size();
    return std::nullopt;
}

base::Result<std::span<Candidate>> WholeRow::read(uint32_t output, compute::Backend& backend,
                                                  std::span<const uint32_t> allowed) {
    logits_.resize(n_vocab_);
    if (auto read = backend.read_logits(output, logits_); !read) return read.error();
    candidates_.clear();
    for (uint32_t id = 0; id < n_vocab_; ++id) {
        if (takes_part(allowed, id)) candidates_.push_back({static_cast<int32_t>(id), logits_[id]});
    }
    return std::span(candidates_);
}

compute::SampleRequest Sampler::request(std::span<const int32_t> ids, uint32_t position,
                                        std::span<const uint32_t> allowed) {
    compute::SampleRequest request;
    request.temperature = parameters_.is_greedy() ? 0 : parameters_.temperature;
    request.seed = parameters_.seed;
    request.position = position;
    request.wants_candidates = parameters_.filters();
    request.allowed = allowed;
    if (parameters_.repeat_penalty != 1) {
        const auto recent = ids.last(std::min<size_t>(ids.size(), kPenaltyWindow));
        penalty_ids_.assign(recent.begin(), recent.end());
        std::sort(penalty_ids_.begin(), penalty_ids_.end());
        penalty_ids_.erase(std::unique(penalty_ids_.begin(), penalty_ids_.end()), penalty_ids_.end());
        request.repeat_penalty = parameters_.repeat_penalty;
        request.penalty_ids = penalty_ids_;
    }
    return request;
}

base::Result<int32_t> Sampler::choose(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                      compute::Backend& backend, std::span<const uint32_t> allowed) {
    int32_t id = sampled.id;
    if (parameters_.filters()) {
        const auto kept =
            kept_candidates(sampled.candidates, sampled.candidate_floor, sampled.log_sum_exp, n_vocab_, parameters_);
        if (!kept) return choose_of_all(sampled, position, output, backend, allowed);
        id = draw(sampled.candidates.first(*kept), position);
    }
    if (id < 0 || static_cast<uint32_t>(id) >= n_vocab_ || !takes_part(allowed, static_cast<uint32_t>(id))) {
        return base::fail(base::ErrorCode::DeviceError, "the device chose id ", id, " for position ", position,
                          " of a vocabulary of ", n_vocab_);
    }
    return id;
}

base::Result<int32_t> Sampler::choose_of_all(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                             compute::Backend& backend, std::span<const uint32_t> allowed) {
    const auto row = row_.read(output, backend, allowed);
    if (!row) return row.error();
    // Sorting all takes many times as long as finding the largest ones, which are mostly enough.
    for (size_t n = kFirstSorted;; n *= kMoreSorted) {
        n = std::min(n, row->size());
        const auto end = row->begin() + static_cast<std::ptrdiff_t>(n);
        if (n < row->size()) std::nth_element(row->begin(), end - 1, row->end(), compute::comes_first);
        std::sort(row->begin(), end, compute::comes_first);
        const auto largest = std::span<const Candidate>(*row).first(n);
        const float floor = n < row->size() ? largest.back().logit : -kInfinity;
        const auto kept = kept_candidates(largest, floor, sampled.log_sum_exp, n_vocab_, parameters_);
        if (kept || n == row->size()) return draw(largest.first(kept.value_or(1)), position);
    }
}

int32_t Sampler::draw(std::span<const Candidate> kept, uint32_t position) const {
    const uint32_t key = compute::noise_key(parameters_.seed, position);
    int32_t best_id = -1;
    float best_score = -kInfinity;
    for (const Candidate& candidate : kept) {
        const float noise = compute::gumbel_noise(key, static_cast<uint32_t>(candidate.id));
        const float score = candidate.logit / parameters_.temperature + noise;
        if (score > best_score) {
            best_id = candidate.id;
            best_score = score;
        }
    }
    return best_id;
}

// --- Logprobs --------------------------------------------------------------------------------------------------------

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
    const auto listed = above_floor(sampled.candidates, sampled.candidate_floor);
    const bool holds_all = sampled.candidate_floor == -kInfinity;
    if (auto told = look_up(listed, chosen, n_top, holds_all, sampled.log_sum_exp)) return std::move(*told);
    const auto row = row_.read(output, backend, allowed);
    if (!row) return row.error();
    const auto n_sorted = std::min<size_t>(std::max<size_t>(n_top, 1), row->size());
    std::partial_sort(row->begin(), row->begin() + static_cast<ptrdiff_t>(n_sorted), row->end(), compute::comes_first);
    if (auto told = look_up(*row, chosen, n_top, true, sampled.log_sum_exp)) return std::move(*told);
    return base::fail(base::ErrorCode::DeviceError, "logprobs: id ", chosen, " is not among the ids that could come");
}

}  // namespace llmd::generation
