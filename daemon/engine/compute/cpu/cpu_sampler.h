// Chooses ids from logits as backend.h's sample() says. Thread-bound to the engine's thread; shares the work with the
// pool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/worker_pool.h"

namespace llmd::compute {

class CpuSampler {
public:
    // Allocates everything for batches of up to max_outputs rows.
    CpuSampler(const CpuKernels& kernels, WorkerPool& pool, uint32_t n_vocab, uint32_t max_outputs);

    // logits: one row of n_vocab for each request, one behind the other; the logit biases are applied to it in place.
    // The result is valid for kMaxStepsInFlight more calls: a step's answer is in the caller's hands while the next
    // ones are computed.
    std::span<const Sampled> sample(std::span<const SampleRequest> requests, float* logits);

private:
    // The contribution of a chunk of kVocabChunk ids.
    struct Summary {
        bool empty = false;  // none of them takes part
        float best = 0;      // logit, or logit / temperature + noise
        uint32_t best_id = 0;
        float largest = 0;  // logit
        float exp_sum = 0;  // of e^(logit - largest)
        bool finite = true;
    };

    Summary summarise(const SampleRequest& request, const float* logits, uint32_t first, uint32_t n) const;
    Sampled combine(std::span<const Summary> summaries) const;
    // The kMaxCandidates largest that take part into `kept`, which has room for twice as many; and their floor.
    void select(const SampleRequest& request, const float* logits, Candidate* kept, Sampled& sampled) const;

    const CpuKernels& kernels_;
    WorkerPool& pool_;
    uint32_t n_vocab_;
    uint32_t n_chunks_;
    std::vector<Summary> summaries_;  // [output][chunk]
    struct Answer {
        std::vector<Candidate> candidates;  // [output][2 * kMaxCandidates]
        std::vector<Sampled> sampled;
    };
    std::array<Answer, kMaxStepsInFlight + 1> answers_;  // used one after the other
    size_t last_answer_ = 0;
};

}  // namespace llmd::compute
