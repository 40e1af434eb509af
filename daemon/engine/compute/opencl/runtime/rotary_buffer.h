// The table of rotary positions on a device: [position < n_ctx][n_rot / 2] (cos, sin) as rotary_angles.h has them; none
// where the model has learned positions.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

uint64_t rotary_bytes(const model::ModelConfig& config, uint32_t n_ctx);
// From byte `offset` on.
base::Result<void> upload_rotary_turns(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_ctx,
                                       std::span<const float> factors, const ClBuffer& to, uint64_t offset);

}  // namespace llmd::compute
