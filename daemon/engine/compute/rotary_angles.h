// The angles of rotary positions (Su et al. 2021), the same for every backend.
#pragma once

#include <span>

#include "engine/model/model_config.h"

namespace llmd::compute {

// Fills out[position][pair](cos, sin), n_rot / 2 pairs for each position from 0 on. Pair i turns by position *
// rope_theta^(-2i / n_rot) / (rope_factor * factors[i]), computed in double; `factors` is empty where there are none.
void fill_rotary_turns(const model::ModelConfig& config, std::span<const float> factors, std::span<float> out);

}  // namespace llmd::compute
