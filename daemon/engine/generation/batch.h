// What one step computes: a row for every sequence that decodes, and a chunk of prefill. Pure, so that fairness and
// sizes are tested without a device.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/generation/sequence.h"

namespace llmd::generation {

// A step should not keep a new request, a cancel or another sequence's next word waiting for longer than 250 ms; a
// fifth of that is left for the decoding rows of the same step and for a device that slows down.
inline constexpr std::chrono::milliseconds kPrefillTime{200};

// Rows of the first chunk, when nothing is known of the device's speed: a 1B model on a slow CPU takes a second for
// them.
inline constexpr uint32_t kFirstPrefillRows = 4;

// Most rows of a chunk at any speed: enough to reuse each weight, few enough for a device's activation buffers.
inline constexpr uint32_t kMaxPrefillRows = 128;

// Chooses the size of the next chunk from the time that earlier ones took. Sizes change no result (numeric contract).
class PrefillPace {
public:
    // max_rows 0: kMaxPrefillRows.
    explicit PrefillPace(uint32_t max_rows)
        : PrefillPace(std::min(kFirstPrefillRows, max_rows > 0 ? max_rows : kMaxPrefillRows),
                      max_rows > 0 ? max_rows : kMaxPrefillRows) {}
    // Always this size, whatever the time: for tests of the contract.
    static PrefillPace exactly(uint32_t rows) { return {rows, 0}; }

    uint32_t rows() const { return rows_; }
    // A step with `prefill_rows` rows of prefill took `time`. At most doubles the size, so one lucky measurement cannot
    // make a long step. A chunk below rows(), the end of a prompt, counts only when it took too long itself.
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
        bool wants_output;  // its last row does: nothing is pending behind it, and a token is to follow
        bool is_prefill;
    };
    std::vector<Part> parts;
    std::vector<compute::Row> rows;
    uint32_t n_prefill_rows = 0;
};

// Fills `batch` (its buffers are reused). Sequences that have a slot, something pending and are not paused take part:
// every decoding one with its row, then prefilling ones in the given order share `prefill_rows`. Of these a decoding
// one also takes rows where tokens were accepted that nothing was sampled for. A row whose token is still being sampled
// says kSampledToken. Precondition: the decoding rows and prefill_rows fit into the backend's max_rows.
void plan_batch(std::span<Sequence* const> sequences, uint32_t prefill_rows, Batch& batch);

}  // namespace llmd::generation
