#include "engine/generation/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    // Of the ids that tie with the floor, others than the lowest may be listed.
    while (!candidates.empty() && candidates.back().logit <= floor)
        candidates = candidates.first(candidates.size() - 1);
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
    logits_.resize(n_vocab_);
    if (auto read = backend.read_logits(output, logits_); !read) return read.error();
    candidates_.clear();
    for (uint32_t id = 0; id < n_vocab_; ++id) {
        if (takes_part(allowed, id)) candidates_.push_back({static_cast<int32_t>(id), logits_[id]});
    }
    // Sorting all takes many times as long as finding the largest ones, which are mostly enough.
    for (size_t n = kFirstSorted;; n *= kMoreSorted) {
        n = std::min(n, candidates_.size());
        const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(n);
        if (n < candidates_.size())
            std::nth_element(candidates_.begin(), end - 1, candidates_.end(), compute::comes_first);
        std::sort(candidates_.begin(), end, compute::comes_first);
        const auto largest = std::span<const Candidate>(candidates_).first(n);
        const float floor = n < candidates_.size() ? largest.back().logit : -kInfinity;
        const auto kept = kept_candidates(largest, floor, sampled.log_sum_exp, n_vocab_, parameters_);
        if (kept || n == candidates_.size()) return draw(largest.first(kept.value_or(1)), position);
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

}  // namespace llmd::generation
