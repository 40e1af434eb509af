#include "engine/generation/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "engine/compute/noise.h"

namespace llmd::generation {

using compute::Candidate;
using compute::LogitBias;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr size_t kFirstSorted = 4096;  // logits of a whole row that are sorted first
constexpr size_t kMoreSorted = 8;      // factor, if these were too few

base::Error out_of_range(const char* name, float value, const char* range) {
    return base::fail(base::ErrorCode::InvalidArgument, name, ": ", value, " is not ", range);
}

base::Result<void> check_between(const char* name, float value, float least, float most) {
    if (value >= least && value <= most) return {};
    return base::fail(base::ErrorCode::InvalidArgument, name, ": ", value, " is not from ", least, " to ", most);
}

base::Result<void> check_bias(std::span<const protocol::LogitBias> all, uint32_t n_vocab) {
    if (all.size() > kMaxLogitBias) {
        return base::fail(base::ErrorCode::InvalidArgument, "logit_bias: ", all.size(), " ids are more than ",
                          kMaxLogitBias);
    }
    for (const auto& [id, bias] : all) {
        if (id < 0 || static_cast<uint32_t>(id) >= n_vocab) {
            return base::fail(base::ErrorCode::InvalidArgument, "logit_bias: ", id, " is not in the vocabulary of ",
                              n_vocab);
        }
        if (bias == -kInfinity) continue;
        if (auto checked = check_between("logit_bias", bias, -kMaxBias, kMaxBias); !checked) return checked;
    }
    return {};
}

// The logarithm of the sum of e^logit, as the device gives it.
float log_sum_exp_of(std::span<const Candidate> row) {
    float largest = -kInfinity;
    for (const Candidate& one : row) largest = std::max(largest, one.logit);
    double sum = 0;
    for (const Candidate& one : row) sum += std::exp(static_cast<double>(one.logit) - largest);
    return static_cast<float>(largest + std::log(sum));
}

}  // namespace

base::Result<void> check(const Sampling& sampling, uint32_t n_vocab) {
    if (auto checked = check_between("temperature", sampling.temperature, 0, kMaxTemperature); !checked) return checked;
    if (!(sampling.top_p >= 0 && sampling.top_p <= 1)) return out_of_range("top_p", sampling.top_p, "from 0 to 1");
    if (!(sampling.min_p >= 0 && sampling.min_p <= 1)) return out_of_range("min_p", sampling.min_p, "from 0 to 1");
    if (!(sampling.repeat_penalty > 0 && sampling.repeat_penalty < kInfinity)) {
        return out_of_range("repeat_penalty", sampling.repeat_penalty, "above 0");
    }
    for (const auto& [name, value] : {std::pair("presence_penalty", sampling.presence_penalty),
                                      std::pair("frequency_penalty", sampling.frequency_penalty)}) {
        if (auto checked = check_between(name, value, -kMaxPenalty, kMaxPenalty); !checked) return checked;
    }
    if (sampling.repeat_last_n < kWholeContext) {
        return base::fail(base::ErrorCode::InvalidArgument, "repeat_last_n: ", sampling.repeat_last_n, " is less than ",
                          kWholeContext);
    }
    return check_bias(sampling.logit_bias, n_vocab);
}

std::optional<size_t> kept_candidates(std::span<const Candidate> candidates, float floor, float log_sum_exp,
                                      uint32_t n_vocab, const Sampling& parameters) {
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
                                                  std::span<const uint32_t> allowed,
                                                  std::span<const LogitBias> unsent) {
    logits_.resize(n_vocab_);
    if (auto read = backend.read_logits(output, logits_); !read) return read.error();
    for (const LogitBias& change : unsent) {
        float& logit = logits_[static_cast<size_t>(change.id)];
        logit = compute::biased(logit, change);
    }
    candidates_.clear();
    for (uint32_t id = 0; id < n_vocab_; ++id) {
        if (takes_part(allowed, id)) candidates_.push_back({static_cast<int32_t>(id), logits_[id]});
    }
    return std::span(candidates_);
}

void Sampler::list_logit_biases(std::span<const int32_t> ids, std::span<const int32_t> banned) {
    logit_biases_.clear();
    if (penalises(parameters_)) {
        const auto n = static_cast<uint32_t>(parameters_.repeat_last_n);  // the whole context is more than any
        const auto recent = ids.last(std::min<size_t>(ids.size(), n));
        window_.assign(recent.begin(), recent.end());
        std::sort(window_.begin(), window_.end());
        for (auto at = window_.begin(); at != window_.end();) {
            const auto end = std::upper_bound(at, window_.end(), *at);
            const auto count = static_cast<float>(end - at);
            const float penalty = parameters_.presence_penalty + count * parameters_.frequency_penalty;
            logit_biases_.push_back({*at, parameters_.repeat_penalty, -penalty});
            at = end;
        }
    }
    for (const auto& [id, bias] : parameters_.logit_bias) logit_biases_.push_back({id, 1, std::max(bias, kBan)});
    for (const int32_t id : banned) logit_biases_.push_back({id, 1, kBan});
    if (parameters_.logit_bias.empty() && banned.empty()) return;

    // By addend too, so that sums are the same in whatever order the biases came.
    std::sort(logit_biases_.begin(), logit_biases_.end(), [](const LogitBias& a, const LogitBias& b) {
        return std::tie(a.id, a.factor, a.addend) < std::tie(b.id, b.factor, b.addend);
    });
    size_t n = 0;
    for (const LogitBias& change : logit_biases_) {
        if (n == 0 || logit_biases_[n - 1].id != change.id) {
            logit_biases_[n++] = change;
            continue;
        }
        LogitBias& merged = logit_biases_[n - 1];
        merged.factor *= change.factor;
        merged.addend = std::max(merged.addend + change.addend, kBan);
    }
    logit_biases_.resize(n);
}

std::span<const LogitBias> Sampler::unsent() const {
    return logit_biases_.size() > compute::kMaxLogitBiases ? std::span(logit_biases_) : std::span<const LogitBias>();
}

compute::SampleRequest Sampler::request(std::span<const int32_t> ids, uint32_t position,
                                        std::span<const uint32_t> allowed, std::span<const int32_t> banned) {
    list_logit_biases(ids, banned);
    compute::SampleRequest request;
    // A token that is drawn from the candidates alone gets its noise in draw(), not for the whole vocabulary.
    request.temperature = is_greedy(parameters_) || filters(parameters_) ? 0 : parameters_.temperature;
    request.seed = parameters_.seed.value_or(0);
    request.position = position;
    request.allowed = allowed;
    if (!unsent().empty()) return request;  // only whether the row is finite
    request.logit_biases = logit_biases_;
    request.wants_candidates = filters(parameters_);
    return request;
}

base::Result<int32_t> Sampler::choose(const compute::Sampled& sampled, uint32_t position, uint32_t output,
                                      compute::Backend& backend, std::span<const uint32_t> allowed) {
    if (!unsent().empty()) return choose_of_all(sampled, position, output, backend, allowed);
    int32_t id = sampled.id;
    if (filters(parameters_)) {
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
    const auto row = row_.read(output, backend, allowed, unsent());
    if (!row) return row.error();
    if (row->empty()) return base::fail(base::ErrorCode::DeviceError, "no id of the row takes part");
    if (is_greedy(parameters_)) return std::min_element(row->begin(), row->end(), compute::comes_first)->id;
    if (!filters(parameters_)) return draw(*row, position);
    const float log_sum_exp = unsent().empty() ? sampled.log_sum_exp : log_sum_exp_of(*row);
    // Sorting all takes many times as long as finding the largest ones, which are mostly enough.
    for (size_t n = kFirstSorted;; n *= kMoreSorted) {
        n = std::min(n, row->size());
        const auto end = row->begin() + static_cast<std::ptrdiff_t>(n);
        if (n < row->size()) std::nth_element(row->begin(), end - 1, row->end(), compute::comes_first);
        std::sort(row->begin(), end, compute::comes_first);
        const auto largest = std::span<const Candidate>(*row).first(n);
        const float floor = n < row->size() ? largest.back().logit : -kInfinity;
        const auto kept = kept_candidates(largest, floor, log_sum_exp, n_vocab_, parameters_);
        if (kept || n == row->size()) return draw(largest.first(kept.value_or(1)), position);
    }
}

int32_t Sampler::draw(std::span<const Candidate> kept, uint32_t position) const {
    const uint32_t key = compute::noise_key(parameters_.seed.value_or(0), position);
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
                                                std::span<const uint32_t> allowed, std::span<const LogitBias> unsent) {
    double log_sum_exp = sampled.log_sum_exp;
    if (unsent.empty()) {
        const auto listed = above_floor(sampled.candidates, sampled.candidate_floor);
        const bool holds_all = sampled.candidate_floor == -kInfinity;
        if (auto told = look_up(listed, chosen, n_top, holds_all, log_sum_exp)) return std::move(*told);
    }
    const auto row = row_.read(output, backend, allowed, unsent);
    if (!row) return row.error();
    if (!unsent.empty()) log_sum_exp = log_sum_exp_of(*row);
    const auto n_sorted = std::min<size_t>(std::max<size_t>(n_top, 1), row->size());
    std::partial_sort(row->begin(), row->begin() + static_cast<ptrdiff_t>(n_sorted), row->end(), compute::comes_first);
    if (auto told = look_up(*row, chosen, n_top, true, log_sum_exp)) return std::move(*told);
    return base::fail(base::ErrorCode::DeviceError, "logprobs: id ", chosen, " is not among the ids that could come");
}

}  // namespace llmd::generation
