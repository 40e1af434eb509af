#include "engine/model/gguf.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/model/gguf_layout.h"

namespace llmd::model {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;

Error absent(std::string_view key) {
    return fail(ErrorCode::ModelLoadFailed, "gguf: ", key, " is absent");
}

Error wrong_type(std::string_view key, std::string_view wanted) {
    return fail(ErrorCode::ModelLoadFailed, "gguf: ", key, " is not ", wanted);
}

template <typename T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename Variant>
Result<uint32_t> as_u32(std::string_view key, const Variant& value) {
    constexpr std::string_view kWanted = "an integer from 0 to 4294967295";
    constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
    if (const auto* u = std::get_if<uint64_t>(&value)) {
        if (*u <= kMax) return static_cast<uint32_t>(*u);
        return wrong_type(key, base::concat(kWanted, ": ", *u));
    }
    if (const auto* i = std::get_if<int64_t>(&value)) {
        if (*i >= 0 && static_cast<uint64_t>(*i) <= kMax) return static_cast<uint32_t>(*i);
        return wrong_type(key, base::concat(kWanted, ": ", *i));
    }
    return wrong_type(key, kWanted);
}

template <typename Variant>
Result<float> as_f32(std::string_view key, const Variant& value) {
    const auto* d = std::get_if<double>(&value);
    if (d == nullptr) return wrong_type(key, "a floating-point number");
    // Converting a finite double beyond float's range is undefined.
    if (std::isfinite(*d) && std::fabs(*d) > static_cast<double>(std::numeric_limits<float>::max())) {
        return wrong_type(key, base::concat("within float's range: ", *d));
    }
    return static_cast<float>(*d);
}

// Calls `take` with a pointer to each element of `width` bytes.
template <typename Take>
void for_each_element(std::span<const std::byte> data, size_t width, Take take) {
    for (size_t at = 0; at < data.size(); at += width) take(data.data() + at);
}

}  // namespace

const Gguf::Value* Gguf::find(std::string_view key) const {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
}

bool Gguf::has(std::string_view key) const {
    return find(key) != nullptr;
}

std::vector<std::string_view> Gguf::keys(std::string_view prefix) const {
    std::vector<std::string_view> found;
    for (auto it = values_.lower_bound(prefix); it != values_.end() && it->first.starts_with(prefix); ++it) {
        found.push_back(it->first);
    }
    return found;
}

Result<uint32_t> Gguf::get_u32(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return absent(key);
    return as_u32(key, *value);
}

Result<uint32_t> Gguf::get_u32_or(std::string_view key, uint32_t other) const {
    const Value* value = find(key);
    if (value == nullptr) return other;
    return as_u32(key, *value);
}

Result<float> Gguf::get_f32(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return absent(key);
    return as_f32(key, *value);
}

Result<float> Gguf::get_f32_or(std::string_view key, float other) const {
    const Value* value = find(key);
    if (value == nullptr) return other;
    return as_f32(key, *value);
}

Result<bool> Gguf::get_bool_or(std::string_view key, bool other) const {
    const Value* value = find(key);
    if (value == nullptr) return other;
    if (const auto* b = std::get_if<bool>(value)) return *b;
    return wrong_type(key, "a boolean");
}

Result<std::string_view> Gguf::get_string(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return absent(key);
    if (const auto* text = std::get_if<std::string_view>(value)) return *text;
    return wrong_type(key, "a string");
}

Result<std::string_view> Gguf::get_string_or(std::string_view key, std::string_view other) const {
    if (!has(key)) return other;
    return get_string(key);
}

Result<Strings> Gguf::get_strings(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return Strings();
    const auto* array = std::get_if<Array>(value);
    if (array == nullptr || array->element_type != static_cast<uint32_t>(ValueType::String)) {
        return wrong_type(key, "an array of strings");
    }
    return Strings(array->data, static_cast<size_t>(array->count));
}

Result<std::vector<float>> Gguf::get_floats(std::string_view key) const {
    std::vector<float> floats;
    const Value* value = find(key);
    if (value == nullptr) return floats;
    const auto* array = std::get_if<Array>(value);
    if (array == nullptr || array->element_type != static_cast<uint32_t>(ValueType::F32)) {
        return wrong_type(key, "an array of 32-bit floats");
    }
    floats.reserve(array->count);
    for_each_element(array->data, 4, [&](const std::byte* at) { floats.push_back(load<float>(at)); });
    return floats;
}

Result<std::vector<int32_t>> Gguf::get_ints(std::string_view key) const {
    std::vector<int32_t> ints;
    const Value* value = find(key);
    if (value == nullptr) return ints;
    constexpr std::string_view kWanted = "an array of integers from -2147483648 to 2147483647";
    const auto* array = std::get_if<Array>(value);
    if (array == nullptr) return wrong_type(key, kWanted);
    ints.reserve(array->count);
    std::optional<size_t> misfit;
    const auto take_all = [&]<typename T>(T) {
        for_each_element(array->data, sizeof(T), [&](const std::byte* at) {
            const T element = load<T>(at);
            if (!std::in_range<int32_t>(element) && !misfit) misfit = ints.size();
            ints.push_back(static_cast<int32_t>(element));
        });
    };
    switch (static_cast<ValueType>(array->element_type)) {
        case ValueType::Bool:
        case ValueType::U8:
            take_all(uint8_t{});
            break;
        case ValueType::I8:
            take_all(int8_t{});
            break;
        case ValueType::U16:
            take_all(uint16_t{});
            break;
        case ValueType::I16:
            take_all(int16_t{});
            break;
        case ValueType::U32:
            take_all(uint32_t{});
            break;
        case ValueType::I32:
            take_all(int32_t{});
            break;
        case ValueType::U64:
            take_all(uint64_t{});
            break;
        case ValueType::I64:
            take_all(int64_t{});
            break;
        default:
            return wrong_type(key, kWanted);
    }
    if (misfit) return wrong_type(key, base::concat(kWanted, ": element ", *misfit));
    return ints;
}

Result<uint64_t> Gguf::array_size(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return uint64_t{0};
    if (const auto* array = std::get_if<Array>(value)) return array->count;
    return wrong_type(key, "an array");
}

const TensorView* Gguf::tensor(std::string_view name) const {
    const auto it = tensors_.find(name);
    return it == tensors_.end() ? nullptr : &it->second;
}

uint64_t Gguf::weight_bytes() const {
    uint64_t sum = 0;
    for (const auto& [name, tensor] : tensors_) sum += tensor.data.size();
    return sum;
}

Result<void> Gguf::add_tensors(const Gguf& other, uint32_t part) {
    if (other.tensors_.size() > GgufLimits::kMaxTensors - tensors_.size()) {
        return fail(ErrorCode::ModelLoadFailed, "gguf: ", tensors_.size() + other.tensors_.size(),
                    " tensors are more than ", GgufLimits::kMaxTensors);
    }
    for (const auto& [name, tensor] : other.tensors_) {
        const auto [it, added] = tensors_.emplace(name, tensor);
        if (!added)
            return fail(ErrorCode::ModelLoadFailed, "gguf: tensor ", in_quotes(name), " is in another part too");
        it->second.part = part;
    }
    return {};
}

std::string in_quotes(std::string_view text) {
    constexpr size_t kMaxBytes = 64;
    std::string out = "\"";
    for (const char c : text.substr(0, kMaxBytes)) out += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > kMaxBytes) out += "...";
    return out + '"';
}

}  // namespace llmd::model
