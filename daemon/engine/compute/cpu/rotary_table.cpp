#include "engine/compute/cpu/rotary_table.h"

#include <utility>

namespace llmd::compute {

base::Result<RotaryTable> RotaryTable::create(const model::DecoderSpec& spec, uint32_t n_ctx,
                                              std::span<const float> factors) {
    RotaryTable rotary;
    rotary.n_pairs_ = spec.n_rot() / 2;
    const size_t n = size_t{n_ctx} * rotary.n_pairs_ * 2;
    auto table = HostBuffer::allocate(n * sizeof(float), "rotary table");
    if (!table) return table.error();
    if (n > 0) model::fill_rotations(spec, factors, {table->as<float>(), n});
    rotary.table_ = std::move(*table);
    return rotary;
}

void RotaryTable::rotate(const model::LayerSpec& layer, uint32_t position, float* heads, uint32_t n_heads) const {
    if (layer.rotation == model::Rotation::None) return;
    const float* rotation = table_.as<float>() + size_t{position} * n_pairs_ * 2;
    const bool half_split = layer.rotation == model::Rotation::HalfSplit;
    const uint32_t step = half_split ? 1 : 2;
    const uint32_t partner = half_split ? n_pairs_ : 1;
    for (uint32_t h = 0; h < n_heads; ++h, heads += layer.head_dim) {
        for (uint32_t i = 0; i < n_pairs_; ++i) {
            float& a = heads[size_t{i} * step];
            float& b = heads[size_t{i} * step + partner];
            const float c = rotation[size_t{2} * i], s = rotation[size_t{2} * i + 1];
            const float rotated = a * c - b * s;
            b = a * s + b * c;
            a = rotated;
        }
    }
}

}  // namespace llmd::compute
