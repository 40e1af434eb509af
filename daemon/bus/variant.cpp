#include "bus/variant.h"

#include <map>
#include <string>

#include "base/utf8.h"

namespace llmd::bus {

namespace {

using base::Value;

std::vector<std::string> texts_of(const Value& value) {
    std::vector<std::string> out;
    if (const auto* array = value.get<Value::Array>()) {
        for (const Value& element : *array) {
            if (const auto* text = element.get<std::string>()) out.push_back(base::to_clean_text(*text));
        }
    }
    return out;
}

template <typename Number>
Value::Array numbers_of(const sdbus::Variant& variant) {
    Value::Array out;
    for (const Number number : variant.get<std::vector<Number>>()) out.emplace_back(int64_t{number});
    return out;
}

Value::Object numbers_by_number(const sdbus::Variant& variant) {
    Value::Object out;
    for (const auto& [key, number] : variant.get<std::map<uint32_t, double>>()) {
        out.push_back({std::to_string(key), number});
    }
    return out;
}

template <typename Number>
Number number_of(const Value& value) {
    if (const auto* number = value.get<int64_t>()) return static_cast<Number>(*number);
    if (const auto* number = value.get<uint64_t>()) return static_cast<Number>(*number);
    if (const auto* number = value.get<double>()) return static_cast<Number>(*number);
    return Number{};
}

std::vector<VariantMap> dictionaries_of(const Value& value) {
    std::vector<VariantMap> out;
    const auto* objects = value.get<Value::Array>();
    if (objects == nullptr) return out;
    for (const Value& one : *objects) {
        VariantMap& map = out.emplace_back();
        const auto* object = one.get<Value::Object>();
        if (object == nullptr) continue;
        for (const Value::Member& member : *object) map.emplace(member.key, to_variant(member.value));
    }
    return out;
}

}  // namespace

Value to_value(const sdbus::Variant& variant) {
    const std::string type = variant.peekValueType();
    if (type == "s") return variant.get<std::string>();
    if (type == "o") return std::string(variant.get<sdbus::ObjectPath>());
    if (type == "as") return variant.get<std::vector<std::string>>();
    if (type == "b") return variant.get<bool>();
    if (type == "d") return variant.get<double>();
    if (type == "t") return variant.get<uint64_t>();
    if (type == "x") return variant.get<int64_t>();
    if (type == "u") return int64_t{variant.get<uint32_t>()};
    if (type == "i") return int64_t{variant.get<int32_t>()};
    if (type == "q") return int64_t{variant.get<uint16_t>()};
    if (type == "n") return int64_t{variant.get<int16_t>()};
    if (type == "y") return int64_t{variant.get<uint8_t>()};
    if (type == "au") return numbers_of<uint32_t>(variant);
    if (type == "ai") return numbers_of<int32_t>(variant);
    if (type == "a{ud}") return numbers_by_number(variant);
    if (type == "aa{sv}") {
        Value::Array out;
        for (const VariantMap& one : variant.get<std::vector<VariantMap>>()) out.emplace_back(to_object(one));
        return out;
    }
    return Value::Other{type};
}

Value::Object to_object(const VariantMap& map) {
    Value::Object out;
    for (const auto& [key, variant] : map) out.push_back({key, to_value(variant)});
    return out;
}

sdbus::Variant to_variant(const Value& value, std::string_view type) {
    if (type == "u") return sdbus::Variant(number_of<uint32_t>(value));
    if (type == "t") return sdbus::Variant(number_of<uint64_t>(value));
    if (type == "x") return sdbus::Variant(number_of<int64_t>(value));
    if (type == "d") return sdbus::Variant(number_of<double>(value));
    if (type == "as") return sdbus::Variant(texts_of(value));
    if (type == "aa{sv}") return sdbus::Variant(dictionaries_of(value));
    if (const auto* flag = value.get<bool>(); flag && type == "b") return sdbus::Variant(*flag);
    const auto* text = value.get<std::string>();
    if (text && type == "o") return sdbus::Variant(sdbus::ObjectPath(*text));
    return sdbus::Variant(text ? base::to_clean_text(*text) : std::string());
}

sdbus::Variant to_variant(const Value& value) {
    if (value.is<bool>()) return to_variant(value, "b");
    if (value.is<int64_t>()) return to_variant(value, "x");
    if (value.is<uint64_t>()) return to_variant(value, "t");
    if (value.is<double>()) return to_variant(value, "d");
    return to_variant(value, value.is<Value::Array>() ? "as" : "s");
}

}  // namespace llmd::bus
