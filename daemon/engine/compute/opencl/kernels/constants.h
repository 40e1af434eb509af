// Constants that the host and the kernels share: a C++ constant and a macro of every program (kernel_prelude()), both
// with the value that it has here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/compute/kv_layout.h"

namespace llmd::compute {

inline constexpr uint32_t kGroupItems = 64;  // of a work-group, where a kernel's options do not say otherwise
inline constexpr uint32_t kTilePairs = 32;   // row pairs in a tile of weights (gpu/layout.h)

// The step buffer in words, written by the host at begin(): a header, the rows of the batch, then the row index of each
// output, padded to a multiple of kOutputsAtOnce with words that may be read. The page tables of each slot follow,
// those of KvPool::Full, then those of KvPool::Window; set_pages() and set_window_pages() change one at a time.
enum StepWord : uint32_t { kStepOutputCount, kStepRowCount, kStepChunks, kStepHeader = 4 };
// The words of a row. A token of -1 stands for the one sampled last in the row's slot.
enum StepRowWord : uint32_t { kRowToken, kRowPosition, kRowSlot, kRowIsLastOutput, kStepRowWords };
inline constexpr uint32_t kOutputsAtOnce = 8;

// A sampling request in words. Behind the requests of all outputs is one list of the logit biases of all outputs, and
// behind that are the masks of those outputs that have one: bit id % 32 of word id / 32 is set if the id takes part.
enum RequestWord : uint32_t {
    kRequestTemperature,
    kRequestKey,   // of the noise
    kRequestMask,  // the word at which the output's mask begins, counted from the first request; 0: all ids take part
    kRequestWantsCandidates,
    // The first request alone says where the list begins and ends, in units of kLogitBiasWords from the first request.
    kRequestLogitBiases,
    kRequestLogitBiasesEnd,
    kRequestWords = 8,
};
// A logit bias in words: whose logit it changes, as output << kBiasedIdBits | id, what a positive logit is
// multiplied by and what another is, and what is added then.
enum LogitBiasWord : uint32_t {
    kBiasedLogit,
    kLogitBiasAboveZero,
    kLogitBiasBelowZero,
    kLogitBiasAddend,
    kLogitBiasWords
};
inline constexpr uint32_t kBiasedIdBits = 20;  // a vocabulary has at most 2^20 ids (model::DecoderSpecLimits)
inline constexpr uint32_t kNoId = 0xffffffffu;

// The answer of the kernel choose for an output, in words.
enum AnswerWord : uint32_t { kAnswerId, kAnswerIsFinite, kAnswerLogSumExp, kAnswerWords = 4 };

// Values that a work-group writes.
inline constexpr uint32_t kEmbedWidth = 8 * kGroupItems;  // the kernel embed
inline constexpr uint32_t kMergeWidth = 4 * kGroupItems;  // the kernel merge

inline constexpr auto kKernelConstants = std::to_array<std::pair<std::string_view, uint32_t>>({
    {"GROUP", kGroupItems},
    {"TILE_PAIRS", kTilePairs},
    {"PAGE_TOKENS", kPageTokens},
    {"KV_SPLIT", kKvSplit},
    {"STEP_OUTPUT_COUNT", kStepOutputCount},
    {"STEP_ROW_COUNT", kStepRowCount},
    {"STEP_CHUNKS", kStepChunks},
    {"STEP_HEADER", kStepHeader},
    {"ROW_TOKEN", kRowToken},
    {"ROW_POSITION", kRowPosition},
    {"ROW_SLOT", kRowSlot},
    {"ROW_IS_LAST_OUTPUT", kRowIsLastOutput},
    {"STEP_ROW_WORDS", kStepRowWords},
    {"REQUEST_TEMPERATURE", kRequestTemperature},
    {"REQUEST_KEY", kRequestKey},
    {"REQUEST_MASK", kRequestMask},
    {"REQUEST_WANTS_CANDIDATES", kRequestWantsCandidates},
    {"REQUEST_LOGIT_BIASES", kRequestLogitBiases},
    {"REQUEST_WORDS", kRequestWords},
    {"LOGIT_BIAS_WORDS", kLogitBiasWords},
    {"BIASED_ID_BITS", kBiasedIdBits},
    {"NO_ID", kNoId},
    {"ANSWER_ID", kAnswerId},
    {"ANSWER_IS_FINITE", kAnswerIsFinite},
    {"ANSWER_LOG_SUM_EXP", kAnswerLogSumExp},
    {"ANSWER_WORDS", kAnswerWords},
    {"EMBED_WIDTH", kEmbedWidth},
    {"MERGE_WIDTH", kMergeWidth},
});

}  // namespace llmd::compute
