// What travels between the host and the kernels that sample: requests as words, candidates of the vocabulary's chunks
// back. Pure functions; sample_exchange.cl has the layout's other end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"

namespace llmd::compute {

inline constexpr size_t kRequestWords = 72;  // REQUEST_WORDS
// Chunks of the vocabulary and the candidates that each gives.
inline constexpr uint32_t kSampleChunks = 64;
inline constexpr uint32_t kChunkCandidates = kMaxCandidates / kSampleChunks;

// Words that the requests of a step with so many outputs may need, masks included.
size_t request_words(size_t outputs, uint32_t n_vocab);
// Gives how many of `out` they need.
size_t write_requests(std::span<const SampleRequest> requests, std::span<uint32_t> out);

// Words of the candidates of so many outputs.
size_t candidate_words(size_t outputs);

// The candidates of one output and their floor, for `result`. Fills `candidates` (cleared first), which the result's
// span then refers to.
void read_candidates(std::span<const uint32_t> answer, size_t output, size_t outputs,
                     std::vector<Candidate>& candidates, Sampled& result);

}  // namespace llmd::compute
