#include "engine/compute/cpu/cpu_sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/compute/noise.h"

namespace llmd::compute {
namespace {

constexpr uint32_t kStretch = 4096;  // ids of one work item: some microseconds without noise, a hundred with it

bool before(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

void penalise(const SampleRequest& request, float* logits) {
    if (request.repeat_penalty == 1) return;
    for (const int32_t id : request.penalty_ids) {
        float& logit = logits[id];
        logit = logit > 0 ? logit / request.repeat_penalty : logit * request.repeat_penalty;
    }
}

}  // namespace

CpuSampler::CpuSampler(const CpuKernels& kernels, WorkerPool& pool, uint32_t n_vocab, uint32_t max_outputs)
    : kernels_(kernels),
      pool_(pool),
      n_vocab_(n_vocab),
      n_stretches_((n_vocab + kStretch - 1) / kStretch),
      summaries_(size_t{max_outputs} * n_stretches_) {
    for (Answer& answer : answers_) {
        answer.candidates.resize(size_t{max_outputs} * 2 * kMaxCandidates);
        answer.sampled.reserve(max_outputs);
    }
}

std::span<const Sampled> CpuSampler::sample(std::span<const SampleRequest> requests, float* logits) {
    const auto n_requests = static_cast<uint32_t>(requests.size());
    last_answer_ = (last_answer_ + 1) % answers_.size();
    Answer& answer = answers_[last_answer_];
    answer.sampled.resize(n_requests);
    for (uint32_t r = 0; r < n_requests; ++r) penalise(requests[r], logits + size_t{r} * n_vocab_);
    pool_.run(n_requests * n_stretches_, [&](uint32_t item, uint32_t) {
        const uint32_t r = item / n_stretches_;
        const uint32_t first = item % n_stretches_ * kStretch;
        summaries_[item] =
            summarise(requests[r], logits + size_t{r} * n_vocab_, first, std::min(kStretch, n_vocab_ - first));
    });
    pool_.run(n_requests, [&](uint32_t r, uint32_t) {
        Sampled& sampled = answer.sampled[r];
        sampled = combine({&summaries_[size_t{r} * n_stretches_], n_stretches_});
        if (!sampled.finite || !requests[r].wants_candidates) return;
        sampled.candidates = select(logits + size_t{r} * n_vocab_, &answer.candidates[size_t{r} * 2 * kMaxCandidates]);
        if (sampled.candidates.size() < n_vocab_) sampled.candidate_floor = sampled.candidates.back().logit;
    });
    return answer.sampled;
}

CpuSampler::Summary CpuSampler::summarise(const SampleRequest& request, const float* logits, uint32_t first,
                                          uint32_t n) const {
    Summary s;
    const float* l = logits + first;
    s.largest = l[0];
    for (uint32_t i = 0; i < n; ++i) s.finite &= std::isfinite(l[i]);
    if (!s.finite) return s;
    for (uint32_t i = 1; i < n; ++i) s.largest = std::max(s.largest, l[i]);
    s.exp_sum = kernels_.exp_sum(l, n, s.largest);
    if (request.temperature == 0) {
        s.best = s.largest;
        s.best_id = first + static_cast<uint32_t>(std::find(l, l + n, s.largest) - l);
        return s;
    }
    const uint32_t key = noise_key(request.seed, request.position);
    for (uint32_t i = 0; i < n; ++i) {
        const float value = l[i] / request.temperature + gumbel_noise(key, first + i);
        if (i > 0 && !(value > s.best)) continue;
        s.best = value;
        s.best_id = first + i;
    }
    return s;
}

Sampled CpuSampler::combine(std::span<const Summary> summaries) const {
    Sampled sampled;
    const Summary* best = &summaries[0];
    float largest = summaries[0].largest;
    for (const Summary& s : summaries) {
        if (!s.finite) return sampled;
        if (s.best > best->best) best = &s;
        largest = std::max(largest, s.largest);
    }
    double exp_sum = 0;
    for (const Summary& s : summaries) exp_sum += double{s.exp_sum} * std::exp(double{s.largest} - largest);
    sampled.finite = true;
    sampled.id = static_cast<int32_t>(best->best_id);
    sampled.log_sum_exp = static_cast<float>(largest + std::log(exp_sum));
    return sampled;
}

std::span<const Candidate> CpuSampler::select(const float* logits, Candidate* kept) const {
    size_t n = 0;
    float bar = -std::numeric_limits<float>::infinity();  // ids come rising, so a later one must be above it
    for (uint32_t id = 0; id < n_vocab_; ++id) {
        if (!(logits[id] > bar)) continue;
        kept[n++] = {static_cast<int32_t>(id), logits[id]};
        if (n < 2 * kMaxCandidates) continue;
        std::nth_element(kept, kept + kMaxCandidates - 1, kept + n, before);
        n = kMaxCandidates;
        bar = kept[kMaxCandidates - 1].logit;
    }
    std::sort(kept, kept + n, before);
    return {kept, std::min<size_t>(n, kMaxCandidates)};
}

}  // namespace llmd::compute
