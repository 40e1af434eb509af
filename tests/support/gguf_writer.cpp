#include "support/gguf_writer.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace llmd::test {
namespace {

using model::TensorType;

template <Scalar T>
void append(std::vector<std::byte>& out, T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append(std::vector<std::byte>& out, std::string_view text) {
    append(out, uint64_t{text.size()});
    append(out, std::as_bytes(std::span(text)));
}

uint64_t align(uint64_t at, uint64_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
}

}  // namespace

GgufWriter::GgufWriter(uint32_t version, uint32_t alignment) : version_(version), alignment_(alignment) {
    if (alignment != 32) add("general.alignment", alignment);
}

void GgufWriter::add(std::string_view key, std::string_view value) {
    std::vector<std::byte> bytes;
    append(bytes, value);
    add_raw(key, ValueType::String, bytes);
}

void GgufWriter::add_array(std::string_view key, const std::vector<std::string>& values) {
    std::vector<std::byte> bytes;
    for (const std::string& value : values) append(bytes, std::string_view(value));
    add_array_raw(key, ValueType::String, values.size(), bytes);
}

void GgufWriter::add_raw(std::string_view key, ValueType type, std::span<const std::byte> value) {
    append(values_, key);
    append(values_, static_cast<uint32_t>(type));
    append(values_, value);
    ++n_values_;
}

void GgufWriter::add_array_raw(std::string_view key, ValueType element, uint64_t count,
                               std::span<const std::byte> elements) {
    std::vector<std::byte> bytes;
    append(bytes, static_cast<uint32_t>(element));
    append(bytes, count);
    append(bytes, elements);
    add_raw(key, ValueType::Array, bytes);
}

void GgufWriter::add_tensor(std::string_view name, TensorType type, uint64_t rows, uint64_t cols,
                            std::span<const std::byte> data) {
    const uint64_t offset = next_offset();
    add_tensor_raw(name, std::array{cols, rows}, static_cast<uint32_t>(type), offset);
    data_.resize(offset);
    append(data_, data);
}

void GgufWriter::add_vector(std::string_view name, std::span<const float> values) {
    const uint64_t offset = next_offset();
    add_tensor_raw(name, std::array{uint64_t{values.size()}}, static_cast<uint32_t>(TensorType::F32), offset);
    data_.resize(offset);
    append(data_, std::as_bytes(values));
}

void GgufWriter::add_tensor_raw(std::string_view name, std::span<const uint64_t> dimensions, uint32_t type_id,
                                uint64_t offset) {
    append(tensor_infos_, name);
    append(tensor_infos_, static_cast<uint32_t>(dimensions.size()));
    append(tensor_infos_, std::as_bytes(dimensions));
    append(tensor_infos_, type_id);
    append(tensor_infos_, offset);
    tensors_.push_back({std::string(name), {dimensions.begin(), dimensions.end()}, type_id, offset});
    ++n_tensors_;
}

uint64_t GgufWriter::next_offset() const {
    return align(data_.size(), alignment_);
}

std::vector<std::byte> GgufWriter::bytes() const {
    std::vector<std::byte> file;
    append(file, std::as_bytes(std::span("GGUF", 4)));
    append(file, version_);
    append(file, n_tensors_);
    append(file, n_values_);
    append(file, std::span<const std::byte>(values_));
    append(file, std::span<const std::byte>(tensor_infos_));
    if (!data_.empty()) file.resize(align(file.size(), alignment_));
    append(file, std::span<const std::byte>(data_));
    return file;
}

std::vector<GgufWriter> GgufWriter::parts(uint32_t n_parts) const {
    std::vector<GgufWriter> parts(n_parts, GgufWriter(version_));
    parts[0].values_ = values_;
    parts[0].n_values_ = n_values_;
    for (uint32_t i = 0; i < n_parts; ++i) {
        GgufWriter& part = parts[i];
        part.alignment_ = alignment_;
        if (i > 0 && alignment_ != GgufWriter().alignment_) part.add("general.alignment", alignment_);
        part.add("split.no", static_cast<uint16_t>(i));
        part.add("split.count", static_cast<uint16_t>(n_parts));
        part.add("split.tensors.count", static_cast<int32_t>(tensors_.size()));
        for (size_t t = tensors_.size() * i / n_parts; t < tensors_.size() * (i + 1) / n_parts; ++t) {
            const uint64_t end = t + 1 < tensors_.size() ? tensors_[t + 1].offset : data_.size();
            const uint64_t offset = part.next_offset();
            part.add_tensor_raw(tensors_[t].name, tensors_[t].dimensions, tensors_[t].type_id, offset);
            part.data_.resize(offset);
            append(part.data_, std::span(data_).subspan(tensors_[t].offset, end - tensors_[t].offset));
        }
    }
    return parts;
}

float random_float(RandomBits& bits, float low, float high) {
    const float unit = static_cast<float>(bits() >> 40) * 0x1p-24f;
    return low + (high - low) * unit;
}

namespace {

std::vector<std::byte> random_floats(TensorType type, uint64_t weights, float amplitude, RandomBits& bits) {
    std::vector<std::byte> out;
    for (uint64_t i = 0; i < weights; ++i) {
        const float value = random_float(bits, -amplitude, amplitude);
        if (type == TensorType::F32) append(out, value);
        if (type == TensorType::F16) append(out, model::float_to_half(value));
        if (type == TensorType::BF16) append(out, static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    }
    return out;
}

}  // namespace

std::vector<std::byte> random_blocks(TensorType type, uint64_t weights, float amplitude, RandomBits& bits) {
    const model::BlockLayout& format = model::block_layout(type);
    if (format.block_weights == 1) return random_floats(type, weights, amplitude, bits);
    std::vector<std::byte> out(weights / format.block_weights * format.block_bytes);
    for (std::byte& byte : out) byte = static_cast<std::byte>(bits() >> 56);
    // Any bits elsewhere make weights of the wanted magnitude, with integers from 0 up around a minimum.
    const float centre = static_cast<float>(format.n_codes() - 1) / 2;
    const bool centres = format.minimum.exists() && !format.sub_scales.exists();
    const float scale = amplitude / (centres ? centre : static_cast<float>(format.largest()));
    const uint16_t stored = model::float_to_half(scale);
    const uint16_t min = model::float_to_half(scale * (centres ? -centre : centre));
    for (size_t block = 0; block < out.size(); block += format.block_bytes) {
        std::memcpy(out.data() + block + format.scale.at, &stored, sizeof stored);
        if (format.minimum.exists()) std::memcpy(out.data() + block + format.minimum.at, &min, sizeof min);
    }
    return out;
}

bool write_file(const std::string& path, std::span<const std::byte> bytes) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    return std::fclose(file) == 0 && written;
}

}  // namespace llmd::test
