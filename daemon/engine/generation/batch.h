// The batch of one step: a row for each sequence that decodes, and a chunk of prefill. Pure, so that fairness and sizes
// are tested without a device.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/generation/sequence.h"

namespace llmd::generation {

// A step should not keep a new request, a cancel or another sequence's next token waiting for longer than 250 ms. A
// fifth of that is left for the decoding rows of the same step and for a device that slows down.
inline constexpr std::chrono::milliseconds kPrefillTime{200};

// Rows of the first chunk, when the device's speed is unknown. A 1B model on a slow CPU takes a second for them.
inline constexpr uint32_t kFirstPrefillRows = 4;

// The most rows of a chunk: enough to reuse each weight, few enough for a device's activation buffers.
inline constexpr uint32_t kMaxPrefillRows = 128;

// Chooses the size of the next chunk from the time that earlier ones took. The sizes change no result (numeric
// contract).
class PrefillPace {
public:
    // max_rows 0: kMaxPrefillRows.
    explicit PrefillPace(uint32_t max_rows)
        : PrefillPace(std::min(kFirstPrefillRows, max_rows > 0 ? max_rows : kMaxPrefillRows),
                      max_rows > 0 ? max_rows : kMaxPrefillRows) {}
    // Keeps this size whatever the time, for tests of the contract.
    static PrefillPace exactly(uint32_t rows) { return {rows, 0}; }

    uint32_t rows() const { return rows_; }
    // Takes the `time` of a step with `prefill_rows` rows of prefill. The size at most doubles, so that one lucky
    // measurement cannot cause a long step. A chunk of fewer than rows(), the end of a prompt, counts only if it took
    // too long itself.
    void measured(uint32_t prefill_rows, std::chrono::microseconds time);

private:
    PrefillPace(uint32_t rows, uint32_t max_rows) : rows_(rows), max_rows_(max_rows) {}

    uint32_t rows_;
    uint32_t max_rows_;  // 0: rows_ never changes
};

struct Batch {
    // Consecutive rows of one sequence.
    struct Part {
        Sequence* sequence;
        uint32_t n_rows;
        uint32_t n_outputs;  // rows whose next token is sampled: the last row, if no token is pending after it, and
                             // with drafts some before it (Sequence::list_requests())
        uint32_t n_drafts;   // of the rows, the last ones: tokens that are only drafted
        bool is_prefill;
    };
    std::vector<Part> parts;
    std::vector<compute::Row> rows;
    uint32_t n_prefill_rows = 0;
};

// Fills `batch` and reuses its buffers. Sequences take part that have a slot and pending tokens and are not paused.
// Each decoding one gets its row; then the prefilling ones share `prefill_rows` in the given order. A decoding sequence
// also takes some of `prefill_rows` if tokens were accepted without being sampled. A row whose token is still being
// sampled has kSampledToken. A decoding sequence without tokens left over has its drafts too. Precondition: the
// decoding rows and prefill_rows fit into the backend's max_rows.
void plan_batch(std::span<Sequence* const> sequences, uint32_t prefill_rows, Batch& batch);

}  // namespace llmd::generation
