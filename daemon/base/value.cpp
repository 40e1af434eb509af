#include "base/value.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

namespace llmd::base {

namespace {

namespace dom = simdjson::dom;

// The parser's smallest documents; less would be allocated again.
constexpr size_t kMinCapacityBytes = 1024;

// Copies the parser's tree. Its depth is limited by the parser.
class Copier {
public:
    Value copy(const dom::element& element);
    std::optional<Error> error;

private:
    Value copy_array(const dom::array& array);
    Value copy_object(const dom::object& object);
    void refuse_duplicates(const Value::Object& object);

    size_t n_values_ = 0;
};

Value Copier::copy(const dom::element& element) {
    if (error) return {};
    if (++n_values_ > kMaxJsonValues) {
        error = fail(ErrorCode::InvalidArgument, "body: more than ", kMaxJsonValues, " JSON values");
        return {};
    }
    switch (element.type()) {
        case dom::element_type::ARRAY:
            return copy_array(element.get_array().value_unsafe());
        case dom::element_type::OBJECT:
            return copy_object(element.get_object().value_unsafe());
        case dom::element_type::INT64:
            return {int64_t{element.get_int64().value_unsafe()}};
        case dom::element_type::UINT64:
            return {uint64_t{element.get_uint64().value_unsafe()}};
        case dom::element_type::DOUBLE:
            return {double{element.get_double().value_unsafe()}};
        case dom::element_type::STRING:
            return {std::string(element.get_string().value_unsafe())};
        case dom::element_type::BOOL:
            return {bool{element.get_bool().value_unsafe()}};
        default:
            return {nullptr};
    }
}

Value Copier::copy_array(const dom::array& array) {
    Value::Array out;
    for (const dom::element element : array) {
        out.push_back(copy(element));
        if (error) break;
    }
    return {std::move(out)};
}

Value Copier::copy_object(const dom::object& object) {
    Value::Object out;
    for (const dom::key_value_pair field : object) {
        out.push_back({std::string(field.key), copy(field.value)});
        if (error) break;
    }
    refuse_duplicates(out);
    return {std::move(out)};
}

// Which of two would count is a matter of taste, and a program that writes both means something else.
void Copier::refuse_duplicates(const Value::Object& object) {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : object) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end() || error) return;
    error = fail(ErrorCode::InvalidArgument, "body: the key ", in_quotes(*twice), " stands twice in one object");
}

}  // namespace

Result<Value> parse_json(std::string_view text) {
    // Not kept: after a long body it holds many times its size.
    dom::parser parser;
    dom::element root;
    auto code = parser.allocate(std::max(text.size(), kMinCapacityBytes), kMaxJsonDepth);
    if (code == simdjson::SUCCESS) code = parser.parse(text.data(), text.size()).get(root);
    if (code != simdjson::SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "body: not the JSON that is expected: ", simdjson::error_message(code));
    }
    Copier copier;
    Value value = copier.copy(root);
    if (copier.error) return *copier.error;
    return value;
}

// Not in the class, where Member, whose vectors they destroy, is not yet complete.
Value::Value() = default;
Value::Value(std::nullptr_t) {}
Value::Value(bool flag) : value(flag) {}
Value::Value(double number) : value(number) {}
Value::Value(std::string text) : value(std::move(text)) {}
Value::Value(const char* text) : value(std::string(text)) {}
Value::Value(Array array) : value(std::move(array)) {}
Value::Value(Object object) : value(std::move(object)) {}
Value::Value(Other other) : value(std::move(other)) {}
Value::Value(const std::vector<std::string>& texts) : value(Array(texts.begin(), texts.end())) {}

const Value* find(const Value::Object& object, std::string_view key) {
    for (const auto& [name, value] : object) {
        if (name == key) return &value;
    }
    return nullptr;
}

void write_json(JsonWriter& json, const Value& value) {
    if (const auto* array = value.get<Value::Array>()) {
        json.begin_array();
        for (const Value& element : *array) write_json(json, element);
        json.end_array();
    } else if (const auto* object = value.get<Value::Object>()) {
        json.begin_object();
        for (const auto& [key, member] : *object) write_json(json.key(key), member);
        json.end_object();
    } else if (const auto* text = value.get<std::string>()) {
        json.value(std::string_view(*text));
    } else if (const auto* flag = value.get<bool>()) {
        json.value(*flag);
    } else if (const auto* integer = value.get<int64_t>()) {
        json.value(*integer);
    } else if (const auto* large = value.get<uint64_t>()) {
        json.value(*large);
    } else if (const auto* number = value.get<double>()) {
        json.value(*number);
    } else {
        json.null();
    }
}

std::string json_text(const Value& value) {
    JsonWriter json;
    write_json(json, value);
    return json.take();
}

}  // namespace llmd::base
