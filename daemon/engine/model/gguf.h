// Reads the GGUF container, versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): a header,
// typed key/value metadata, and tensors. The file is untrusted input: every count, length and offset is checked against
// the bytes that are there before it is used, and nothing is allocated larger than the file justifies.
// Immutable after parse(): may be read from any thread. Every view points into the bytes given to parse(), which the
// caller keeps alive and unchanged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/model/quantization.h"

namespace llmd::model {

struct GgufLimits {
    static constexpr uint64_t kMaxKeyValues = 65'536;
    static constexpr uint64_t kMaxTensors = 65'536;
    static constexpr uint64_t kMaxKeyBytes = 65'535;         // specification: "at most 2^16-1 bytes"
    static constexpr uint64_t kMaxTensorNameBytes = 256;     // specification says 64; real files exceed it
    static constexpr uint64_t kMaxArrayElements = 1u << 24;  // the largest vocabulary known has under 2^19
    static constexpr uint32_t kMaxDimensions = 4;
    static constexpr uint64_t kMaxAlignment = 1u << 20;
};

// One tensor as stored. A matrix has `rows` rows of `cols` consecutive weights; a vector has rows == 1.
struct TensorView {
    TensorType type = TensorType::F32;
    uint64_t rows = 0;
    uint64_t cols = 0;
    std::span<const std::byte> data;  // exactly rows * row_bytes(type, cols)
    uint32_t part = 0;                // of the files of a split model, the one that has it

    uint64_t row_size_bytes() const { return rows == 0 ? 0 : data.size() / rows; }
    std::span<const std::byte> row(uint64_t r) const { return data.subspan(r * row_size_bytes(), row_size_bytes()); }
    // The rows [first, first + count) as a view of their own.
    TensorView slice(uint64_t first, uint64_t count) const {
        return {type, count, cols, data.subspan(first * row_size_bytes(), count * row_size_bytes()), part};
    }
};

// An array of strings as it lies in the file, whose bounds have been checked: it can be read from front to back.
class Strings {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using difference_type = std::ptrdiff_t;
        using value_type = std::string_view;
        using reference = std::string_view;
        using pointer = void;

        Iterator() = default;
        explicit Iterator(const std::byte* at) : at_(at) {}
        std::string_view operator*() const { return {reinterpret_cast<const char*>(at_) + sizeof(uint64_t), length()}; }
        Iterator& operator++() {
            at_ += sizeof(uint64_t) + length();
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator&) const = default;

    private:
        size_t length() const {
            uint64_t length;
            std::memcpy(&length, at_, sizeof length);
            return static_cast<size_t>(length);
        }

        const std::byte* at_ = nullptr;
    };

    Strings() = default;
    // data: `size` times a 64-bit length and as many bytes.
    Strings(std::span<const std::byte> data, size_t size) : data_(data), size_(size) {}

    Iterator begin() const { return Iterator(data_.data()); }
    Iterator end() const { return Iterator(data_.data() + data_.size()); }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

private:
    std::span<const std::byte> data_;
    size_t size_ = 0;
};

class Gguf {
public:
    // ModelLoadFailed for anything malformed, naming the field, its value and what would be valid; an unknown or
    // unsupported tensor type is named, and so is the tensor that has it. Duplicate keys and names are refused.
    static base::Result<Gguf> parse(std::span<const std::byte> file);

    // Metadata. The `get_` functions fail with ModelLoadFailed naming the key when it is absent or has another type;
    // the `_or` functions use `other` when it is absent and fail when it has another type. Integers of every width are
    // accepted where their value fits.
    bool has(std::string_view key) const;
    // The keys that begin with `prefix`, in alphabetical order.
    std::vector<std::string_view> keys(std::string_view prefix) const;
    base::Result<uint32_t> get_u32(std::string_view key) const;
    base::Result<uint32_t> get_u32_or(std::string_view key, uint32_t other) const;
    base::Result<float> get_f32(std::string_view key) const;
    base::Result<float> get_f32_or(std::string_view key, float other) const;
    base::Result<bool> get_bool_or(std::string_view key, bool other) const;
    base::Result<std::string_view> get_string(std::string_view key) const;
    base::Result<std::string_view> get_string_or(std::string_view key, std::string_view other) const;
    // Arrays. An absent key gives an empty one.
    base::Result<Strings> get_strings(std::string_view key) const;
    base::Result<std::vector<float>> get_floats(std::string_view key) const;
    base::Result<std::vector<int32_t>> get_ints(std::string_view key) const;
    // The number of an array's elements, of any type; 0 for an absent key.
    base::Result<uint64_t> array_size(std::string_view key) const;

    const std::map<std::string, TensorView, std::less<>>& tensors() const { return tensors_; }
    // Null when there is none of that name.
    const TensorView* tensor(std::string_view name) const;
    // The sum of all tensors' sizes.
    uint64_t weight_bytes() const;

    // Adds the tensors of another file of a split model, whose bytes are to be kept alive too. ModelLoadFailed names
    // one that is there already, and the number where they become too many.
    base::Result<void> add_tensors(const Gguf& other, uint32_t part);

private:
    friend class GgufParser;

    struct Array {
        uint32_t element_type;
        uint64_t count;
        std::span<const std::byte> data;  // the elements as stored, all bounds checked
    };
    using Value = std::variant<uint64_t, int64_t, double, bool, std::string_view, Array>;

    const Value* find(std::string_view key) const;

    std::map<std::string, Value, std::less<>> values_;
    std::map<std::string, TensorView, std::less<>> tensors_;
};

// Text from an untrusted file, made fit for an error message: in double quotes, cut at 64 bytes; every byte that is not
// printable ASCII becomes '?', because messages travel on transports that want valid UTF-8 and into logs that want one
// line. (Not `quoted`: for a std::string an unqualified call would find std::quoted.)
std::string in_quotes(std::string_view text);

}  // namespace llmd::model
