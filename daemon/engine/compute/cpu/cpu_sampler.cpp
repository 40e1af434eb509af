#include "engine/compute/cpu/cpu_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/compute/noise.h"

namespace llmd::compute {
namespace {

constexpr uint32_t kVocabChunk = 4096;  // ids of one work item: some microseconds

void apply_logit_bias(const SampleRequest& request, float* logits) {
    for (const LogitBias& change : request.logit_biases) logits[change.id] = biased(logits[change.id], change);
}

// Calls `take(id)` for each id in [first, first + n) that takes part, rising.
template <typename Take>
void for_each_allowed(std::span<const uint32_t> allowed, uint32_t first, uint32_t n, const Take& take) {
    if (allowed.empty()) {
        for (uint32_t id = first; id < first + n; ++id) take(id);
        return;
    }
    for (uint32_t id = first; id < first + n; id = (id / 32 + 1) * 32) {
        const uint32_t in_word = std::min(32 - id % 32, first + n - id);
        uint32_t bits = allowed[id / 32] >> id % 32 & 0xffffffffu >> (32 - in_word);
        for (; bits != 0; bits &= bits - 1) take(id + static_cast<uint32_t>(std::countr_zero(bits)));
    }
}

}  // namespace

CpuSampler::CpuSampler(const CpuKernels& kernels, WorkerPool& pool, uint32_t n_vocab, uint32_t max_outputs)
    : kernels_(kernels),
      pool_(pool),
      n_vocab_(n_vocab),
      n_chunks_((n_vocab + kVocabChunk - 1) / kVocabChunk),
      summaries_(size_t{max_outputs} * n_chunks_) {
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
    for (uint32_t r = 0; r < n_requests; ++r) apply_logit_bias(requests[r], logits + size_t{r} * n_vocab_);
    pool_.run(n_requests * n_chunks_, [&](uint32_t item, uint32_t) {
        const uint32_t r = item / n_chunks_;
        const uint32_t first = item % n_chunks_ * kVocabChunk;
        summaries_[item] =
            summarise(requests[r], logits + size_t{r} * n_vocab_, first, std::min(kVocabChunk, n_vocab_ - first));
    });
    pool_.run(n_requests, [&](uint32_t r, uint32_t) {
        Sampled& sampled = answer.sampled[r];
        sampled = combine({&summaries_[size_t{r} * n_chunks_], n_chunks_});
        if (!sampled.finite || !requests[r].wants_candidates) return;
        select(requests[r], logits + size_t{r} * n_vocab_, &answer.candidates[size_t{r} * 2 * kMaxCandidates], sampled);
    });
    return answer.sampled;
}

CpuSampler::Summary CpuSampler::summarise(const SampleRequest& request, const float* logits, uint32_t first,
                                          uint32_t n) const {
    Summary s;
    const float* l = logits + first;
    for (uint32_t i = 0; i < n; ++i) s.finite &= std::isfinite(l[i]);
    if (!s.finite) return s;
    // Those that take part, one behind the other.
    std::array<float, kVocabChunk> some;
    std::array<uint16_t, kVocabChunk> places;
    const bool is_masked = !request.allowed.empty();
    if (is_masked) {
        uint32_t n_some = 0;
        for_each_allowed(request.allowed, first, n, [&](uint32_t id) {
            some[n_some] = logits[id];
            places[n_some++] = static_cast<uint16_t>(id - first);
        });
        s.empty = n_some == 0;
        if (s.empty) return s;
        l = some.data();
        n = n_some;
    }
    const auto id_at = [&](uint32_t i) { return first + (is_masked ? places[i] : i); };
    s.largest = l[0];
    for (uint32_t i = 1; i < n; ++i) s.largest = std::max(s.largest, l[i]);
    s.exp_sum = kernels_.exp_sum(l, n, s.largest);
    if (request.temperature == 0) {
        s.best = s.largest;
        s.best_id = id_at(static_cast<uint32_t>(std::find(l, l + n, s.largest) - l));
        return s;
    }
    const uint32_t key = noise_key(request.seed, request.position);
    for (uint32_t i = 0; i < n; ++i) {
        const float scaled = l[i] / request.temperature;
        if (i > 0 && scaled + gumbel_bound(key, id_at(i)) < s.best) continue;
        const float value = scaled + gumbel_noise(key, id_at(i));
        if (i > 0 && !(value > s.best)) continue;
        s.best = value;
        s.best_id = id_at(i);
    }
    return s;
}

Sampled CpuSampler::combine(std::span<const Summary> summaries) const {
    Sampled sampled;
    const Summary* best = nullptr;
    float largest = -std::numeric_limits<float>::infinity();
    for (const Summary& s : summaries) {
        if (!s.finite) return sampled;
        if (s.empty) continue;
        if (best == nullptr || s.best > best->best) best = &s;
        largest = std::max(largest, s.largest);
    }
    if (best == nullptr) return sampled;
    double exp_sum = 0;
    for (const Summary& s : summaries) {
        if (!s.empty) exp_sum += double{s.exp_sum} * std::exp(double{s.largest} - largest);
    }
    sampled.finite = true;
    sampled.id = static_cast<int32_t>(best->best_id);
    sampled.log_sum_exp = static_cast<float>(largest + std::log(exp_sum));
    return sampled;
}

void CpuSampler::select(const SampleRequest& request, const float* logits, Candidate* kept, Sampled& sampled) const {
    size_t n = 0;
    float bar = -std::numeric_limits<float>::infinity();  // ids come rising, so a later one must be above it
    size_t n_allowed = 0;
    for_each_allowed(request.allowed, 0, n_vocab_, [&](uint32_t id) {
        ++n_allowed;
        if (!(logits[id] > bar)) return;
        kept[n++] = {static_cast<int32_t>(id), logits[id]};
        if (n < size_t{2} * kMaxCandidates) return;
        std::nth_element(kept, kept + kMaxCandidates - 1, kept + n, comes_first);
        n = kMaxCandidates;
        bar = kept[kMaxCandidates - 1].logit;
    });
    std::sort(kept, kept + n, comes_first);
    sampled.candidates = {kept, std::min<size_t>(n, kMaxCandidates)};
    if (sampled.candidates.size() < n_allowed) sampled.candidate_floor = sampled.candidates.back().logit;
}

}  // namespace llmd::compute
