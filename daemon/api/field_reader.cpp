#include "api/field_reader.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/json_writer.h"

namespace llmd::api {

namespace {

// Up to here every whole number is a double; some programs write 24.0 for 24.
constexpr double kMaxExactDouble = 9007199254740992;  // 2^53
// A longer number is told by its length.
constexpr size_t kMaxShownDigits = 40;

std::string describe(const base::Value& value) {
    if (const auto* flag = value.get<bool>()) return *flag ? "true" : "false";
    if (const auto* integer = value.get<int64_t>()) return std::to_string(*integer);
    if (const auto* large = value.get<uint64_t>()) return std::to_string(*large);
    if (const auto* number = value.get<double>()) return base::digits(*number);
    if (const auto* large = value.get<base::Value::LargeNumber>()) {
        return large->text.size() <= kMaxShownDigits ? large->text
                                                     : base::concat("a number of ", large->text.size(), " characters");
    }
    if (const auto* text = value.get<std::string>()) return base::concat("a string of ", text->size(), " bytes");
    if (const auto* array = value.get<base::Value::Array>()) return base::concat("an array of ", array->size());
    if (const auto* other = value.get<base::Value::Other>()) {
        return "a value of D-Bus type " + base::in_quotes(other->signature);
    }
    return value.is<base::Value::Object>() ? "an object" : "null";
}

bool says_no(const base::Value& value) {
    if (const auto* flag = value.get<bool>()) return !*flag;
    if (const auto* integer = value.get<int64_t>()) return *integer == 0;
    if (const auto* number = value.get<double>()) return *number == 0;
    if (const auto* text = value.get<std::string>()) return text->empty();
    if (const auto* array = value.get<base::Value::Array>()) return array->empty();
    if (const auto* object = value.get<base::Value::Object>()) return object->empty();
    return value.is_null();
}

std::optional<uint64_t> whole_number_of(const base::Value& value) {
    if (const auto* large = value.get<uint64_t>()) return *large;
    if (const auto* small = value.get<int64_t>(); small && *small >= 0) return static_cast<uint64_t>(*small);
    if (const auto* real = value.get<double>();
        real && *real >= 0 && *real <= kMaxExactDouble && *real == std::floor(*real)) {
        return static_cast<uint64_t>(*real);
    }
    return std::nullopt;
}

std::optional<double> number_of(const base::Value& value) {
    if (const auto* number = value.get<double>()) return *number;
    if (const auto* integer = value.get<int64_t>()) return static_cast<double>(*integer);
    if (const auto* large = value.get<uint64_t>()) return static_cast<double>(*large);
    return std::nullopt;
}

}  // namespace

const base::Value* FieldReader::find(std::string_view key) const {
    if (error_) return nullptr;
    const base::Value* value = base::find(object_, key);
    return value && !value->is_null() ? value : nullptr;
}

std::optional<int64_t> FieldReader::negative(std::string_view key) const {
    const base::Value* value = find(key);
    if (!value) return std::nullopt;
    if (const auto* integer = value->get<int64_t>(); integer && *integer < 0) return *integer;
    if (const auto* real = value->get<double>();
        real && *real < 0 && *real >= -kMaxExactDouble && *real == std::floor(*real)) {
        return static_cast<int64_t>(*real);
    }
    return std::nullopt;
}

void FieldReader::refuse_unless_no(std::string_view key, std::string_view neutral) {
    if (const base::Value* value = find(key)) refuse_value_unless_no(key, *value, neutral);
}

void FieldReader::refuse_value_unless_no(std::string_view key, const base::Value& value, std::string_view neutral) {
    const bool must_be_neutral = neutral == "true" || (!neutral.empty() && neutral[0] >= '1' && neutral[0] <= '9');
    if (value.is_null() || (says_no(value) && !must_be_neutral)) return;
    const auto* number = value.get<double>();
    const bool is_neutral = number ? base::digits(*number) == neutral : base::json_text(value) == neutral;
    if (!is_neutral) refuse(key, "this version of llmd does not offer it");
}

void FieldReader::wrong_type(std::string_view key, std::string_view expected, const base::Value& value) {
    refuse(key, "expected ", expected, ", got ", describe(value));
}

std::optional<uint64_t> FieldReader::integer_within(std::string_view key, const base::Value& value, uint64_t least,
                                                    uint64_t most) {
    const auto number = whole_number_of(value);
    if (number && *number >= least && *number <= most) return number;
    wrong_type(key, base::concat("an integer from ", least, " to ", most), value);
    return std::nullopt;
}

void FieldReader::number(std::string_view key, double least, double most, float& out) {
    if (const base::Value* value = find(key)) number(key, *value, least, most, out);
}

void FieldReader::number(std::string_view key, const base::Value& value, double least, double most, float& out) {
    const auto number = number_of(value);
    if (!number || !(*number >= least && *number <= most)) {
        return wrong_type(key, base::concat("a number from ", least, " to ", most), value);
    }
    out = static_cast<float>(*number);
}

void FieldReader::boolean(std::string_view key, bool& out) {
    const base::Value* value = find(key);
    if (!value) return;
    const auto* flag = value->get<bool>();
    if (!flag) return wrong_type(key, "true or false", *value);
    out = *flag;
}

void FieldReader::text(std::string_view key, std::string& out) {
    const base::Value* value = find(key);
    if (!value) return;
    const auto* text = value->get<std::string>();
    if (!text) return wrong_type(key, "a string", *value);
    out = *text;
}

void FieldReader::strings(std::string_view key, std::vector<std::string>& out) {
    const base::Value* value = find(key);
    if (!value) return;
    if (const auto* text = value->get<std::string>()) {
        out = {*text};
        return;
    }
    const auto* array = value->get<base::Value::Array>();
    if (!array) return wrong_type(key, "a string or an array of strings", *value);
    std::vector<std::string> texts;
    for (const base::Value& element : *array) {
        const auto* text = element.get<std::string>();
        if (!text) return wrong_type(base::concat(key, "[", texts.size(), "]"), "a string", element);
        texts.push_back(*text);
    }
    out = std::move(texts);
}

void FieldReader::ids(std::string_view key, std::vector<int32_t>& out) {
    if (const base::Value* value = find(key)) ids(key, *value, out);
}

void FieldReader::ids(std::string_view key, const base::Value& value, std::vector<int32_t>& out) {
    constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
    const auto* elements = value.get<base::Value::Array>();
    if (!elements) return wrong_type(key, "an array", value);
    std::vector<int32_t> ids;
    ids.reserve(elements->size());
    for (const base::Value& element : *elements) {
        const auto id = whole_number_of(element);
        if (!id || *id > kMost) {
            return wrong_type(base::concat(key, "[", ids.size(), "]"), base::concat("an integer from 0 to ", kMost),
                              element);
        }
        ids.push_back(static_cast<int32_t>(*id));
    }
    out = std::move(ids);
}

const base::Value::Object* FieldReader::object(std::string_view key) {
    const base::Value* value = find(key);
    if (!value) return nullptr;
    if (!value->is<base::Value::Object>()) wrong_type(key, "an object", *value);
    return value->get<base::Value::Object>();
}

const base::Value::Array* FieldReader::array(std::string_view key) {
    const base::Value* value = find(key);
    if (!value) return nullptr;
    if (!value->is<base::Value::Array>()) wrong_type(key, "an array", *value);
    return value->get<base::Value::Array>();
}

}  // namespace llmd::api
