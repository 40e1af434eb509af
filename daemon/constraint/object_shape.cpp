#include "constraint/object_shape.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "constraint/pattern.h"
#include "constraint/schema_texts.h"

namespace llmd::constraint {

namespace {

// Returns the names that both describe.
base::Result<std::optional<CharacterDfa>> both(std::optional<CharacterDfa> a, std::optional<CharacterDfa> b,
                                               DfaWork& work) {
    if (!a || !b) return a ? std::move(a) : std::move(b);
    auto all = intersection(*a, *b, work);
    if (!all) return all.error();
    return std::optional(*std::move(all));
}

// Names are strings: other values are none. A text that comes twice is one.
std::vector<std::string> strings_of(const std::vector<std::string>& json) {
    std::vector<std::string> strings;
    simdjson::dom::parser parser;
    std::string_view text;
    for (const std::string& one : json) {
        if (parser.parse(one).get(text) != simdjson::SUCCESS) continue;
        if (std::find(strings.begin(), strings.end(), text) == strings.end()) strings.emplace_back(text);
    }
    return strings;
}

// Counts the characters of UTF-8.
size_t n_characters(std::string_view text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

ObjectShape::ObjectShape(MergedSchema& merged, simdjson::dom::element root, size_t& n_merges, DfaWork& work) {
    add_properties(merged, work);
    const Schemas schemas = merged.property_names();
    if (!merged.refusal() && !schemas.empty()) {
        MergedSchema names = merged.another();
        for (const SchemaAt& schema : schemas) names.add(schema, root, n_merges);
        limit_names(merged, names, work);
    }
    if (!merged.refusal()) exclude_listed(merged, work);
}

void ObjectShape::add_properties(MergedSchema& merged, DfaWork& work) {
    std::vector<MergedSchema::PatternProperty> patterns = merged.patterns();
    if (patterns.size() > kMaxNamePatterns) {
        merged.drop(patterns.front().path, "patternProperties: ", patterns.size(), " patterns are more than ",
                    kMaxNamePatterns);
        patterns.clear();
    }
    std::map<std::string_view, CharacterDfa> dfas;  // by pattern; those that are not supported are missing
    for (const auto& pattern : patterns) {
        auto dfa = compile_pattern(pattern.pattern, work);
        if (dfa) {
            dfas.try_emplace(pattern.pattern, *std::move(dfa));
        } else {
            merged.drop(pattern.path, "patternProperties: ", dfa.error().message);
        }
    }
    MergedSchema::Object object = merged.object(patterns, [&](const auto& pattern, std::string_view name) {
        const auto dfa = dfas.find(pattern.pattern);
        return dfa != dfas.end() && accepts(dfa->second, name);
    });
    // The names that fit `name` and none of the patterns but `own`.
    const auto unmatched = [&](std::optional<CharacterDfa> name, std::optional<std::string_view> own) {
        for (const auto& [pattern, dfa] : dfas) {
            if (pattern == own || merged.refusal()) continue;
            auto fewer = both(std::move(name), complement(dfa), work);
            if (!fewer) merged.refuse(merged.path(), "patternProperties: ", fewer.error().message);
            name = fewer ? *std::move(fewer) : std::nullopt;
        }
        return name;
    };
    properties = std::move(object.properties);
    for (const auto& [pattern, path, value] : object.matched) {
        const auto dfa = dfas.find(pattern);
        const bool is_known = dfa != dfas.end();
        const auto name = is_known ? std::optional(dfa->second) : std::nullopt;
        others.push_back({unmatched(name, is_known ? std::optional(pattern) : std::nullopt), {}, value});
    }
    // Names that a pattern matches are no additional ones, not even those that are not generated.
    if (object.more) others.push_back({unmatched(std::nullopt, std::nullopt), {}, *std::move(object.more)});
}

void ObjectShape::limit_names(MergedSchema& merged, MergedSchema& names, DfaWork& work) {
    const auto alternatives = names.take_alternatives();
    const bool is_plain = !names.refusal() && !alternatives;
    const auto values = is_plain ? names.values() : std::nullopt;
    const auto types = is_plain ? names.types() : std::nullopt;
    if (names.refusal() && !names.refusal()->is_contradiction) return merged.refuse(*names.refusal());
    if (alternatives) {
        return merged.drop(merged.path(), "propertyNames with ", keyword_name(alternatives->keyword),
                           " is not supported");
    }
    if (names.is_never() || names.refusal() || (types && (*types & kString) == 0)) {
        return list_names(merged, {});
    }
    if (values) {
        const auto other = names.besides({Keyword::Enum, Keyword::Const, Keyword::Type, Keyword::AllOf, Keyword::Ref});
        if (other) names.drop(names.path(), "enum or const beside ", keyword_name(*other), " is not supported");
        if (names.refusal()) return merged.refuse(*names.refusal());
        return list_names(merged, strings_of(*values));
    }
    SchemaTexts texts(names);
    const auto dfa = texts.dfa(names, work);
    if (names.refusal() && names.refusal()->is_contradiction) return list_names(merged, {});
    if (names.refusal()) return merged.refuse(*names.refusal());
    const bool has_lengths = texts.characters.least > 0 || texts.characters.most != kUnbounded;
    if (!dfa && !has_lengths) return;
    keep(merged, [&](const std::string& name) {
        const size_t n = n_characters(name);
        return n >= texts.characters.least && n <= texts.characters.most && (!dfa || accepts(*dfa, name));
    });
    for (Other& other : others) {
        auto name = both(std::move(other.name), dfa, work);
        if (!name) return merged.refuse(merged.path(), "propertyNames: ", name.error().message);
        other.name = *std::move(name);
        if (!other.name) other.name = all_texts();
        other.characters = texts.characters;
    }
}

void ObjectShape::keep(MergedSchema& merged, const std::function<bool(const std::string&)>& fits) {
    std::erase_if(properties, [&](const MergedSchema::MergedProperty& property) {
        if (fits(property.name)) return false;
        if (property.is_required) {
            merged.contradict("the required property ", in_quotes(property.name), " is not allowed by propertyNames");
        }
        return true;
    });
}

void ObjectShape::list_names(MergedSchema& merged, const std::vector<std::string>& names) {
    keep(merged, [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); });
    if (names.size() > kMaxProperties) {
        merged.drop(merged.path(), "propertyNames: ", names.size(), " names are more than ", kMaxProperties);
        return;
    }
    for (const std::string& name : names) {
        const auto same = [&](const MergedSchema::MergedProperty& property) { return property.name == name; };
        if (std::any_of(properties.begin(), properties.end(), same)) continue;
        const auto other = std::find_if(others.begin(), others.end(),
                                        [&](const Other& one) { return !one.name || accepts(*one.name, name); });
        if (other != others.end()) properties.push_back({name, other->value, false});
    }
    others.clear();
}

void ObjectShape::exclude_listed(MergedSchema& merged, DfaWork& work) {
    if (properties.empty()) return;
    std::vector<std::string> names;
    for (const auto& property : properties) names.push_back(property.name);
    for (Other& other : others) {
        if (!other.name) continue;
        auto fewer = intersection(*other.name, complement(one_of_texts(names)), work);
        if (!fewer) return merged.refuse(merged.path(), "the names of properties: ", fewer.error().message);
        other.name = *std::move(fewer);
    }
}

}  // namespace llmd::constraint
