#include "engine/compute/cpu/cpu_weights.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "engine/compute/checks.h"

namespace llmd::compute {
namespace {

using model::TensorType;

// Bytes of a block up to `end`, from where the field before ended, are elements of `size` bytes.
struct Field {
    uint32_t end = 0, size = 0;
};
constexpr size_t kMostFields = 5;

// The fields of a block in their order; those that it lacks come first and end at 0. None of plain numbers.
constexpr std::array<Field, kMostFields> fields_of(const model::BlockLayout& block) {
    std::array<Field, kMostFields> fields = {{{block.scale.end(), 2},
                                              {block.minimum.end(), 2},
                                              {block.sub_scales.end(), 1},
                                              {block.quants.end(), 4},
                                              {block.high_bits.end(), 4}}};
    std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) { return a.end < b.end; });
    return fields;
}

template <size_t kSize>
using Size = std::integral_constant<size_t, kSize>;

// copy(byte of the row, byte of the group, size) for every part of row r, whose elements lie as the header says. Sizes
// are types, so that a copy is a move and not a call: three times as fast.
template <class Copy>
void for_each_unit(TensorType type, size_t row_bytes, size_t r, const Copy& copy) {
    const auto fields = fields_of(model::block_layout(type));
    const size_t block = model::block_layout(type).block_bytes;
    const size_t n_blocks = row_bytes / block;
    const size_t apart = block % 4;  // bytes of the half that lies before all blocks
    for (size_t b = 0; b < n_blocks; ++b) {
        size_t at = 0;
        size_t in_group = (apart == 0 ? 0 : packed_halves_bytes(n_blocks)) + kPackedRows * (block - apart) * b;
        const auto each = [&](auto size, size_t end) {
            for (; at < end; at += size, in_group += kPackedRows * size) {
                copy(b * block + at, in_group + size * r, size);
            }
        };
        for (const Field& field : fields) {
            if (field.size == 4) {
                each(Size<4>(), field.end);
            } else if (field.size == 1) {
                each(Size<1>(), field.end);
            } else if (apart == 0 || at == field.end) {
                each(Size<2>(), field.end);
            } else {
                copy(b * block + at, kPackedRows * apart * b + 2 * r, Size<2>());
                at = field.end;
            }
        }
    }
}

}  // namespace

bool is_packed(TensorType type) {
    return !model::block_layout(type).is_plain();
}

void pack_rows(TensorType type, size_t row_bytes, std::span<const std::byte> rows, uint8_t* to) {
    for (size_t row = 0; row < rows.size() / row_bytes; ++row) {
        const std::byte* from = rows.data() + row * row_bytes;
        uint8_t* group = to + row / kPackedRows * packed_group_bytes(row_bytes);
        for_each_unit(type, row_bytes, row % kPackedRows, [&](size_t in_row, size_t in_group, auto size) {
            std::memcpy(group + in_group, from + in_row, size);
        });
    }
}

void unpack_row(TensorType type, const uint8_t* packed, size_t row, std::span<std::byte> to) {
    const uint8_t* group = packed + row / kPackedRows * packed_group_bytes(to.size());
    for_each_unit(type, to.size(), row % kPackedRows, [&](size_t in_row, size_t in_group, auto size) {
        std::memcpy(to.data() + in_row, group + in_group, size);
    });
}

void dequantize_row(const Matrix& from, uint32_t row, float* scratch, float* out) {
    std::span blocks(reinterpret_cast<const std::byte*>(from.data + row * from.row_bytes), from.row_bytes);
    if (from.is_packed) {
        const std::span unpacked(reinterpret_cast<std::byte*>(scratch), from.row_bytes);
        unpack_row(from.type, from.data, row, unpacked);
        blocks = unpacked;
    }
    model::dequantize(from.type, blocks, {out, from.cols});
}

using base::ErrorCode;
using model::Role;

CpuWeights::CpuWeights(const model::DecoderSpec& spec) : spec_(spec), tensors_(model::kRoleCount * spec.n_layers()) {}

size_t CpuWeights::index(Role role, uint32_t layer) const {
    return static_cast<size_t>(role) * spec_.n_layers() + layer;
}

base::Result<void> CpuWeights::add(const model::Weight& weight, const OnCopied& on_copied) {
    const model::TensorView& view = weight.tensor;
    if (auto checked = check_weight(spec_, weight); !checked) return checked;
    const std::string name = weight_name(weight.role, weight.layer);
    Matrix& tensor = tensors_[index(weight.role, weight.layer)];
    if (tensor.data != nullptr) return base::fail(ErrorCode::ModelLoadFailed, name, " is uploaded twice");
    const bool as_floats = model::is_vector(weight.role);
    // A position's row is only ever looked up.
    const bool packed = !as_floats && weight.role != Role::PositionEmbedding && is_packed(view.type);
    const uint64_t row_bytes = as_floats ? view.cols * sizeof(float) : view.data.size() / view.rows;
    const uint64_t bytes = packed ? packed_bytes(view.rows, row_bytes) : row_bytes * view.rows;
    const auto data = arena_.allocate(bytes, name);
    if (!data) return data.error();
    if (as_floats) {
        model::dequantize(view.type, view.data, {reinterpret_cast<float*>(*data), view.rows * view.cols});
        on_copied(view.data.size());
    } else {
        const uint64_t at_once = std::max<uint64_t>(kCopiedBytes / row_bytes / kPackedRows, 1) * kPackedRows;
        for (uint64_t row = 0; row < view.rows; row += at_once) {
            const auto rows = view.slice(row, std::min(at_once, view.rows - row)).data;
            uint8_t* to = *data + (packed ? packed_bytes(row, row_bytes) : row * row_bytes);
            if (packed) {
                pack_rows(view.type, row_bytes, rows, to);
            } else {
                std::memcpy(to, rows.data(), rows.size());
            }
            on_copied(rows.size());
        }
    }
    tensor = {as_floats ? model::TensorType::F32 : view.type,
              static_cast<uint32_t>(view.rows),
              static_cast<uint32_t>(view.cols),
              row_bytes,
              packed,
              *data};
    size_bytes_ += bytes;
    return {};
}

base::Result<void> CpuWeights::check_complete() const {
    for (size_t i = 0; i < model::kRoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        for (uint32_t layer = 0; layer < (model::is_in_layer(role) ? spec_.n_layers() : 1); ++layer) {
            if (!model::is_required(role, spec_, layer) || tensors_[index(role, layer)].data != nullptr) continue;
            return base::fail(ErrorCode::ModelLoadFailed, weight_name(role, layer), " was not uploaded");
        }
    }
    return {};
}

const Matrix* CpuWeights::matrix(Role role, uint32_t layer) const {
    const Matrix& tensor = tensors_[index(role, layer)];
    if (tensor.data != nullptr) return &tensor;
    return role == Role::Output ? matrix(Role::TokenEmbedding) : nullptr;
}

const float* CpuWeights::vector(Role role, uint32_t layer) const {
    return reinterpret_cast<const float*>(tensors_[index(role, layer)].data);
}

}  // namespace llmd::compute
