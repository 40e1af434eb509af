// Gguf::parse(): one pass over the header, then the placement of the tensors in the data section.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/model/gguf.h"
#include "engine/model/gguf_layout.h"

static_assert(std::endian::native == std::endian::little, "GGUF's numbers are read as they lie in the file");

namespace llmd::model {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;

class GgufParser {
public:
    explicit GgufParser(std::span<const std::byte> file) : file_(file) {}

    Result<Gguf> parse();

private:
    struct TensorInfo {
        TensorView view;  // without data
        uint64_t offset;  // in the data section
        uint64_t size;    // bytes
        const std::string* name;
    };

    size_t left() const { return file_.size() - at_; }
    Error ends_early(std::string_view what, uint64_t wanted) const {
        return fail(ErrorCode::ModelLoadFailed, "gguf: the file ends inside ", what, ": ", wanted, " bytes at byte ",
                    at_, ", the file has ", file_.size());
    }
    // Precondition: left() >= sizeof(T).
    template <typename T>
    T take() {
        T value;
        std::memcpy(&value, file_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    template <typename T>
    Result<T> read(std::string_view what) {
        if (left() < sizeof(T)) return ends_early(what, sizeof(T));
        return take<T>();
    }
    Result<std::string_view> read_string(std::string_view what, uint64_t max_bytes);

    Result<void> read_key_value(uint64_t index);
    Result<Gguf::Value> read_value(std::string_view key, ValueType type);
    Result<Gguf::Value> read_array(std::string_view key);
    Result<void> read_tensor_info(uint64_t index);
    Result<uint64_t> alignment() const;
    Result<void> place_tensors(uint64_t alignment);

    std::span<const std::byte> file_;
    size_t at_ = 0;
    Gguf gguf_;
    std::vector<TensorInfo> infos_;
};

Result<Gguf> Gguf::parse(std::span<const std::byte> file) {
    return GgufParser(file).parse();
}

Result<Gguf> GgufParser::parse() {
    auto magic = read<uint32_t>("the magic number");
    if (!magic) return magic.error();
    if (std::memcmp(file_.data(), "GGUF", 4) != 0) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: not a GGUF file: it begins with ",
                    in_quotes({reinterpret_cast<const char*>(file_.data()), 4}));
    }
    auto version = read<uint32_t>("the version");
    if (!version) return version.error();
    if (*version != 2 && *version != 3) {
        // Every version so far fits into the lowest byte, so a number with only the highest byte set is a swapped one.
        if (*version != 0 && (*version & 0x00ffffff) == 0) {
            return fail(ErrorCode::ModelLoadFailed, "gguf: big-endian files are not supported (version ",
                        *version >> 24, ")");
        }
        return fail(ErrorCode::ModelLoadFailed, "gguf: version ", *version, " is not supported (2 and 3 are)");
    }

    auto n_tensors = read<uint64_t>("the number of tensors");
    if (!n_tensors) return n_tensors.error();
    if (*n_tensors > GgufLimits::kMaxTensors) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", *n_tensors, " tensors are more than ",
                    GgufLimits::kMaxTensors);
    }
    auto n_values = read<uint64_t>("the number of keys");
    if (!n_values) return n_values.error();
    if (*n_values > GgufLimits::kMaxKeyValues) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", *n_values, " keys are more than ", GgufLimits::kMaxKeyValues);
    }
    for (uint64_t i = 0; i < *n_values; ++i) {
        if (auto done = read_key_value(i); !done) return done.error();
    }
    for (uint64_t i = 0; i < *n_tensors; ++i) {
        if (auto done = read_tensor_info(i); !done) return done.error();
    }
    auto aligned = alignment();
    if (!aligned) return aligned.error();
    if (auto done = place_tensors(*aligned); !done) return done.error();
    return std::move(gguf_);
}

Result<std::string_view> GgufParser::read_string(std::string_view what, uint64_t max_bytes) {
    auto length = read<uint64_t>(what);
    if (!length) return length.error();
    if (*length > max_bytes) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " of ", *length, " bytes at byte ", at_,
                    " is longer than ", max_bytes);
    }
    if (*length > left()) return ends_early(what, *length);
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + at_, static_cast<size_t>(*length));
    at_ += text.size();
    return text;
}

Result<void> GgufParser::read_key_value(uint64_t index) {
    auto key = read_string(base::concat("key ", index), GgufLimits::kMaxKeyBytes);
    if (!key) return key.error();
    if (key->empty()) return fail(ErrorCode::ModelLoadFailed, "gguf: key ", index, " is empty");
    auto type = read<uint32_t>(base::concat("the type of ", in_quotes(*key)));
    if (!type) return type.error();
    auto value = read_value(*key, static_cast<ValueType>(*type));
    if (!value) return value.error();
    if (!gguf_.values_.emplace(*key, *value).second) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: key ", in_quotes(*key), " occurs twice");
    }
    return {};
}

Result<Gguf::Value> GgufParser::read_value(std::string_view key, ValueType type) {
    if (type == ValueType::Array) return read_array(key);
    if (type == ValueType::String) {
        auto text = read_string(base::concat("the value of ", in_quotes(key)), file_.size());
        if (!text) return text.error();
        return Gguf::Value(*text);
    }
    const size_t size = scalar_bytes(type);
    if (size == 0) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", in_quotes(key), " has value type ",
                    static_cast<uint32_t>(type), ", which does not exist");
    }
    if (left() < size) return ends_early(base::concat("the value of ", in_quotes(key)), size);
    switch (type) {
        case ValueType::U8:
            return Gguf::Value(uint64_t{take<uint8_t>()});
        case ValueType::U16:
            return Gguf::Value(uint64_t{take<uint16_t>()});
        case ValueType::U32:
            return Gguf::Value(uint64_t{take<uint32_t>()});
        case ValueType::U64:
            return Gguf::Value(take<uint64_t>());
        case ValueType::I8:
            return Gguf::Value(int64_t{take<int8_t>()});
        case ValueType::I16:
            return Gguf::Value(int64_t{take<int16_t>()});
        case ValueType::I32:
            return Gguf::Value(int64_t{take<int32_t>()});
        case ValueType::I64:
            return Gguf::Value(take<int64_t>());
        case ValueType::F32:
            return Gguf::Value(double{take<float>()});
        case ValueType::F64:
            return Gguf::Value(take<double>());
        default:
            break;
    }
    const auto byte = take<uint8_t>();
    if (byte > 1) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", in_quotes(key), " is a boolean of value ", int{byte});
    }
    return Gguf::Value(byte == 1);
}

Result<Gguf::Value> GgufParser::read_array(std::string_view key) {
    const std::string what = base::concat("the array ", in_quotes(key));
    auto element_type = read<uint32_t>(what);
    if (!element_type) return element_type.error();
    auto count = read<uint64_t>(what);
    if (!count) return count.error();
    if (*count > GgufLimits::kMaxArrayElements) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " has ", *count, " elements, more than ",
                    GgufLimits::kMaxArrayElements);
    }
    const auto type = static_cast<ValueType>(*element_type);
    const size_t begin = at_;
    if (type == ValueType::String) {
        for (uint64_t i = 0; i < *count; ++i) {
            if (left() < sizeof(uint64_t)) return ends_early(what, sizeof(uint64_t));
            const auto length = take<uint64_t>();
            if (length > left()) return ends_early(base::concat(what, ", element ", i), length);
            at_ += static_cast<size_t>(length);
        }
    } else {
        const size_t size = scalar_bytes(type);
        if (size == 0) {
            return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " has elements of ",
                        type == ValueType::Array ? "arrays" : base::concat("value type ", *element_type),
                        ", which is not supported");
        }
        const uint64_t bytes = *count * size;  // both limited: no overflow
        if (bytes > left()) return ends_early(what, bytes);
        at_ += static_cast<size_t>(bytes);
    }
    return Gguf::Value(Gguf::Array{*element_type, *count, file_.subspan(begin, at_ - begin)});
}

Result<void> GgufParser::read_tensor_info(uint64_t index) {
    auto name = read_string(base::concat("the name of tensor ", index), GgufLimits::kMaxTensorNameBytes);
    if (!name) return name.error();
    if (name->empty()) return fail(ErrorCode::ModelLoadFailed, "gguf: the name of tensor ", index, " is empty");
    const std::string what = base::concat("tensor ", in_quotes(*name));

    auto n_dimensions = read<uint32_t>(what);
    if (!n_dimensions) return n_dimensions.error();
    if (*n_dimensions == 0 || *n_dimensions > GgufLimits::kMaxDimensions) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " has ", *n_dimensions, " dimensions (1 to ",
                    GgufLimits::kMaxDimensions, " are valid)");
    }
    // No format packs more than 8 weights into a byte: with this bound no product below can overflow.
    const uint64_t max_weights = uint64_t{file_.size()} * 8;
    uint64_t cols = 0;
    uint64_t weights = 1;
    for (uint32_t i = 0; i < *n_dimensions; ++i) {
        auto size = read<uint64_t>(what);
        if (!size) return size.error();
        if (*size == 0 || *size > max_weights / weights) {
            return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, ": dimension ", i, " is ", *size,
                        *size == 0 ? "" : ": the file is too small for that many weights");
        }
        weights *= *size;
        if (i == 0) cols = *size;
    }
    auto type_id = read<uint32_t>(what);
    if (!type_id) return type_id.error();
    const BlockLayout* format = find_block_layout(*type_id);
    if (format == nullptr) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " is ", ggml_type_name(*type_id),
                    ", which is not supported");
    }
    const auto row = row_bytes(format->type, cols);
    if (!row) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, ": rows of ", cols, " weights are not whole ",
                    format->name, " blocks of ", format->block_weights);
    }
    auto offset = read<uint64_t>(what);
    if (!offset) return offset.error();

    const uint64_t rows = weights / cols;
    const TensorView view{format->type, rows, cols, {}};
    const auto [it, added] = gguf_.tensors_.emplace(*name, view);
    if (!added) return fail(ErrorCode::ModelLoadFailed, "gguf: ", what, " occurs twice");
    infos_.push_back({view, *offset, rows * *row, &it->first});
    return {};
}

Result<uint64_t> GgufParser::alignment() const {
    constexpr uint32_t kDefault = 32;
    constexpr uint32_t kMin = 8;  // specification: a multiple of 8
    auto value = gguf_.get_u32_or("general.alignment", kDefault);
    if (!value) return value.error();
    if (*value < kMin || *value > GgufLimits::kMaxAlignment || !std::has_single_bit(*value)) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: general.alignment is ", *value, ", not a power of two from ",
                    kMin, " to ", GgufLimits::kMaxAlignment);
    }
    return uint64_t{*value};
}

Result<void> GgufParser::place_tensors(uint64_t alignment) {
    const uint64_t data_begin = (at_ + alignment - 1) / alignment * alignment;
    const uint64_t data_size = file_.size() > data_begin ? file_.size() - data_begin : 0;
    std::sort(infos_.begin(), infos_.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    uint64_t used = 0;  // end of the tensor before
    for (const TensorInfo& info : infos_) {
        const auto misplaced = [&](const auto&... why) {
            return fail(ErrorCode::ModelLoadFailed, "gguf: tensor ", in_quotes(*info.name), " of ", info.size,
                        " bytes at offset ", info.offset, why...);
        };
        if (info.offset % alignment != 0) return misplaced(" is not aligned to ", alignment);
        if (info.offset > data_size || info.size > data_size - info.offset) {
            return misplaced(" reaches past the end of the file: the data section has ", data_size, " bytes");
        }
        // Overlapping tensors would let a small file ask for any amount of device memory.
        if (info.offset < used) return misplaced(" overlaps another tensor");
        used = info.offset + info.size;
        gguf_.tensors_.find(*info.name)->second.data =
            file_.subspan(static_cast<size_t>(data_begin + info.offset), static_cast<size_t>(info.size));
    }
    return {};
}

}  // namespace llmd::model
