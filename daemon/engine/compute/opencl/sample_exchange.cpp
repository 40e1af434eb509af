#include "engine/compute/opencl/sample_exchange.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/compute/checks.h"
#include "engine/compute/noise.h"

namespace llmd::compute {
namespace {

// Offsets of REQUEST_*.
enum RequestWord : size_t { kTemperature = 0, kKey, kPenalty, kMask, kPenaltyCount, kWantsCandidates, kPenaltyIds = 8 };
static_assert(kPenaltyIds + kMaxPenaltyIds == kRequestWords);

constexpr uint32_t kNoId = 0xffffffffu;  // NO_ID
constexpr size_t kSummaryWords = 6;      // SUMMARY_WORDS
struct Summary {
    float score;
    uint32_t id;
    float largest;
    float sum;  // of exp(logit - largest)
    bool bad;
    uint32_t listable;  // ids of the chunk that take part; 0 if no candidates are wanted
};

Summary summary_at(const uint32_t* words) {
    return {std::bit_cast<float>(words[0]), words[1],      std::bit_cast<float>(words[2]),
            std::bit_cast<float>(words[3]), words[4] != 0, words[5]};
}

void write_request(const SampleRequest& request, std::span<uint32_t> out) {
    std::fill(out.begin(), out.begin() + kPenaltyIds, 0u);
    std::fill(out.begin() + kPenaltyIds, out.end(), kNoId);
    out[kTemperature] = std::bit_cast<uint32_t>(request.temperature);
    out[kKey] = noise_key(request.seed, request.position);
    out[kPenalty] = std::bit_cast<uint32_t>(request.repeat_penalty);
    out[kWantsCandidates] = request.wants_candidates ? 1 : 0;
    if (request.repeat_penalty == 1.0f) return;
    out[kPenaltyCount] = static_cast<uint32_t>(request.penalty_ids.size());
    for (size_t i = 0; i < request.penalty_ids.size(); ++i) {
        out[kPenaltyIds + i] = static_cast<uint32_t>(request.penalty_ids[i]);
    }
}

}  // namespace

size_t request_words(size_t outputs, uint32_t n_vocab) {
    // One more: blocks/sample.cl takes two words where one mask's last sixteen ids may lie across them.
    return outputs * (kRequestWords + mask_words(n_vocab)) + 1;
}

size_t write_requests(std::span<const SampleRequest> requests, std::span<uint32_t> out) {
    size_t end = requests.size() * kRequestWords;
    for (size_t i = 0; i < requests.size(); ++i) {
        const auto request = out.subspan(i * kRequestWords, kRequestWords);
        write_request(requests[i], request);
        if (requests[i].allowed.empty()) continue;
        request[kMask] = static_cast<uint32_t>(end);
        std::copy(requests[i].allowed.begin(), requests[i].allowed.end(), out.begin() + static_cast<ptrdiff_t>(end));
        end += requests[i].allowed.size();
    }
    return end;
}

size_t answer_words(size_t outputs, bool with_candidates) {
    return outputs * kSampleChunks * (kSummaryWords + (with_candidates ? 2 * kChunkCandidates : 0));
}

void read_candidates(std::span<const uint32_t> answer, size_t output, size_t outputs,
                     std::vector<Candidate>& candidates, Sampled& result) {
    const uint32_t* summaries = answer.data() + output * kSampleChunks * kSummaryWords;
    const size_t first_top = (outputs * kSummaryWords + output * 2 * kChunkCandidates) * kSampleChunks;
    candidates.clear();
    for (size_t c = 0; c < kSampleChunks; ++c) {
        const uint32_t listable = summary_at(summaries + c * kSummaryWords).listable;
        const size_t top = first_top + c * 2 * kChunkCandidates;
        for (uint32_t n = 0; n < std::min(listable, kChunkCandidates); ++n) {
            candidates.push_back({static_cast<int32_t>(answer[top + size_t{2} * n]),
                                  std::bit_cast<float>(answer[top + size_t{2} * n + 1])});
        }
        // What the chunk does not list is not above its last candidate.
        if (listable > kChunkCandidates) {
            result.candidate_floor = std::max(result.candidate_floor, candidates.back().logit);
        }
    }
    std::sort(candidates.begin(), candidates.end(), comes_first);
    result.candidates = candidates;
}

Sampled read_answer(std::span<const uint32_t> answer, size_t output, size_t outputs,
                    std::vector<Candidate>& candidates) {
    const uint32_t* summaries = answer.data() + output * kSampleChunks * kSummaryWords;
    Sampled result;
    bool found = false;
    float best = 0;
    float largest = -std::numeric_limits<float>::infinity();
    for (size_t c = 0; c < kSampleChunks; ++c) {
        const Summary chunk = summary_at(summaries + c * kSummaryWords);
        if (chunk.bad) return {};
        if (chunk.id == UINT32_MAX) continue;  // no id takes part
        if (!found || chunk.score > best) {    // chunks hold rising ids: the first of equals is the lowest
            found = true;
            best = chunk.score;
            result.id = static_cast<int32_t>(chunk.id);
        }
        largest = std::max(largest, chunk.largest);
    }
    if (!found) return {};
    double sum = 0;
    for (size_t c = 0; c < kSampleChunks; ++c) {
        const Summary chunk = summary_at(summaries + c * kSummaryWords);
        if (chunk.id == UINT32_MAX) continue;
        sum += static_cast<double>(chunk.sum) * std::exp(static_cast<double>(chunk.largest) - largest);
    }
    read_candidates(answer, output, outputs, candidates, result);
    result.finite = true;
    result.log_sum_exp = static_cast<float>(largest + std::log(sum));
    return result;
}

}  // namespace llmd::compute
