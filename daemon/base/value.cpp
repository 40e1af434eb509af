#include "base/value.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/utf8.h"

namespace llmd::base {

namespace {

namespace dom = simdjson::dom;

// The parser's smallest documents; less would be allocated again.
constexpr size_t kMinCapacityBytes = 1024;
// The parser is given a number that it does not hold as a string that begins with this.
constexpr std::string_view kLargeNumber = "\\u0000number ";
constexpr std::string_view kParsedLargeNumber("\0number ", 8);
constexpr std::string_view kNumberChars = "0123456789+-.eE";

// RFC 8259, 6.
bool is_json_number(std::string_view text) {
    const auto digits = [&text] {
        const size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(n);
        return n;
    };
    const auto take = [&text](std::string_view chars) {
        const bool found = !text.empty() && chars.find(text.front()) != std::string_view::npos;
        if (found) text.remove_prefix(1);
        return found;
    };
    take("-");
    const bool begins_with_zero = text.starts_with('0');
    const size_t n_whole = digits();
    if (n_whole == 0 || (begins_with_zero && n_whole > 1)) return false;
    if (take(".") && digits() == 0) return false;
    if (!take("eE")) return text.empty();
    take("+-");
    return digits() > 0 && text.empty();
}

// Whether the parser's types hold the number.
bool is_held(std::string_view number) {
    double real = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), real);
    if (error != std::errc()) return false;
    if (number.find_first_of(".eE") != std::string_view::npos) return true;
    constexpr double kMostWhole = 0x1p64, kLeastWhole = -0x1p63;
    return real < kMostWhole && real >= kLeastWhole;
}

// Newer versions of the parser have an own error for a whole number of more than 64 bits.
template <typename Code>
bool is_number_error(Code code) {
    if constexpr (requires { Code::BIGINT_ERROR; }) {
        if (code == Code::BIGINT_ERROR) return true;
    }
    return code == Code::NUMBER_ERROR;
}

// Returns the text with each number that the parser does not hold as a string behind kLargeNumber.
std::string with_large_numbers_quoted(std::string_view text) {
    std::string out;
    bool in_string = false;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        const bool begins_number = !in_string && (c == '-' || (c >= '0' && c <= '9'));
        const size_t end = begins_number ? std::min(text.find_first_not_of(kNumberChars, at), text.size()) : at + 1;
        const std::string_view part = text.substr(at, end - at);
        if (begins_number && is_json_number(part) && !is_held(part)) {
            out += concat('"', kLargeNumber, part, '"');
        } else {
            out += part;
        }
        at = end;
        if (c == '"') in_string = !in_string;
        if (c == '\\' && in_string && at < text.size()) out += text[at++];
    }
    return out;
}

// Copies the parser's tree. Its depth is limited by the parser.
class Copier {
public:
    Value copy(const dom::element& element);
    std::optional<Error> error;

private:
    static Value copy_text(std::string_view text);
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
            return copy_text(element.get_string().value_unsafe());
        case dom::element_type::BOOL:
            return {bool{element.get_bool().value_unsafe()}};
        default:
            return {nullptr};
    }
}

// A program that writes the beginning of such a string itself gets no more than a number by it.
Value Copier::copy_text(std::string_view text) {
    if (text.starts_with(kParsedLargeNumber)) {
        const std::string_view number = text.substr(kParsedLargeNumber.size());
        if (is_json_number(number)) return {Value::LargeNumber{std::string(number)}};
    }
    return {std::string(text)};
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

// The code unit of the escape "\\uXXXX" that `text` begins with; 0 where it begins with none.
uint16_t escaped_unit(std::string_view text) {
    constexpr size_t kBegin = 2, kDigits = 4;
    if (text.size() < kBegin + kDigits || !text.starts_with("\\u")) return 0;
    uint16_t unit = 0;
    const auto [end, error] = std::from_chars(text.data() + kBegin, text.data() + kBegin + kDigits, unit, 16);
    return error == std::errc() && end == text.data() + kBegin + kDigits ? unit : 0;
}

// With the escape of U+FFFD in the place of each half of a surrogate pair.
std::string without_half_pairs(std::string_view text) {
    constexpr size_t kEscapeBytes = 6;
    const auto is_high = [](uint16_t unit) { return unit >= 0xd800 && unit < 0xdc00; };
    const auto is_low = [](uint16_t unit) { return unit >= 0xdc00 && unit < 0xe000; };
    std::string out(text);
    // Outside of strings there is no backslash in JSON, and behind one there is always another character.
    for (size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at)) {
        const std::string_view rest = std::string_view(out).substr(at);
        const uint16_t unit = escaped_unit(rest);
        if (is_high(unit) && is_low(escaped_unit(rest.substr(kEscapeBytes)))) {
            at += 2 * kEscapeBytes;
        } else if (is_high(unit) || is_low(unit)) {
            out.replace(at, kEscapeBytes, "\\ufffd");
            at += kEscapeBytes;
        } else {
            at = std::min(at + 2, out.size());
        }
    }
    return out;
}

}  // namespace

Result<Value> parse_json(std::string_view text, bool* has_replaced) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    // Not kept: after a long body it holds many times its size.
    dom::parser parser;
    dom::element root;
    const auto parse = [&](std::string_view json) {
        const auto code = parser.allocate(std::max(json.size(), kMinCapacityBytes), kMaxJsonDepth);
        return code == simdjson::SUCCESS ? parser.parse(json.data(), json.size()).get(root) : code;
    };
    auto code = parse(text);
    std::string mended;
    if (code == simdjson::STRING_ERROR) {
        mended = without_half_pairs(text);
        code = parse(text = mended);
        if (has_replaced) *has_replaced = code != simdjson::STRING_ERROR;
    }
    if (is_number_error(code)) {
        mended = with_large_numbers_quoted(text);
        code = parse(mended);
    }
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
Value::Value(LargeNumber number) : value(std::move(number)) {}
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
    } else if (const auto* large_number = value.get<Value::LargeNumber>()) {
        json.json(large_number->text);
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
