// What travels between the host and sample.cl: requests as words, summaries and candidates of the vocabulary's chunks
// back. Pure functions; sample.cl has the layout's other end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"

namespace llmd::compute {

inline constexpr size_t kRequestWords = 72;  // REQUEST_WORDS

// out has kRequestWords words.
void write_request(const SampleRequest& request, std::span<uint32_t> out);

// Words of the answer for so many outputs; the candidates lie behind all summaries.
size_t answer_words(size_t outputs, bool with_candidates);

// The result of one output. Fills `candidates` (cleared first), which the result's span then refers to.
Sampled read_answer(std::span<const uint32_t> answer, size_t output, size_t outputs,
                    std::vector<Candidate>& candidates);

}  // namespace llmd::compute
