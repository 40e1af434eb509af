// The keywords of one schema object, and what they say of its texts. Keywords are views into the parsed document, which
// must outlive them.
#pragma once

#include <simdjson.h>

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llmd::constraint {

// The keywords that restrict a text, in the order of keyword_name().
enum class Keyword : uint8_t {
    Type,
    Enum,
    Const,
    Properties,
    Required,
    AdditionalProperties,
    PatternProperties,
    PropertyNames,
    MinProperties,
    MaxProperties,
    Items,
    PrefixItems,
    MinItems,
    MaxItems,
    UniqueItems,
    MinLength,
    MaxLength,
    Pattern,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    Format,
    Nullable,
    AllOf,
    AnyOf,
    OneOf,
    Ref,
};
inline constexpr size_t kKeywords = static_cast<size_t>(Keyword::Ref) + 1;

std::string_view keyword_name(Keyword keyword);

// The value of a keyword, as far as it holds schemas.
enum class Holds : uint8_t {
    NoSchema,
    Schema,        // one
    Alternatives,  // an array of one or more
    List,          // an array
    Map,           // an object whose members are schemas
};
// Returns it for a keyword that is honoured, or that has what a $ref looks up, as `$defs` has; else NoSchema.
Holds held_by(std::string_view keyword);

// The JSON types as bits. `integer` and `number` overlap.
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

// Returns 0 for an unknown name.
uint8_t type_bits(std::string_view name);
// Returns the types that a value may have. A double may be whole.
uint8_t type_bits(simdjson::dom::element value);

struct SchemaKeywords {
    std::string path;  // where the schema is, such as #/properties/a
    std::array<std::optional<simdjson::dom::element>, kKeywords> values;
    std::vector<std::string_view> unknown;  // those that are neither supported nor annotations, in their order
    std::optional<Keyword> twice;
    // Draft 7's tuple, whose `items` is an array: values has it as PrefixItems, and its `additionalItems` as Items.
    bool is_old_tuple = false;

    SchemaKeywords(simdjson::dom::object schema, std::string_view at);

    const std::optional<simdjson::dom::element>& operator[](Keyword keyword) const {
        return values[static_cast<size_t>(keyword)];
    }
    bool has(Keyword keyword) const { return (*this)[keyword].has_value(); }
    // Returns what the keyword is called in this schema.
    std::string_view name_of(Keyword keyword) const;
    // Returns some keyword besides these, if there is one.
    std::optional<Keyword> besides(std::initializer_list<Keyword> known) const;
    // Returns the types that `type` names, and null if moreover it is `nullable`; nothing if there is no `type`, 0 if
    // it is malformed.
    std::optional<uint8_t> types() const;
    // Returns the types that the keywords besides `type` apply to; 0 if they apply to any.
    uint8_t implied_types() const;

private:
    // Draft 4's `"exclusiveMinimum": true` beside a `minimum`, and likewise with a maximum: gives the bound to the
    // exclusive keyword alone. A flag without a bound says nothing.
    void read_flag(Keyword exclusive, Keyword inclusive);
};

// Facts about all texts of a schema, from which follows that no text matches two schemas. oneOf is then the same as
// anyOf.
struct SchemaShape {
    using Values = std::vector<std::string>;  // sorted

    uint8_t types = 0xFF;  // TypeBits that a text may have
    // The only values, if equal ones among them are always spelled alike.
    std::optional<Values> values;
    // The only values of required properties, as in `values`.
    std::map<std::string, Values> tags;

    // The shape of the texts that match all of the schemas. A $ref is looked up in `root`.
    SchemaShape(std::span<const SchemaKeywords> schemas, simdjson::dom::element root);

    // True if certainly no text matches both.
    bool excludes(const SchemaShape& other) const;
};

// Returns the location of what a schema's keyword or an object's key names.
std::string path_within(std::string_view path, std::string_view name);
// Quotes a text for messages as a JSON string, and truncates a long one.
std::string in_quotes(std::string_view text);
// Returns a value for messages as JSON, truncated where it is long.
std::string as_told(simdjson::dom::element value);

// Returns the target of a $ref such as "#/$defs/a"; nothing if `root` has none.
std::optional<simdjson::dom::element> resolve(std::string_view ref, simdjson::dom::element root);

// Says whether brackets nest more than `depth` deep.
bool nests_deeper(simdjson::dom::element value, size_t depth);

}  // namespace llmd::constraint
