#include "engine/compute/opencl/runtime/rotary_buffer.h"

#include <vector>

#include "engine/compute/rotary_angles.h"

namespace llmd::compute {

uint64_t rotary_bytes(const model::ModelConfig& config, uint32_t n_ctx) {
    return config.positions == model::Positions::Learned ? 0 : uint64_t{n_ctx} * config.n_rot * sizeof(float);
}

base::Result<void> upload_rotary_turns(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_ctx,
                                       std::span<const float> factors, const ClBuffer& to, uint64_t offset) {
    std::vector<float> turns(rotary_bytes(config, n_ctx) / sizeof(float));
    if (turns.empty()) return {};
    fill_rotary_turns(config, factors, turns);
    return queue.upload(to, offset, std::as_bytes(std::span(turns)));
}

}  // namespace llmd::compute
