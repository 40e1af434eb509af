#include "engine/compute/cpu/cpu_weights.h"

#include <cstring>

#include "engine/compute/checks.h"
#include "engine/compute/cpu/packed_rows.h"

namespace llmd::compute {

using base::ErrorCode;
using model::Role;

CpuWeights::CpuWeights(const model::DecoderSpec& spec) : spec_(spec), tensors_(model::kRoleCount * spec.n_layers()) {}

size_t CpuWeights::index(Role role, uint32_t layer) const {
    return static_cast<size_t>(role) * spec_.n_layers() + layer;
}

base::Result<void> CpuWeights::add(const model::Weight& weight) {
    const model::TensorView& view = weight.tensor;
    if (auto checked = check_weight(spec_, weight); !checked) return checked;
    const std::string name = weight_name(weight.role, weight.layer);
    Tensor& tensor = tensors_[index(weight.role, weight.layer)];
    if (tensor.data.size() != 0) return base::fail(ErrorCode::ModelLoadFailed, name, " is uploaded twice");
    const bool as_floats = model::is_vector(weight.role);
    // A position's row is only ever looked up.
    const bool packed = !as_floats && weight.role != Role::PositionEmbedding && is_packed(view.type);
    const uint64_t row_bytes = as_floats ? view.cols * sizeof(float) : view.data.size() / view.rows;
    const uint64_t bytes = row_bytes * (packed ? padded_rows(view.rows) : view.rows);
    auto data = HostBuffer::allocate(bytes, name);
    if (!data) return data.error();
    if (as_floats) {
        model::dequantize(view.type, view.data, {data->as<float>(), view.rows * view.cols});
    } else if (packed) {
        pack_rows(view.type, row_bytes, view.data, data->as<uint8_t>());
    } else {
        std::memcpy(data->as<std::byte>(), view.data.data(), view.data.size());
    }
    tensor.data = std::move(*data);
    tensor.matrix = {as_floats ? model::TensorType::F32 : view.type,
                     static_cast<uint32_t>(view.rows),
                     static_cast<uint32_t>(view.cols),
                     row_bytes,
                     packed,
                     tensor.data.as<uint8_t>()};
    size_bytes_ += bytes;
    return {};
}

base::Result<void> CpuWeights::check_complete() const {
    for (size_t i = 0; i < model::kRoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        if (!model::is_required(role, spec_)) continue;
        for (uint32_t layer = 0; layer < (model::is_in_layer(role) ? spec_.n_layers() : 1); ++layer) {
            if (tensors_[index(role, layer)].data.size() != 0) continue;
            return base::fail(ErrorCode::ModelLoadFailed, weight_name(role, layer), " was not uploaded");
        }
    }
    return {};
}

const Matrix* CpuWeights::matrix(Role role, uint32_t layer) const {
    const Tensor& tensor = tensors_[index(role, layer)];
    if (tensor.data.size() != 0) return &tensor.matrix;
    return role == Role::Output ? matrix(Role::TokenEmbedding) : nullptr;
}

const float* CpuWeights::vector(Role role, uint32_t layer) const {
    return tensors_[index(role, layer)].data.as<float>();
}

}  // namespace llmd::compute
