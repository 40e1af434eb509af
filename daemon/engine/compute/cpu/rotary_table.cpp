#include "engine/compute/cpu/rotary_table.h"

#include <utility>

#include "engine/compute/rotary_angles.h"

namespace llmd::compute {

base::Result<RotaryTable> RotaryTable::create(const model::ModelConfig& config, uint32_t n_ctx,
                                              std::span<const float> factors) {
    RotaryTable rotary;
    rotary.head_dim_ = config.head_dim;
    rotary.half_split_ = config.positions == model::Positions::RotaryHalfSplit;
    if (config.positions == model::Positions::Learned) return rotary;
    rotary.n_pairs_ = config.n_rot / 2;
    auto table = HostBuffer::allocate(uint64_t{n_ctx} * rotary.n_pairs_ * 2 * sizeof(float), "rotary table");
    if (!table) return table.error();
    fill_rotary_turns(config, factors, {table->as<float>(), size_t{n_ctx} * rotary.n_pairs_ * 2});
    rotary.table_ = std::move(*table);
    return rotary;
}

void RotaryTable::rotate(uint32_t position, float* heads, uint32_t n_heads) const {
    const float* turn = table_.as<float>() + size_t{position} * n_pairs_ * 2;
    const uint32_t step = half_split_ ? 1 : 2;
    const uint32_t partner = half_split_ ? n_pairs_ : 1;
    for (uint32_t h = 0; h < n_heads; ++h, heads += head_dim_) {
        for (uint32_t i = 0; i < n_pairs_; ++i) {
            float& a = heads[size_t{i} * step];
            float& b = heads[size_t{i} * step + partner];
            const float c = turn[size_t{2} * i], s = turn[size_t{2} * i + 1];
            const float turned = a * c - b * s;
            b = a * s + b * c;
            a = turned;
        }
    }
}

}  // namespace llmd::compute
