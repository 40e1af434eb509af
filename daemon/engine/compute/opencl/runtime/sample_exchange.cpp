#include "engine/compute/opencl/runtime/sample_exchange.h"

#include <algorithm>
#include <bit>

#include "engine/compute/checks.h"
#include "engine/compute/noise.h"

namespace llmd::compute {
namespace {

// Offsets of REQUEST_*.
enum RequestWord : size_t { kTemperature = 0, kKey, kPenalty, kMask, kPenaltyCount, kWantsCandidates, kPenaltyIds = 8 };
static_assert(kPenaltyIds + kMaxPenaltyIds == kRequestWords);

constexpr uint32_t kNoId = 0xffffffffu;  // NO_ID
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
    return outputs * (kRequestWords + mask_words(n_vocab));
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

size_t candidate_words(size_t outputs) {
    return outputs * kSampleChunks * (1 + 2 * kChunkCandidates);
}

void read_candidates(std::span<const uint32_t> answer, size_t output, size_t outputs,
                     std::vector<Candidate>& candidates, Sampled& result) {
    const uint32_t* counts = answer.data() + output * kSampleChunks;
    const uint32_t* top = answer.data() + (outputs + output * 2 * kChunkCandidates) * kSampleChunks;
    candidates.clear();
    for (size_t c = 0; c < kSampleChunks; ++c, top += size_t{2} * kChunkCandidates) {
        for (uint32_t n = 0; n < std::min(counts[c], kChunkCandidates); ++n) {
            candidates.push_back(
                {static_cast<int32_t>(top[size_t{2} * n]), std::bit_cast<float>(top[size_t{2} * n + 1])});
        }
        // What the chunk does not list is not above its last candidate.
        if (counts[c] > kChunkCandidates) {
            result.candidate_floor = std::max(result.candidate_floor, candidates.back().logit);
        }
    }
    std::sort(candidates.begin(), candidates.end(), comes_first);
    result.candidates = candidates;
}

}  // namespace llmd::compute
