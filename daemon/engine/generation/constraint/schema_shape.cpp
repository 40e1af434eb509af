#include "engine/generation/constraint/schema_shape.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/generation/constraint/schema_keywords.h"

namespace llmd::constraint {

using simdjson::dom::element;
using simdjson::dom::element_type;

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
        const SchemaKeywords keywords(object, false);
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

SchemaShape::SchemaShape(element schema, element root) {
    const auto keywords = keywords_of(schema, root);
    if (!keywords) return;
    if (keywords->has(Keyword::Type)) types = keywords->types().value_or(types);
    values = plain_values(*keywords);
    simdjson::dom::array required;
    simdjson::dom::object properties;
    if (types != kObject || !keywords->has(Keyword::Required) || !keywords->has(Keyword::Properties) ||
        (*keywords)[Keyword::Required]->get(required) != simdjson::SUCCESS ||
        (*keywords)[Keyword::Properties]->get(properties) != simdjson::SUCCESS) {
        return;
    }
    std::set<std::string_view> names;
    std::string_view name;
    for (const element one : required) {
        if (one.get(name) == simdjson::SUCCESS) names.insert(name);
    }
    for (const auto& [key, value] : properties) {
        if (!names.contains(key)) continue;
        const auto inner = keywords_of(value, root);
        if (!inner) continue;
        if (auto known = plain_values(*inner)) tags.emplace(key, std::move(*known));
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

}  // namespace llmd::constraint
