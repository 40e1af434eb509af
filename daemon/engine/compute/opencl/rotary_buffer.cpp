#include "engine/compute/opencl/rotary_buffer.h"

#include <vector>

#include "engine/compute/rotary_angles.h"

namespace llmd::compute {

base::Result<ClBuffer> upload_rotary_turns(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_ctx,
                                           std::span<const float> factors) {
    const uint32_t pairs = config.positions == model::Positions::Learned ? 0 : config.n_rot / 2;
    std::vector<float> turns(size_t{n_ctx} * pairs * 2);
    ClBuffer buffer;
    const Allocation wanted = {&buffer, "rotary positions", turns.size() * sizeof(float)};
    if (auto ok = queue.allocate({&wanted, 1}); !ok) return ok.error();
    fill_rotary_turns(config, factors, turns);
    if (auto ok = queue.upload(buffer, 0, std::as_bytes(std::span(turns))); !ok) return ok.error();
    return buffer;
}

}  // namespace llmd::compute
