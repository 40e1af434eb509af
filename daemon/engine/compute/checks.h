// Checks that every backend makes alike, of arguments and of the order of calls: misuse of one is misuse of all. Slots
// and positions are PageTables' part. The functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

struct Step {
    uint32_t set = 0;  // < kMaxStepsInFlight
    uint32_t n_rows = 0;
    uint32_t n_outputs = 0;
    bool is_computed = false;      // forward() was called
    bool is_sampled = false;       // sample() was called
    bool with_candidates = false;  // and a request wants them
};

// The steps of a backend from begin() to wait(): which call may come next, and which of kMaxStepsInFlight sets of
// buffers belongs to a step. A set is taken again only after its step has been waited for. Thread-bound. Errors are
// InvalidArgument.
class StepQueue {
public:
    // A step may begin: none is open, and a set is free.
    base::Result<void> check_begin() const;
    // Opens a step. Precondition: check_begin().
    Step& begin(uint32_t n_rows, uint32_t n_outputs);
    // The open step.
    base::Result<Step*> open();
    // The open step, for forward(), which was not called for it yet; it is computed from now on.
    base::Result<Step*> mark_computed();
    // The open step, for sample(), which comes behind forward().
    base::Result<Step*> computed();
    // None is open.
    base::Result<void> check_closed() const;
    // It is in flight from now on.
    base::Result<void> submit();
    // Takes the oldest one in flight.
    base::Result<Step> wait();

    // Outputs of the step just waited for, if it was sampled; 0 once another has begun, for then its logits are gone.
    uint32_t readable_outputs() const { return is_open_ || n_in_flight_ > 0 ? 0 : readable_outputs_; }
    // Likewise its rows, sampled or not.
    uint32_t readable_rows() const { return is_open_ || n_in_flight_ > 0 ? 0 : readable_rows_; }

private:
    std::array<Step, kMaxStepsInFlight> steps_;  // a ring: those in flight, then the open one
    uint32_t first_ = 0;
    uint32_t n_in_flight_ = 0;
    bool is_open_ = false;
    uint32_t readable_outputs_ = 0;
    uint32_t readable_rows_ = 0;

    Step& open_step() { return steps_[(first_ + n_in_flight_) % kMaxStepsInFlight]; }
};

// Words of SampleRequest::allowed.
constexpr uint32_t mask_words(uint32_t n_vocab) {
    return (n_vocab + 31) / 32;
}

// InvalidArgument names the limit, its value and the range.
base::Result<void> check_limits(const model::DecoderSpec& spec, const BackendLimits& limits);

// ModelLoadFailed when the tensor is in no layer of this model, its shape is not the config's, or its bytes are not
// what type and shape say.
base::Result<void> check_weight(const model::DecoderSpec& spec, const model::Weight& weight);

// "ffn_down of layer 3"
std::string weight_name(model::Role role, uint32_t layer);

// The rest is InvalidArgument and names the field and its value: a batch's size, tokens and outputs,
base::Result<void> check_rows(const model::DecoderSpec& spec, const BackendLimits& limits, std::span<const Row> rows);
// sample()'s requests for an open step,
base::Result<void> check_requests(const model::DecoderSpec& spec, const Step& step,
                                  std::span<const SampleRequest> requests);
// a page that is read or written as n_bytes, of page_bytes,
base::Result<void> check_page(const BackendLimits& limits, const StepQueue& steps, KvPage page, size_t n_bytes,
                              uint64_t page_bytes);
// read_logits() after n_outputs rows,
base::Result<void> check_logits_read(const model::DecoderSpec& spec, uint32_t n_outputs, uint32_t output,
                                     size_t out_size);
// and read_residual() after n_rows.
base::Result<void> check_residual_read(const model::DecoderSpec& spec, uint32_t n_rows, size_t out_size);

}  // namespace llmd::compute
