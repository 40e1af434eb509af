#include "engine/compute/opencl/blocks/block_weights.h"

#include <algorithm>

#include "engine/compute/checks.h"
#include "engine/compute/opencl/blocks/kernels.h"

namespace llmd::compute::blocks {
namespace {

using base::ErrorCode;
using base::Result;
using model::Role;

// What matrices lie in together, several huge pages, and how each begins: at a page, as drivers want it for memory that
// they take as it is.
constexpr uint64_t kPieceBytes = uint64_t{64} << 20;
constexpr uint64_t kMatrixAlignment = 4096;

// The position embedding is looked up by rows of floats, as vectors are.
bool is_matrix(Role role) {
    return !model::is_vector(role) && role != Role::PositionEmbedding;
}

}  // namespace

Result<void> BlockWeights::upload(DeviceQueue& queue, const model::Weight& weight) {
    if (auto checked = check_weight(config_, weight); !checked) return checked;
    const std::string name = weight_name(weight.role, weight.layer);
    const model::TensorView& tensor = weight.tensor;
    if (matrices_.count({weight.role, weight.layer}) + vectors_.count({weight.role, weight.layer}) != 0) {
        return base::fail(ErrorCode::ModelLoadFailed, name, " is uploaded twice");
    }
    if (is_matrix(weight.role)) return upload_matrix(queue, weight, name);
    if (weight.role == Role::RopeFactors) {
        rope_factors_.resize(tensor.cols);
        model::dequantize(tensor.type, tensor.data, rope_factors_);
        return {};
    }
    return upload_floats(queue, weight, name);
}

Result<ClBuffer> BlockWeights::allocate(DeviceQueue& queue, const std::string& name, uint64_t bytes) {
    const uint64_t taken = (bytes + kMatrixAlignment - 1) / kMatrixAlignment * kMatrixAlignment;
    if (memory_.empty() || free_bytes_ < taken) {
        auto piece = HostBuffer::allocate(std::max(taken, kPieceBytes), name);
        if (!piece && taken < kPieceBytes) piece = HostBuffer::allocate(taken, name);
        if (!piece) return piece.error();
        piece->use_huge_pages();
        free_bytes_ = piece->size();
        memory_.push_back(std::move(*piece));
    }
    const HostBuffer& piece = memory_.back();
    auto buffer = queue.allocate_at(piece.as<std::byte>() + (piece.size() - free_bytes_), name, bytes);
    if (buffer) free_bytes_ -= taken;
    return buffer;
}

Result<void> BlockWeights::upload_matrix(DeviceQueue& queue, const model::Weight& weight, const std::string& name) {
    const model::TensorView& tensor = weight.tensor;
    BlockMatrix matrix;
    matrix.type = tensor.type;
    matrix.rows = static_cast<uint32_t>(tensor.rows);
    matrix.cols = static_cast<uint32_t>(tensor.cols);
    matrix.row_bytes = static_cast<uint32_t>(*model::row_bytes(tensor.type, tensor.cols));

    // At least one row: allocate() then explains what does not fit.
    const uint64_t most_rows =
        std::clamp<uint64_t>(queue.limits().max_buffer_bytes / matrix.row_bytes, 1, kMaxGridGroups * kGroupRows);
    for (uint64_t first = 0; first < tensor.rows; first += most_rows) {
        const model::TensorView piece = tensor.slice(first, std::min(most_rows, tensor.rows - first));
        auto buffer = allocate(queue, name, piece.data.size());
        if (!buffer) return buffer.error();
        if (auto ok = queue.upload(*buffer, 0, piece.data); !ok) return ok;
        matrix.parts.push_back({std::move(*buffer), static_cast<uint32_t>(first), static_cast<uint32_t>(piece.rows)});
    }
    size_bytes_ += tensor.data.size();
    if (matrix.parts.size() > 1) ++split_matrices_;
    const BlockMatrix& kept = matrices_.emplace(Key(weight.role, weight.layer), std::move(matrix)).first->second;
    if (const auto [test, is_new] = test_rows_.try_emplace({kept.type, kept.cols}); is_new) {
        const auto rows = tensor.slice(0, std::min(kept.parts[0].rows, kTestRows)).data;
        test->second = {&kept, {rows.begin(), rows.end()}};
    }
    return {};
}

Result<void> BlockWeights::upload_floats(DeviceQueue& queue, const model::Weight& weight, const std::string& name) {
    const model::TensorView& tensor = weight.tensor;
    // Positions past the context are never read.
    const uint64_t rows =
        weight.role == Role::PositionEmbedding ? std::min<uint64_t>(tensor.rows, n_ctx_) : tensor.rows;
    const uint64_t row_size = tensor.cols * sizeof(float);
    auto buffer = queue.allocate(name, rows * row_size);
    if (!buffer) return buffer.error();
    std::vector<float> row(tensor.cols);
    for (uint64_t r = 0; r < rows; ++r) {
        model::dequantize(tensor.type, tensor.row(r), row);
        if (auto ok = queue.upload(*buffer, r * row_size, std::as_bytes(std::span(row))); !ok) return ok;
    }
    size_bytes_ += rows * row_size;
    vectors_.emplace(Key(weight.role, weight.layer), std::move(*buffer));
    return {};
}

const BlockMatrix* BlockWeights::find_matrix(Role role, uint32_t layer) const {
    const auto found = matrices_.find({role, layer});
    return found == matrices_.end() ? nullptr : &found->second;
}

const ClBuffer* BlockWeights::find_vector(Role role, uint32_t layer) const {
    const auto found = vectors_.find({role, layer});
    return found == vectors_.end() ? nullptr : &found->second;
}

Result<const BlockMatrix*> BlockWeights::matrix(Role role, uint32_t layer) const {
    if (const BlockMatrix* found = find_matrix(role, layer)) return found;
    return base::fail(ErrorCode::ModelLoadFailed, weight_name(role, layer), " was not uploaded");
}

Result<const ClBuffer*> BlockWeights::vector(Role role, uint32_t layer) const {
    if (const ClBuffer* found = find_vector(role, layer)) return found;
    return base::fail(ErrorCode::ModelLoadFailed, weight_name(role, layer), " was not uploaded");
}

}  // namespace llmd::compute::blocks
