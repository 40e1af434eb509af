#include "http/json_value.h"

#include <simdjson.h>

#include <algorithm>

#include "api/quoted.h"

namespace llmd::http {

namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
namespace dom = simdjson::dom;

// The parser's smallest documents; less would be allocated again.
constexpr size_t kMinCapacityBytes = 1024;

// Copies the parser's tree. Its depth is limited by the parser.
class Copier {
public:
    JsonValue copy(const dom::element& element);
    std::optional<Error> error;

private:
    JsonValue copy_array(const dom::array& array);
    JsonValue copy_object(const dom::object& object);
    void refuse_duplicates(const JsonValue::Object& object);

    size_t n_values_ = 0;
};

JsonValue Copier::copy(const dom::element& element) {
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

JsonValue Copier::copy_array(const dom::array& array) {
    JsonValue::Array out;
    for (const dom::element element : array) {
        out.push_back(copy(element));
        if (error) break;
    }
    return {std::move(out)};
}

JsonValue Copier::copy_object(const dom::object& object) {
    JsonValue::Object out;
    for (const dom::key_value_pair field : object) {
        out.push_back({std::string(field.key), copy(field.value)});
        if (error) break;
    }
    refuse_duplicates(out);
    return {std::move(out)};
}

// Which of two would count is a matter of taste, and a program that writes both means something else.
void Copier::refuse_duplicates(const JsonValue::Object& object) {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : object) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end() || error) return;
    error = fail(ErrorCode::InvalidArgument, "body: the key ", api::in_quotes(*twice), " stands twice in one object");
}

}  // namespace

Result<JsonValue> parse_json(std::string_view text) {
    // Not kept: after a long body it holds many times its size.
    dom::parser parser;
    dom::element root;
    auto code = parser.allocate(std::max(text.size(), kMinCapacityBytes), kMaxJsonDepth);
    if (code == simdjson::SUCCESS) code = parser.parse(text.data(), text.size()).get(root);
    if (code != simdjson::SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "body: not the JSON that is expected: ", simdjson::error_message(code));
    }
    Copier copier;
    JsonValue value = copier.copy(root);
    if (copier.error) return *copier.error;
    return value;
}

void write_json(const JsonValue& value, base::JsonWriter& json) {
    if (const auto* array = value.get<JsonValue::Array>()) {
        json.begin_array();
        for (const JsonValue& element : *array) write_json(element, json);
        json.end_array();
    } else if (const auto* object = value.get<JsonValue::Object>()) {
        json.begin_object();
        for (const auto& [key, member] : *object) {
            json.key(key);
            write_json(member, json);
        }
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

}  // namespace llmd::http
