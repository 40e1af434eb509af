#include "engine/convert/gguf_output.h"

#include <fcntl.h>

#include <array>
#include <bit>
#include <cerrno>

#include "base/file_bytes.h"

namespace llmd::convert {
namespace {

using base::ErrorCode;
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

}  // namespace llmd::convert
