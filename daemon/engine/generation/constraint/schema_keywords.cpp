#include "engine/generation/constraint/schema_keywords.h"

#include <algorithm>

namespace llmd::constraint {

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

constexpr std::array<std::string_view, kKeywords> kNames = {
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "format",
    "anyOf",
    "oneOf",
    "$ref",
};

// Annotations do not change which texts are valid. `discriminator` is OpenAPI's.
constexpr std::array<std::string_view, 13> kAnnotations = {
    "title",     "description", "default", "examples", "example",     "deprecated",    "readOnly",
    "writeOnly", "$comment",    "$schema", "$defs",    "definitions", "discriminator",
};

template <size_t n>
std::optional<size_t> index_in(const std::array<std::string_view, n>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional<size_t>(found - names.begin());
}

// Returns the types that a keyword applies to; 0 for any.
uint8_t subject(Keyword keyword) {
    switch (keyword) {
        case Keyword::Properties:
        case Keyword::Required:
        case Keyword::AdditionalProperties:
            return kObject;
        case Keyword::Items:
        case Keyword::PrefixItems:
        case Keyword::MinItems:
        case Keyword::MaxItems:
            return kArray;
        case Keyword::MinLength:
        case Keyword::MaxLength:
        case Keyword::Format:
            return kString;
        case Keyword::Minimum:
        case Keyword::Maximum:
        case Keyword::ExclusiveMinimum:
        case Keyword::ExclusiveMaximum:
            return kNumber;
        case Keyword::Type:
        case Keyword::Enum:
        case Keyword::Const:
        case Keyword::AnyOf:
        case Keyword::OneOf:
        case Keyword::Ref:
            break;
    }
    return 0;
}

}  // namespace

std::string_view keyword_name(Keyword keyword) {
    return kNames[static_cast<size_t>(keyword)];
}

uint8_t type_bits(std::string_view name) {
    constexpr std::array<std::string_view, 7> kTypes = {"null",   "boolean", "integer", "number",
                                                        "string", "array",   "object"};
    constexpr std::array<uint8_t, 7> kBits = {kNull, kBoolean, kWhole, kNumber, kString, kArray, kObject};
    const auto index = index_in(kTypes, name);
    return index ? kBits[*index] : 0;
}

uint8_t type_bits(element value) {
    switch (value.type()) {
        case element_type::ARRAY:
            return kArray;
        case element_type::OBJECT:
            return kObject;
        case element_type::INT64:
        case element_type::UINT64:
            return kWhole;
        case element_type::DOUBLE:
            return kNumber;
        case element_type::STRING:
            return kString;
        case element_type::BOOL:
            return kBoolean;
        case element_type::NULL_VALUE:
            return kNull;
    }
    return 0;
}

SchemaKeywords::SchemaKeywords(simdjson::dom::object schema, bool is_root) {
    for (const auto& [key, value] : schema) {
        if (const auto index = index_in(kNames, key)) {
            if (values[*index]) twice = static_cast<Keyword>(*index);
            values[*index] = value;
        } else if (!index_in(kAnnotations, key) && !(is_root && key == "$id") && !unknown) {
            unknown = key;
        }
    }
}

std::optional<Keyword> SchemaKeywords::besides(Keyword one, Keyword other) const {
    for (size_t i = 0; i < kKeywords; ++i) {
        const auto keyword = static_cast<Keyword>(i);
        if (keyword != one && keyword != other && has(keyword)) return keyword;
    }
    return std::nullopt;
}

std::optional<uint8_t> SchemaKeywords::types() const {
    uint8_t bits = 0;
    if (const auto& type = (*this)[Keyword::Type]) {
        simdjson::dom::array names;
        std::string_view name;
        if (type->get(name) == simdjson::SUCCESS) return type_bits(name);
        if (type->get(names) != simdjson::SUCCESS) return 0;
        for (const element one : names) {
            if (one.get(name) != simdjson::SUCCESS || type_bits(name) == 0) return 0;
            bits |= type_bits(name);
        }
        return bits;
    }
    for (size_t i = 0; i < kKeywords; ++i) {
        if (values[i]) bits |= subject(static_cast<Keyword>(i));
    }
    return bits == 0 ? std::nullopt : std::optional(bits);
}

}  // namespace llmd::constraint
