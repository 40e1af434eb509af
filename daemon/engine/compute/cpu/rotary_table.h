// The turns of rotary_angles.h for every position, and what they do to a head. Immutable after create(): rotate() may
// be called from any thread.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/cpu/host_buffer.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

class RotaryTable {
public:
    // factors: as fill_rotary_turns() takes them. OutOfMemory when the table does not fit.
    static base::Result<RotaryTable> create(const model::ModelConfig& config, uint32_t n_ctx,
                                            std::span<const float> factors);

    // Turns the first n_rot dimensions of each of n_heads heads; does nothing with learned positions.
    void rotate(uint32_t position, float* heads, uint32_t n_heads) const;

private:
    HostBuffer table_;  // [position][pair](cos, sin)
    uint32_t n_pairs_ = 0;
    uint32_t head_dim_ = 0;
    bool half_split_ = false;
};

}  // namespace llmd::compute
