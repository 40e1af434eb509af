// The one forward pass. What differs between families is data in model_config and the backend's business; the order of
// the steps is here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

// Submits one batch. One request for each row that wants output, in row order. Any error is the device's and leaves
// nothing to go on with, here and below.
base::Result<void> submit_step(compute::Backend& backend, uint32_t n_layers, std::span<const compute::Row> rows,
                               std::span<const compute::SampleRequest> requests);

// Waits for the oldest submitted batch. The answers to its n_requests, in their order, are valid until the next call.
base::Result<std::span<const compute::Sampled>> wait_step(compute::Backend& backend, size_t n_requests);

// Both at once. One request for each row that wants output, in row order; the answers come in
// the same order and are valid until the next call.
base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, uint32_t n_layers,
                                                        std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests);

}  // namespace llmd::generation
