// The rotations of model::fill_rotations() for every position, and what they do to a head. Immutable after create():
// rotate() may be called from any thread.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/cpu/host_buffer.h"
#include "engine/model/decoder_spec.h"

namespace llmd::compute {

class RotaryTable {
public:
    // factors: as fill_rotations() takes them. OutOfMemory when the table does not fit.
    static base::Result<RotaryTable> create(const model::DecoderSpec& spec, uint32_t n_ctx,
                                            std::span<const float> factors);

    // Rotates the first n_rot dimensions of each of n_heads heads of this layer; does nothing without rotation.
    void rotate(const model::LayerSpec& layer, uint32_t position, float* heads, uint32_t n_heads) const;

private:
    HostBuffer table_;  // [position][pair](cos, sin)
    uint32_t n_pairs_ = 0;
};

}  // namespace llmd::compute
