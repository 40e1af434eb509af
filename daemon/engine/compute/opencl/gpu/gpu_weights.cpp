#include "engine/compute/opencl/gpu/gpu_weights.h"

#include <algorithm>

#include "engine/compute/checks.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"

namespace llmd::compute::gpu {
namespace {

using base::ErrorCode;
using base::Result;
using model::Role;
using model::TensorType;

constexpr uint64_t kMostPartBytes = UINT32_MAX;         // kernels count them with 32 bits
constexpr uint64_t kConstantBytes = 2 * sizeof(float);  // MatmulWeights::bias and norm_sum, of a row
constexpr uint64_t kStagingBytes = 2u << 20;            // of repacked weights between host and device

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

const GpuWeights::Tensor* GpuWeights::find(Role role, uint32_t layer) const {
    const auto found = tensors_.find({role, layer});
    return found == tensors_.end() ? nullptr : &found->second;
}

const MatmulWeights* GpuWeights::matmul(Role matrix, uint32_t layer) const {
    const auto found = matmuls_.find({rows_.matmul_of(matrix, layer), layer});
    return found == matmuls_.end() ? nullptr : &found->second;
}

uint32_t GpuWeights::intermediate_width() const {
    uint32_t width = spec_.has_post_norms ? padded_width(spec_.n_embd) : 0;
    for (const auto& [key, matmul] : matmuls_) {
        const model::LayerSpec& of = spec_.layers[key.second];
        const bool is_intermediate =
            key.first == Role::FfnGate ||
            (key.first == Role::AttnQ && (of.qk_norm != model::QkNorm::None || of.is_convolution()));
        if (is_intermediate) width = std::max(width, matmul.rows);
    }
    return width;
}

Result<void> GpuWeights::declare_tensors(std::span<const model::Weight> weights) {
    for (const model::Weight& weight : weights) {
        if (auto checked = check_weight(spec_, weight); !checked) return checked;
        if (!tensors_.emplace(TensorKey(weight.role, weight.layer), Tensor{weight.tensor, {}, false}).second) {
            return base::fail(ErrorCode::ModelLoadFailed, weight_name(weight.role, weight.layer), " comes twice");
        }
        rows_.add(weight);
        if (!model::is_vector(weight.role)) continue;
        std::vector<float>& floats = vectors_[{weight.role, weight.layer}];
        floats.resize(weight.tensor.rows * weight.tensor.cols);
        model::dequantize(weight.tensor.type, weight.tensor.data, floats);
    }
    return {};
}

Result<void> GpuWeights::upload(DeviceQueue& queue, const model::Weight& weight) {
    if (auto checked = check_weight(spec_, weight); !checked) return checked;
    const std::string name = weight_name(weight.role, weight.layer);
    const auto found = tensors_.find({weight.role, weight.layer});
    if (found == tensors_.end() || found->second.view.type != weight.tensor.type) {
        return base::fail(ErrorCode::ModelLoadFailed, name, " was not declared");
    }
    Tensor& tensor = found->second;
    if (tensor.is_uploaded) return base::fail(ErrorCode::ModelLoadFailed, name, " is uploaded twice");
    tensor.is_uploaded = true;
    tensor.view = weight.tensor;
    if (model::is_vector(weight.role) || weight.role == Role::PositionEmbedding) return upload_vector(queue, weight);

    const Role matmul = rows_.matmul_of(weight.role, weight.layer);
    const auto sources = rows_.sources_of(matmul, weight.layer);
    const auto has_arrived = [&](Role role) {
        const Tensor* source = find(role, weight.layer);
        return source != nullptr && source->is_uploaded;
    };
    if (std::all_of(sources.begin(), sources.end(), has_arrived)) return pack(queue, matmul, weight.layer);
    tensor.kept.assign(weight.tensor.data.begin(), weight.tensor.data.end());
    tensor.view.data = tensor.kept;
    return {};
}

Result<void> GpuWeights::check_complete() const {
    for (size_t r = 0; r < model::kRoleCount; ++r) {
        const Role role = static_cast<Role>(r);
        for (uint32_t layer = 0; layer < (model::is_in_layer(role) ? spec_.n_layers() : 1); ++layer) {
            const Tensor* tensor = find(role, layer);
            if (!model::is_required(role, spec_, layer) || (tensor != nullptr && tensor->is_uploaded)) continue;
            return base::fail(ErrorCode::ModelLoadFailed, weight_name(role, layer), " was not uploaded");
        }
    }
    return {};
}

Result<ClBuffer> GpuWeights::upload_floats(DeviceQueue& queue, const std::string& name, std::span<const float> floats) {
    auto buffer = queue.allocate(name, floats.size_bytes());
    if (!buffer) return buffer.error();
    if (auto ok = queue.upload(*buffer, 0, std::as_bytes(floats)); !ok) return ok.error();
    size_bytes_ += floats.size_bytes();
    return std::move(*buffer);
}

Result<void> GpuWeights::upload_vector(DeviceQueue& queue, const model::Weight& weight) {
    const std::string name = weight_name(weight.role, weight.layer);
    if (weight.role == model::rope_factors_role(spec_, n_ctx_)) {
        rope_factors_ = vectors_.at({weight.role, weight.layer});
    } else if (weight.role == Role::PositionEmbedding) {
        // Positions past the context are never read.
        const uint64_t rows = std::min<uint64_t>(weight.tensor.rows, n_ctx_);
        std::vector<float> floats(rows * weight.tensor.cols);
        model::dequantize(weight.tensor.type, weight.tensor.slice(0, rows).data, floats);
        auto buffer = upload_floats(queue, name, floats);
        if (!buffer) return buffer.error();
        positions_ = std::move(*buffer);
    }
    return {};
}

Result<void> GpuWeights::pack(DeviceQueue& queue, Role matmul, uint32_t layer) {
    const auto sources = rows_.sources_of(matmul, layer);
    const auto rows = rows_.rows_of(matmul, layer);
    const std::string name = weight_name(sources[0], layer);
    MatmulWeights& to = matmuls_[{matmul, layer}];
    to.rows = static_cast<uint32_t>(rows.size());
    to.cols = rows_.cols_of(matmul, layer);
    bool is_split = false;
    const uint64_t most_bytes = std::min(queue.limits().max_buffer_bytes, kMostPartBytes);
    for (const RowRange& range : rows_.parts_of(rows, to.cols, most_bytes)) {
        MatmulPart part;
        part.layout = range.layout;
        part.first_pair = static_cast<uint32_t>(range.first / 2);
        const auto of_part = std::span(rows).subspan(range.first, range.count);
        if (auto ok = pack_part(queue, of_part, to.cols, name, part); !ok) return ok;
        to.parts.push_back(std::move(part));
        is_split = is_split || range.is_cut;
    }
    if (is_split) ++split_matmuls_;
    if (auto ok = add_constants(queue, matmul, layer, rows, to); !ok) return ok;
    for (const Role role : sources) tensors_[{role, layer}].kept = {};
    return {};
}

bool GpuWeights::fits_images(const DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols,
                             Layout layout) const {
    if (!images_.contains(layout)) return false;
    for (const WeightArray array : kWeightArrays) {
        if (tile_bytes(layout, array, cols, true) == 0) continue;
        const uint64_t texels = tile_bytes(layout, array, cols, true) /
                                array_format(layout, array, true).element_bytes * (rows.size() / kTileRows);
        if (texels > queue.limits().image_texels) return false;
    }
    if (layout != Layout::Q8_0) return true;
    return std::none_of(rows.begin(), rows.end(), [&](const SourceRow& row) {
        if (row.is_zero) return false;
        const model::TensorView& view = tensors_.at(row.tensor).view;
        return holds_minus_128(view.type, view.row(row.row));
    });
}

Result<void> GpuWeights::pack_part(DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols,
                                   const std::string& name, MatmulPart& part) {
    const size_t tiles = rows.size() / kTileRows;
    part.n_pairs = static_cast<uint32_t>(rows.size() / 2);
    part.image = fits_images(queue, rows, cols, part.layout);
    const auto upload = [&] { return upload_arrays(queue, rows, cols, name, part); };
    auto arrays = probe_ && !part.image ? probe_->make_in_segments(upload) : upload();
    if (!arrays) return arrays.error();
    part.arrays = std::move(*arrays);
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        const uint64_t bytes = tile_bytes(part.layout, kWeightArrays[p], cols, part.image);
        size_bytes_ += bytes * tiles;
        if (!part.image || bytes == 0) continue;
        const uint64_t texels = bytes / array_format(part.layout, kWeightArrays[p], true).element_bytes * tiles;
        auto image = queue.image_of(part.arrays[p], texel_format(part.layout, kWeightArrays[p]), texels);
        if (!image) return image.error();
        part.arrays[p] = std::move(*image);
    }
    return {};
}

Result<WeightBuffers> GpuWeights::upload_arrays(DeviceQueue& queue, std::span<const SourceRow> rows, uint32_t cols,
                                                const std::string& name, const MatmulPart& part) {
    const size_t tiles = rows.size() / kTileRows;
    const uint64_t all_arrays = tile_bytes(part.layout, cols, part.image);
    WeightBuffers buffers;
    for (size_t p = 0; p < (part.image ? kWeightArrays.size() : 1); ++p) {
        const uint64_t bytes = part.image ? tile_bytes(part.layout, kWeightArrays[p], cols, true) : all_arrays;
        if (part.image && bytes == 0) continue;  // not every layout has every array
        auto buffer = queue.allocate(name, bytes * tiles);
        if (!buffer) return buffer.error();
        buffers[p] = std::move(*buffer);
    }

    const size_t staged = std::clamp<uint64_t>(kStagingBytes / all_arrays, 1, tiles);
    std::array<std::vector<uint64_t>, kWeightArrays.size()> staging;
    for (size_t p = 0; p < kWeightArrays.size(); ++p) {
        staging[p].resize(tile_bytes(part.layout, kWeightArrays[p], cols, part.image) * staged / sizeof(uint64_t));
    }
    for (size_t first = 0; first < tiles; first += staged) {
        const size_t n = std::min(staged, tiles - first);
        for (size_t t = 0; t < n; ++t) {
            const auto tile = rows.subspan((first + t) * kTileRows, kTileRows);
            const TensorType type = rows_.tile_type(tile);
            if (is_reencoded(type)) reencoded_.insert(type);
            TileRows sources{};
            for (size_t r = 0; r < kTileRows; ++r) {
                if (!tile[r].is_zero) sources[r] = tensors_.at(tile[r].tensor).view.row(tile[r].row).data();
            }
            TileArrays arrays;
            for (size_t p = 0; p < kWeightArrays.size(); ++p) {
                const size_t bytes = tile_bytes(part.layout, kWeightArrays[p], cols, part.image);
                arrays[p] = std::as_writable_bytes(std::span(staging[p])).subspan(t * bytes, bytes);
            }
            repack_tile(type, cols, sources, arrays, part.image);
        }
        uint64_t array_at = 0;
        for (size_t p = 0; p < kWeightArrays.size(); ++p) {
            const size_t bytes = tile_bytes(part.layout, kWeightArrays[p], cols, part.image);
            if (bytes == 0) continue;
            const auto done = std::as_bytes(std::span(staging[p])).first(n * bytes);
            const ClBuffer& to = buffers[part.image ? p : 0];
            if (auto ok = queue.upload(to, array_at + first * bytes, done); !ok) return ok.error();
            if (!part.image) array_at += tiles * bytes;
        }
    }
    return buffers;
}

Result<void> GpuWeights::add_constants(DeviceQueue& queue, Role matmul, uint32_t layer, std::span<const SourceRow> rows,
                                       MatmulWeights& to) {
    const auto norm = matmul == Role::TokenEmbedding ? std::nullopt : model::norm_before(rows[0].tensor.first, spec_);
    const bool after_layer_norm = norm && spec_.norm == model::Norm::LayerNorm;
    std::vector<float> row_bias(rows.size()), norm_sum(after_layer_norm ? rows.size() : 0), weights(to.cols);
    const auto vector = [&](std::optional<Role> role) -> const std::vector<float>* {
        if (!role) return nullptr;
        const auto found = vectors_.find({*role, layer});
        return found == vectors_.end() ? nullptr : &found->second;
    };
    const auto* norm_weight = after_layer_norm ? vector(norm) : nullptr;
    const auto* norm_bias = after_layer_norm ? vector(model::bias_of(*norm)) : nullptr;
    std::map<Role, const std::vector<float>*> biases;  // of the matrices
    for (const Role source : rows_.sources_of(matmul, layer)) {
        biases[source] = vector(model::bias_of(source));
    }
    for (size_t r = 0; r < rows.size(); ++r) {
        if (rows[r].is_zero) continue;
        const Role role = rows[r].tensor.first;
        double sum_of_biases = 0, sum_of_weights = 0;
        if (norm_weight != nullptr) {
            const model::TensorView& view = tensors_.at(rows[r].tensor).view;
            model::dequantize(view.type, view.row(rows[r].row), weights);
            if (is_rounded(view.type)) {
                for (float& weight : weights) weight = model::half_to_float(model::float_to_half(weight));
            }
            for (size_t i = 0; i < weights.size(); ++i) {
                sum_of_weights += double{weights[i]} * (*norm_weight)[i];
                if (norm_bias != nullptr) sum_of_biases += double{weights[i]} * (*norm_bias)[i];
            }
            if (matmul == Role::Output) {  // its norm's weight has this scale on the device
                sum_of_weights *= double{spec_.logit_scale};
                sum_of_biases *= double{spec_.logit_scale};
            }
            norm_sum[r] = static_cast<float>(sum_of_weights);
        }
        if (const auto* bias = biases.at(role)) sum_of_biases += (*bias)[rows[r].row];
        row_bias[r] = static_cast<float>(sum_of_biases);
    }
    const std::string name = weight_name(rows[0].tensor.first, layer);
    if (std::any_of(row_bias.begin(), row_bias.end(), [](float s) { return s != 0; })) {
        auto buffer = upload_floats(queue, base::concat("constants of ", name), row_bias);
        if (!buffer) return buffer.error();
        to.bias = std::move(*buffer);
    }
    if (after_layer_norm) {
        auto buffer = upload_floats(queue, base::concat("constants of ", name), norm_sum);
        if (!buffer) return buffer.error();
        to.norm_sum = std::move(*buffer);
    }
    return {};
}

}  // namespace llmd::compute::gpu
