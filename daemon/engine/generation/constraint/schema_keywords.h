// One schema object of a JSON schema, its keywords told apart. Views into the parsed document, which must outlive it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace llmd::constraint {

// What limits a text. The order is that of keyword_name().
enum class Keyword : uint8_t {
    Type,
    Enum,
    Const,
    Properties,
    Required,
    AdditionalProperties,
    Items,
    PrefixItems,
    MinItems,
    MaxItems,
    MinLength,
    MaxLength,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    Format,
    AnyOf,
    OneOf,
    Ref,
};
inline constexpr size_t kKeywords = static_cast<size_t>(Keyword::Ref) + 1;

std::string_view keyword_name(Keyword keyword);

// The JSON types, as bits: what `integer` and `number` name overlaps.
enum TypeBit : uint8_t {
    kNull = 1,
    kBoolean = 2,
    kWhole = 4,
    kFractional = 8,
    kString = 16,
    kArray = 32,
    kObject = 64,
};
inline constexpr uint8_t kNumber = kWhole | kFractional;

// 0 for a name that is none.
uint8_t type_bits(std::string_view name);
// Of a value. A number that a double holds may be whole.
uint8_t type_bits(simdjson::dom::element value);

struct SchemaKeywords {
    std::array<std::optional<simdjson::dom::element>, kKeywords> values;
    std::optional<std::string_view> unknown;  // the first that is neither honoured nor an annotation
    std::optional<Keyword> twice;

    SchemaKeywords(simdjson::dom::object schema, bool is_root);

    const std::optional<simdjson::dom::element>& operator[](Keyword keyword) const {
        return values[static_cast<size_t>(keyword)];
    }
    bool has(Keyword keyword) const { return (*this)[keyword].has_value(); }
    // Some keyword besides these two.
    std::optional<Keyword> besides(Keyword one, Keyword other) const;
    // What `type` says, else what the other keywords are about, else nothing; 0 when `type` is malformed.
    std::optional<uint8_t> types() const;
};

}  // namespace llmd::constraint
