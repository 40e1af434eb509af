#include "engine/compute/opencl/gpu/matmul_rows.h"

#include <algorithm>

namespace llmd::compute::gpu {
namespace {

using model::Role;

constexpr uint64_t kConstantBytes = 2 * sizeof(float);  // MatmulWeights::bias and norm_sum, of a row

}  // namespace

void MatmulRows::add(const model::Weight& weight) {
    const model::TensorView& tensor = weight.tensor;
    tensors_[{weight.role, weight.layer}] = {tensor.type, static_cast<uint32_t>(tensor.rows),
                                             static_cast<uint32_t>(tensor.cols)};
}

bool MatmulRows::has_interleaved_gate(uint32_t layer) const {
    const auto gate = tensors_.find({Role::FfnGate, layer}), up = tensors_.find({Role::FfnUp, layer});
    return gate != tensors_.end() && up != tensors_.end() && gate->second.type == up->second.type;
}

Role MatmulRows::matmul_of(Role matrix, uint32_t layer) const {
    switch (matrix) {
        case Role::TokenEmbedding:
            return has(Role::Output, 0) ? Role::TokenEmbedding : Role::Output;
        case Role::AttnK:
        case Role::AttnV:
            return Role::AttnQ;
        case Role::FfnGate:
            return has_interleaved_gate(layer) ? Role::FfnUp : Role::FfnGate;
        default:
            return matrix;
    }
}

std::vector<Role> MatmulRows::sources_of(Role matmul, uint32_t layer) const {
    if (matmul == Role::AttnQ) return {Role::AttnQ, Role::AttnK, Role::AttnV};
    if (matmul == Role::FfnUp && has_interleaved_gate(layer)) return {Role::FfnGate, Role::FfnUp};
    if (matmul == Role::Output && !has(Role::Output, 0)) return {Role::TokenEmbedding};
    return {matmul};
}

uint32_t MatmulRows::rotary_order(const model::LayerSpec& layer, uint32_t i) {
    const uint32_t in_head = i % layer.head_dim;
    if (layer.rotation != model::Rotation::HalfSplit || in_head >= layer.n_rot) return i;
    return i - in_head + in_head / 2 + in_head % 2 * (layer.n_rot / 2);
}

std::vector<SourceRow> MatmulRows::rows_of(Role matmul, uint32_t layer) const {
    const auto sources = sources_of(matmul, layer);
    std::vector<SourceRow> rows;
    if (sources.size() == 2) {
        for (uint32_t i = 0; i < spec_.layers[layer].n_ff; ++i) {
            for (const Role role : sources) rows.push_back({{role, layer}, i, false});
        }
        rows.resize(round_up(static_cast<uint32_t>(rows.size()), kTileRows));
        return rows;
    }
    for (const Role role : sources) {
        const uint32_t n = tensors_.at({role, layer}).rows;
        const bool is_rotated = role == Role::AttnQ || role == Role::AttnK;
        for (uint32_t i = 0; i < n; ++i) {
            rows.push_back({{role, layer}, is_rotated ? rotary_order(spec_.layers[layer], i) : i, false});
        }
        rows.resize(round_up(static_cast<uint32_t>(rows.size()), kTileRows));
    }
    return rows;
}

std::set<MatmulKind> MatmulRows::kinds(const KernelChoice& kernel_choice) const {
    std::set<MatmulKind> kinds;
    for (const auto& [key, shape] : tensors_) {
        const Role role = key.first;
        const uint32_t layer = key.second;
        if (model::is_vector(role) || role == Role::PositionEmbedding) continue;
        const Role matmul = matmul_of(role, layer);
        if (matmul == Role::TokenEmbedding) continue;  // rows of it are looked up
        const auto sources = sources_of(matmul, layer);
        const auto is_there = [&](Role source) { return has(source, layer); };
        if (sources[0] != role || !std::all_of(sources.begin(), sources.end(), is_there)) continue;
        const auto rows = rows_of(matmul, layer);
        const OutputKind output_kind = matmul == Role::Output ? OutputKind::Logits
                                       : sources.size() == 2  ? OutputKind::Pairs
                                                              : OutputKind::Rows;
        for (size_t first = 0; first < rows.size(); first += kTileRows) {
            const Layout layout = layout_for(tile_type(std::span(rows).subspan(first, kTileRows)));
            kinds.insert({layout, static_cast<uint32_t>(rows.size()), shape.cols, output_kind,
                          matmul == Role::AttnQ ? kernel_choice.qkv_value_bytes() : kernel_choice.value_bytes()});
        }
    }
    return kinds;
}

uint32_t MatmulRows::cols_of(Role matmul, uint32_t layer) const {
    return tensors_.at({sources_of(matmul, layer)[0], layer}).cols;
}

std::vector<RowRange> MatmulRows::parts_of(std::span<const SourceRow> rows, uint32_t cols,
                                           uint64_t max_buffer_bytes) const {
    std::vector<RowRange> parts;
    const auto layout_at = [&](size_t row) { return layout_for(tile_type(rows.subspan(row, kTileRows))); };
    uint64_t most_tiles = 0;  // of the part
    for (size_t row = 0; row < rows.size(); row += kTileRows) {
        const Layout layout = layout_at(row);
        const bool continues = !parts.empty() && parts.back().layout == layout;
        if (continues && parts.back().count / kTileRows < most_tiles) {
            parts.back().count += kTileRows;
            continue;
        }
        if (continues) parts.back().is_cut = true;
        most_tiles = std::max<uint64_t>(max_buffer_bytes / tile_bytes(layout, cols), 1);
        parts.push_back({layout, row, kTileRows});
    }
    return parts;
}

uint64_t gpu_weight_bytes(std::span<const model::Weight> weights) {
    uint64_t bytes = 0;
    for (const auto& [role, layer, tensor] : weights) {
        if (model::is_vector(role) || role == Role::PositionEmbedding) {
            bytes += tensor.rows * round_up(static_cast<uint32_t>(tensor.cols), kBlockCols) * sizeof(float);
            continue;
        }
        const auto cols = static_cast<uint32_t>(tensor.cols);
        uint64_t of_tile = kConstantBytes * kTileRows;
        for (const WeightArray array : kWeightArrays) {
            const Layout layout = layout_for(tensor.type);
            of_tile += std::max(tile_bytes(layout, array, cols), tile_bytes(layout, array, cols, true));
        }
        bytes += tile_count(static_cast<uint32_t>(tensor.rows)) * of_tile;
    }
    return bytes;
}

}  // namespace llmd::compute::gpu
