#include "engine/convert/gguf_output.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>

#include "base/file_bytes.h"

namespace llmd::convert {

namespace {

using base::ErrorCode;
using model::TensorType;
using model::ValueType;

static_assert(std::endian::native == std::endian::little, "GGUF's numbers are little-endian");

constexpr uint32_t kGgufVersion = 3;
constexpr uint64_t kAlignment = 32;  // the format's default

template <typename T>
void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_string(std::string& out, std::string_view text) {
    append(out, uint64_t{text.size()});
    out.append(text);
}

uint64_t padding_after(uint64_t bytes) {
    return (kAlignment - bytes % kAlignment) % kAlignment;
}

constexpr uint64_t kChunkWeights = 1u << 20;  // 4 MiB of floats

// Returns the first weight that is NaN or whose magnitude exceeds `most`. The first loop is vectorized and tells
// whether there is one; the search is slower.
std::vector<float>::const_iterator find_too_large(const std::vector<float>& weights, float most) {
    bool is_too_large = false;
    for (const float weight : weights) is_too_large |= !(std::fabs(weight) <= most);
    if (!is_too_large) return weights.end();
    return std::find_if_not(weights.begin(), weights.end(), [&](float w) { return std::fabs(w) <= most; });
}

base::Result<void> write_tensor(GgufOutput& out, const TensorSource& tensor, TensorType type,
                                std::vector<float>& weights, std::vector<std::byte>& blocks) {
    const uint64_t cols = tensor.shape.cols, n_rows = std::max<uint64_t>(tensor.shape.rows, 1);
    const float most = largest_weight(type);
    const uint64_t rows_at_once = std::max<uint64_t>(kChunkWeights / cols, 1);
    for (uint64_t row = 0; row < n_rows; row += rows_at_once) {
        weights.resize(std::min(rows_at_once, n_rows - row) * cols);
        if (auto read = tensor.read(row, weights); !read) return read;
        if (const auto found = find_too_large(weights, most); found != weights.end()) {
            const uint64_t index = row * cols + static_cast<uint64_t>(found - weights.begin());
            return base::fail(base::ErrorCode::ModelLoadFailed, tensor.origin, ": weight ", index, " is ", *found,
                              ", which ", model::block_layout(type).name, " cannot hold");
        }
        blocks.resize(*model::row_bytes(type, weights.size()));
        quantize(type, weights, blocks);
        if (auto written = out.write(blocks); !written) return written;
    }
    return {};
}

}  // namespace

void GgufOutput::add_key(std::string_view key, ValueType type) {
    append_string(values_, key);
    append(values_, static_cast<uint32_t>(type));
    ++n_values_;
}

void GgufOutput::add_array_key(std::string_view key, ValueType element, uint64_t count) {
    add_key(key, ValueType::Array);
    append(values_, static_cast<uint32_t>(element));
    append(values_, count);
}

void GgufOutput::add(std::string_view key, uint32_t value) {
    add_key(key, ValueType::U32);
    append(values_, value);
}
void GgufOutput::add(std::string_view key, float value) {
    add_key(key, ValueType::F32);
    append(values_, value);
}
void GgufOutput::add(std::string_view key, bool value) {
    add_key(key, ValueType::Bool);
    append(values_, static_cast<uint8_t>(value));
}
void GgufOutput::add(std::string_view key, std::string_view value) {
    add_key(key, ValueType::String);
    append_string(values_, value);
}
void GgufOutput::add(std::string_view key, std::span<const std::string> values) {
    add_array_key(key, ValueType::String, values.size());
    for (const std::string& value : values) append_string(values_, value);
}
void GgufOutput::add(std::string_view key, std::span<const float> values) {
    add_array_key(key, ValueType::F32, values.size());
    for (const float value : values) append(values_, value);
}
void GgufOutput::add(std::string_view key, std::span<const int32_t> values) {
    add_array_key(key, ValueType::I32, values.size());
    for (const int32_t value : values) append(values_, value);
}

void GgufOutput::declare(std::string_view name, model::TensorType type, uint64_t rows, uint64_t cols) {
    append_string(tensors_, name);
    append(tensors_, uint32_t{rows == 0 ? 1u : 2u});
    append(tensors_, cols);
    if (rows != 0) append(tensors_, rows);
    append(tensors_, static_cast<uint32_t>(type));
    append(tensors_, next_offset_);
    const uint64_t size = (rows == 0 ? 1 : rows) * *model::row_bytes(type, cols);
    sizes_.push_back(size);
    next_offset_ += size + padding_after(size);
}

base::Result<void> GgufOutput::begin() {
    std::string head = "GGUF";
    append(head, kGgufVersion);
    append(head, uint64_t{sizes_.size()});
    append(head, n_values_);
    head += values_;
    head += tensors_;
    head.resize(head.size() + padding_after(head.size()));
    // If the disk is too small this fails early, and whoever watches the file knows its final size.
    const auto size = static_cast<off_t>(head.size() + next_offset_);
    if (::fallocate(fd_, 0, 0, size) != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
        return base::fail_errno(ErrorCode::Failed, base::concat("room for a model of ", size, " bytes"), errno);
    }
    return write_out(std::as_bytes(std::span(head)));
}

base::Result<void> GgufOutput::write(std::span<const std::byte> bytes) {
    if (auto written = write_out(bytes); !written) return written;
    written_ += bytes.size();
    if (written_ < sizes_[current_]) return {};
    constexpr std::array<std::byte, kAlignment> kZeros{};
    const uint64_t padding = padding_after(sizes_[current_]);
    ++current_;
    written_ = 0;
    return write_out(std::span(kZeros).first(padding));
}

base::Result<void> GgufOutput::write_out(std::span<const std::byte> bytes) {
    if (base::write_all(fd_, bytes)) return {};
    return base::fail_errno(ErrorCode::Failed, "writing the model", errno);
}

base::Result<void> write_tensors(GgufOutput& out, const std::vector<TensorSource>& tensors, FileType type,
                                 uint32_t n_layers) {
    const bool has_output = std::any_of(tensors.begin(), tensors.end(), [](const TensorSource& tensor) {
        return tensor.shape.name == "output.weight";
    });
    std::vector<TensorType> types;
    for (const TensorSource& tensor : tensors) {
        types.push_back(tensor_type(type, tensor.shape, n_layers, has_output));
        out.declare(tensor.shape.name, types.back(), tensor.shape.rows, tensor.shape.cols);
    }
    if (auto begun = out.begin(); !begun) return begun;
    std::vector<float> weights;
    std::vector<std::byte> blocks;
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (auto written = write_tensor(out, tensors[i], types[i], weights, blocks); !written) return written;
    }
    return {};
}

}  // namespace llmd::convert
