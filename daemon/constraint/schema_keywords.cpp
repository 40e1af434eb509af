#include "constraint/schema_keywords.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace llmd::constraint {

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

struct NamedTypes {
    std::string_view name;
    uint8_t types;  // that the name is of, or that the keyword applies to; 0: any
    Holds holds = Holds::NoSchema;
};
constexpr std::array<NamedTypes, kKeywords> kKeywordRows = {{
    {"type", 0},
    {"enum", 0},
    {"const", 0},
    {"properties", kObject, Holds::Map},
    {"required", kObject},
    {"additionalProperties", kObject, Holds::Schema},
    {"patternProperties", kObject, Holds::Map},
    {"propertyNames", kObject, Holds::Schema},
    {"minProperties", kObject},
    {"maxProperties", kObject},
    {"items", kArray, Holds::Schema},
    {"prefixItems", kArray, Holds::List},
    {"minItems", kArray},
    {"maxItems", kArray},
    {"uniqueItems", kArray},
    {"minLength", kString},
    {"maxLength", kString},
    {"pattern", kString},
    {"minimum", kNumber},
    {"maximum", kNumber},
    {"exclusiveMinimum", kNumber},
    {"exclusiveMaximum", kNumber},
    {"multipleOf", kNumber},
    {"format", kString},
    {"nullable", 0},
    {"allOf", 0, Holds::Alternatives},
    {"anyOf", 0, Holds::Alternatives},
    {"oneOf", 0, Holds::Alternatives},
    {"$ref", 0},
}};

// Hold what a $ref looks up.
constexpr std::array<std::string_view, 2> kDefinitions = {"$defs", "definitions"};

// Annotations do not change which texts are valid, nor do OpenAPI's `discriminator`, `example` and names in "x-", nor
// OpenAI's `strict`, which Home Assistant writes into the schema itself: every schema is kept to here.
constexpr std::array<std::string_view, 16> kAnnotations = {
    "title",         "description",     "default",          "examples", "example", "deprecated",
    "readOnly",      "writeOnly",       "$comment",         "$schema",  "$defs",   "definitions",
    "discriminator", "contentEncoding", "contentMediaType", "strict",
};

constexpr std::string_view kItems = kKeywordRows[static_cast<size_t>(Keyword::Items)].name;
constexpr std::string_view kAdditionalItems = "additionalItems";

// Returns what a keyword of a tuple of draft 7 is called since.
std::string_view new_name(std::string_view key) {
    if (key == kItems) return keyword_name(Keyword::PrefixItems);
    return key == kAdditionalItems ? kItems : key;
}

template <size_t n>
std::optional<size_t> index_in(const std::array<NamedTypes, n>& rows, std::string_view name) {
    const auto found = std::ranges::find(rows, name, &NamedTypes::name);
    return found == rows.end() ? std::nullopt : std::optional<size_t>(found - rows.begin());
}

}  // namespace

std::string path_within(std::string_view path, std::string_view name) {
    std::string all = base::concat(path, '/');
    for (const char c : name) all += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return all;
}

std::string in_quotes(std::string_view text) {
    constexpr size_t kMaxQuotedBytes = 200;
    return base::in_quotes(text, kMaxQuotedBytes);
}

std::string as_told(element value) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return in_quotes(text);
    std::string json = simdjson::minify(value);
    return json.size() <= base::kMaxQuotedBytes && base::is_clean_text(json) ? json : in_quotes(json);
}

std::string_view keyword_name(Keyword keyword) {
    return kKeywordRows[static_cast<size_t>(keyword)].name;
}

Holds held_by(std::string_view keyword) {
    if (const auto index = index_in(kKeywordRows, keyword)) return kKeywordRows[*index].holds;
    return std::ranges::find(kDefinitions, keyword) == kDefinitions.end() ? Holds::NoSchema : Holds::Map;
}

uint8_t type_bits(std::string_view name) {
    constexpr std::array<NamedTypes, 7> kTypes = {{{"null", kNull},
                                                   {"boolean", kBoolean},
                                                   {"integer", kWhole},
                                                   {"number", kNumber},
                                                   {"string", kString},
                                                   {"array", kArray},
                                                   {"object", kObject}}};
    const auto index = index_in(kTypes, name);
    return index ? kTypes[*index].types : 0;
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

SchemaKeywords::SchemaKeywords(simdjson::dom::object schema, std::string_view at) : path(at) {
    const auto items = schema["items"];
    is_old_tuple = items.error() == simdjson::SUCCESS && items.is_array();
    for (const auto& [key, value] : schema) {
        if (key == kAdditionalItems && !is_old_tuple) continue;  // it says nothing there
        if (const auto index = index_in(kKeywordRows, is_old_tuple ? new_name(key) : key)) {
            if (values[*index]) twice = static_cast<Keyword>(*index);
            values[*index] = value;
        } else if (std::ranges::find(kAnnotations, key) == kAnnotations.end() && !key.starts_with("x-") &&
                   !(path == "#" && key == "$id")) {
            unknown.push_back(key);
        }
    }
    read_flag(Keyword::ExclusiveMinimum, Keyword::Minimum);
    read_flag(Keyword::ExclusiveMaximum, Keyword::Maximum);
}

void SchemaKeywords::read_flag(Keyword exclusive, Keyword inclusive) {
    auto& flag = values[static_cast<size_t>(exclusive)];
    auto& bound = values[static_cast<size_t>(inclusive)];
    bool is_exclusive = false;
    if (!flag || flag->get(is_exclusive) != simdjson::SUCCESS) return;
    flag.reset();
    if (is_exclusive && bound && bound->is_number()) std::swap(flag, bound);
}

std::string_view SchemaKeywords::name_of(Keyword keyword) const {
    if (is_old_tuple && keyword == Keyword::PrefixItems) return kItems;
    if (is_old_tuple && keyword == Keyword::Items) return kAdditionalItems;
    return keyword_name(keyword);
}

std::optional<Keyword> SchemaKeywords::besides(std::initializer_list<Keyword> known) const {
    for (size_t i = 0; i < kKeywords; ++i) {
        const auto keyword = static_cast<Keyword>(i);
        if (has(keyword) && std::find(known.begin(), known.end(), keyword) == known.end()) return keyword;
    }
    return std::nullopt;
}

std::optional<uint8_t> SchemaKeywords::types() const {
    const auto& type = (*this)[Keyword::Type];
    if (!type) return std::nullopt;
    uint8_t bits = 0;
    simdjson::dom::array names;
    std::string_view name;
    if (type->get(name) == simdjson::SUCCESS) {
        bits = type_bits(name);
    } else if (type->get(names) == simdjson::SUCCESS) {
        for (const element one : names) {
            if (one.get(name) != simdjson::SUCCESS || type_bits(name) == 0) return 0;
            bits |= type_bits(name);
        }
    }
    bool nullable = false;
    const auto& given = (*this)[Keyword::Nullable];
    const bool adds_null = given && given->get(nullable) == simdjson::SUCCESS && nullable;
    return bits != 0 && adds_null ? bits | kNull : bits;
}

uint8_t SchemaKeywords::implied_types() const {
    uint8_t bits = 0;
    for (size_t i = 0; i < kKeywords; ++i) {
        if (values[i]) bits |= kKeywordRows[i].types;
    }
    return bits;
}

// --- SchemaShape -----------------------------------------------------------------------------------------------------

namespace {

constexpr int kMaxHops = 8;  // from $ref to $ref

bool disjoint(const SchemaShape::Values& a, const SchemaShape::Values& b) {
    SchemaShape::Values both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both.empty();
}

// Returns values of which equal ones are spelled alike, such as strings and whole numbers. A double may equal a whole
// number, and equal objects may have another order.
std::optional<SchemaShape::Values> plain_values(const SchemaKeywords& keywords) {
    std::vector<element> all;
    if (const auto& only = keywords[Keyword::Const]) all.push_back(*only);
    simdjson::dom::array listed;
    if (const auto& values = keywords[Keyword::Enum]; values && values->get(listed) == simdjson::SUCCESS) {
        all.assign(listed.begin(), listed.end());
    }
    if (all.empty()) return std::nullopt;
    SchemaShape::Values plain;
    for (const element value : all) {
        const element_type type = value.type();
        if (type == element_type::DOUBLE || type == element_type::ARRAY || type == element_type::OBJECT) {
            return std::nullopt;
        }
        plain.push_back(simdjson::minify(value));
    }
    std::sort(plain.begin(), plain.end());
    return plain;
}

std::optional<SchemaKeywords> keywords_of(element schema, element root) {
    simdjson::dom::object object;
    for (int hop = 0; hop < kMaxHops; ++hop) {
        if (schema.get(object) != simdjson::SUCCESS) return std::nullopt;
        const SchemaKeywords keywords(object, {});
        std::string_view ref;
        if (!keywords.has(Keyword::Ref) || keywords[Keyword::Ref]->get(ref) != simdjson::SUCCESS) return keywords;
        const auto target = resolve(ref, root);
        if (!target) return std::nullopt;
        schema = *target;
    }
    return std::nullopt;
}

}  // namespace

std::optional<element> resolve(std::string_view ref, element root) {
    if (ref == "#") return root;
    element target;
    if (!ref.starts_with("#/") || root.at_pointer(ref.substr(1)).get(target) != simdjson::SUCCESS) return std::nullopt;
    return target;
}

SchemaShape::SchemaShape(std::span<const SchemaKeywords> schemas, element root) {
    std::set<std::string_view> names;
    for (const SchemaKeywords& keywords : schemas) {
        types &= keywords.types().value_or(0xFF);
        if (auto known = plain_values(keywords)) values = std::move(known);
        simdjson::dom::array required;
        std::string_view name;
        if (!keywords.has(Keyword::Required) || keywords[Keyword::Required]->get(required) != simdjson::SUCCESS)
            continue;
        for (const element one : required) {
            if (one.get(name) == simdjson::SUCCESS) names.insert(name);
        }
    }
    if (types != kObject) return;
    for (const SchemaKeywords& keywords : schemas) {
        simdjson::dom::object properties;
        if (!keywords.has(Keyword::Properties) || keywords[Keyword::Properties]->get(properties) != simdjson::SUCCESS) {
            continue;
        }
        for (const auto& [key, value] : properties) {
            if (!names.contains(key)) continue;
            const auto inner = keywords_of(value, root);
            if (!inner) continue;
            if (auto known = plain_values(*inner)) tags.insert_or_assign(std::string(key), std::move(*known));
        }
    }
}

bool SchemaShape::excludes(const SchemaShape& other) const {
    if ((types & other.types) == 0) return true;
    if (values && other.values && disjoint(*values, *other.values)) return true;
    return std::any_of(tags.begin(), tags.end(), [&](const auto& tag) {
        const auto same = other.tags.find(tag.first);
        return same != other.tags.end() && disjoint(tag.second, same->second);
    });
}

bool nests_deeper(element value, size_t depth) {
    simdjson::dom::array array;
    simdjson::dom::object object;
    const bool is_array = value.get(array) == simdjson::SUCCESS;
    const bool is_object = value.get(object) == simdjson::SUCCESS;
    if (depth == 0) return is_array || is_object;
    if (is_array) {
        for (const element inner : array) {
            if (nests_deeper(inner, depth - 1)) return true;
        }
    }
    if (is_object) {
        for (const auto& [name, inner] : object) {
            if (nests_deeper(inner, depth - 1)) return true;
        }
    }
    return false;
}

}  // namespace llmd::constraint
