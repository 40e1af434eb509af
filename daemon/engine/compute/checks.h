// Checks that every backend makes alike: misuse of one is misuse of all. Slots and positions are PageTables' part.
// Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/step_queue.h"

namespace llmd::compute {

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
