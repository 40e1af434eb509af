// The table of rotary positions on a device.
#pragma once

#include <span>

#include "base/result.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

// [position < n_ctx][n_rot / 2] (cos, sin) as rotary_angles.h has them; a few unused bytes where the model has learned
// positions.
base::Result<ClBuffer> upload_rotary_turns(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_ctx,
                                           std::span<const float> factors);

}  // namespace llmd::compute
