// The one forward pass. What differs between families is data in model_config and the backend's business; the order of
// the steps is here and nowhere else.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

// Computes one batch and waits for it. One request for each row that wants output, in row order; the answers come in
// the same order and are valid until the next call. Any error is the device's and leaves nothing to go on with.
base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, uint32_t n_layers,
                                                        std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests);

}  // namespace llmd::generation
