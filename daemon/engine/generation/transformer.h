// The forward pass, as a sequence of the backend's ops. What differs between families is data in model_config and
// handled by the backend; the order of the ops is here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

// Submits one batch. There is one request for each row that wants output, in the order of the rows. Any error is the
// device's, and the backend can then only be destroyed; this holds for all functions here.
base::Result<void> submit_step(compute::Backend& backend, uint32_t n_layers, std::span<const compute::Row> rows,
                               std::span<const compute::SampleRequest> requests);

// Waits for the oldest submitted batch, and returns the answers to its n_requests in their order. They are valid until
// the next call.
base::Result<std::span<const compute::Sampled>> wait_step(compute::Backend& backend, size_t n_requests);

// Does both. The answers are valid until the next call.
base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, uint32_t n_layers,
                                                        std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests);

}  // namespace llmd::generation
