// What one type of a schema becomes: the second half of SchemaCompiler.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/generation/constraint/json_format.h"
#include "engine/generation/constraint/json_schema.h"
#include "engine/generation/constraint/schema_compiler.h"

namespace llmd::constraint {

using simdjson::SUCCESS;
using simdjson::dom::element;

NodeId SchemaCompiler::string_node(const SchemaKeywords& keywords) {
    const Counts characters = counts(keywords, Keyword::MinLength, Keyword::MaxLength);
    const auto& format = keywords[Keyword::Format];
    if (!format) return b_.call(json_.string(characters), b_.end());
    std::string_view name;
    if (format->get(name) != SUCCESS) return refuse_form(Keyword::Format, "a string");
    for (const Keyword other : {Keyword::MinLength, Keyword::MaxLength}) {
        if (keywords.has(other)) return refuse("format beside ", keyword_name(other), " is not supported");
    }
    const auto text = json_format(b_, name, b_.byte('"', b_.end()));
    if (!text) return refuse("format: ", in_quotes(name), " is none of ", kJsonFormats);
    return b_.byte('"', *text);
}

NodeId SchemaCompiler::integer_node(const SchemaKeywords& keywords) {
    return json_.integer(range(keywords).value_or(Range{}), b_.end());
}

NodeId SchemaCompiler::number_node(const SchemaKeywords& keywords) {
    for (const Keyword exclusive : {Keyword::ExclusiveMinimum, Keyword::ExclusiveMaximum}) {
        if (keywords.has(exclusive)) return refuse(keyword_name(exclusive), " is supported for integers only");
    }
    for (const Keyword keyword : {Keyword::Minimum, Keyword::Maximum}) {
        double value = 0;
        if (keywords.has(keyword) && keywords[keyword]->get(value) == SUCCESS && value != std::floor(value)) {
            return refuse(keyword_name(keyword), ": ", value, " is not whole, which is supported for integers only");
        }
    }
    return json_.number(range(keywords), b_.end());
}

NodeId SchemaCompiler::array_node(const SchemaKeywords& keywords) {
    const Counts counts = this->counts(keywords, Keyword::MinItems, Keyword::MaxItems);
    std::vector<RuleId> items;
    if (const auto& prefix = keywords[Keyword::PrefixItems]) {
        simdjson::dom::array schemas;
        if (prefix->get(schemas) != SUCCESS) return refuse_form(Keyword::PrefixItems, "an array of schemas");
        const Step step(*this, keyword_name(Keyword::PrefixItems));
        for (const element schema : schemas) items.push_back(rule_of(std::to_string(items.size()), schema));
    }
    const bool may_go_on = items.empty() || counts.least > items.size();
    return json_.array(items, rest_rule(keywords, Keyword::Items, may_go_on), counts);
}

NodeId SchemaCompiler::object_node(const SchemaKeywords& keywords) {
    std::set<std::string> required = required_names(keywords);
    std::vector<Property> properties;
    if (const auto& listed = keywords[Keyword::Properties]) {
        simdjson::dom::object schemas;
        if (listed->get(schemas) != SUCCESS) return refuse_form(Keyword::Properties, "an object");
        const Step step(*this, keyword_name(Keyword::Properties));
        std::set<std::string_view> names;
        for (const auto& [name, schema] : schemas) {
            if (!names.insert(name).second) return refuse(in_quotes(name), " comes twice");
            if (names.size() > kMaxProperties) return refuse("more than ", kMaxProperties, " properties");
            const bool is_required = required.erase(std::string(name)) > 0;
            properties.push_back({std::string(name), rule_of(name, schema), is_required});
        }
    }
    const bool is_bare = properties.empty();
    const auto more = rest_rule(keywords, Keyword::AdditionalProperties, is_bare);
    // A required property without a schema has the value of an additional one.
    for (const std::string& name : required) {
        if (properties.size() == kMaxProperties) return refuse("more than ", kMaxProperties, " properties");
        const bool may_be = more || !keywords.has(Keyword::AdditionalProperties);
        properties.push_back({name, may_be ? more.value_or(json_.anything()) : b_.rule(b_.nothing()), true});
    }
    return json_.object(properties, more);
}

std::set<std::string> SchemaCompiler::required_names(const SchemaKeywords& keywords) {
    std::set<std::string> names;
    const auto& required = keywords[Keyword::Required];
    simdjson::dom::array listed;
    if (!required) return names;
    if (required->get(listed) != SUCCESS) {
        refuse_form(Keyword::Required, "an array of strings");
        return names;
    }
    for (const element one : listed) {
        std::string_view name;
        if (one.get(name) != SUCCESS) refuse_form(Keyword::Required, "an array of strings");
        names.emplace(name);
    }
    return names;
}

std::optional<RuleId> SchemaCompiler::rest_rule(const SchemaKeywords& keywords, Keyword keyword, bool otherwise) {
    bool any = otherwise;
    const auto& schema = keywords[keyword];
    if (schema && schema->get(any) != SUCCESS) {
        if (schema->is_object()) return rule_of(keyword, *schema);
        refuse_form(keyword, "a schema");
    }
    return any ? std::optional(json_.anything()) : std::nullopt;
}

Counts SchemaCompiler::counts(const SchemaKeywords& keywords, Keyword least, Keyword most) {
    const auto read = [&](Keyword keyword) -> std::optional<uint64_t> {
        const auto& given = keywords[keyword];
        uint64_t count = 0;
        if (!given) return std::nullopt;
        if (given->get(count) != SUCCESS) refuse_form(keyword, "a whole number of 0 or more");
        return count;
    };
    const uint64_t low = read(least).value_or(0);
    if (low > kMaxCount) refuse(keyword_name(least), ": ", low, " is more than ", kMaxCount);
    const auto high = read(most);
    return {.least = static_cast<uint32_t>(std::min<uint64_t>(low, kMaxCount)),
            .most = high ? static_cast<uint32_t>(std::min<uint64_t>(*high, kMaxCount)) : kUnbounded};
}

std::optional<Range> SchemaCompiler::range(const SchemaKeywords& keywords) {
    Range range;
    bool is_given = false;
    for (const Keyword keyword : {Keyword::Minimum, Keyword::ExclusiveMinimum}) {
        const auto low = bound(keywords, keyword);
        if (!low) continue;
        range.low = is_given ? std::max(range.low, *low) : *low;
        is_given = true;
    }
    if (range.low > range.high) range.high = kMaxMagnitude;
    bool has_high = false;
    for (const Keyword keyword : {Keyword::Maximum, Keyword::ExclusiveMaximum}) {
        const auto high = bound(keywords, keyword);
        if (!high) continue;
        range.high = has_high ? std::min(range.high, *high) : *high;
        has_high = true;
    }
    if (!is_given && range.low > range.high) range.low = -kMaxMagnitude;
    return is_given || has_high ? std::optional(range) : std::nullopt;
}

std::optional<int64_t> SchemaCompiler::bound(const SchemaKeywords& keywords, Keyword keyword) {
    const auto& given = keywords[keyword];
    if (!given) return std::nullopt;
    const bool is_low = keyword == Keyword::Minimum || keyword == Keyword::ExclusiveMinimum;
    const bool is_exclusive = keyword == Keyword::ExclusiveMinimum || keyword == Keyword::ExclusiveMaximum;
    const int64_t inwards = is_low ? 1 : -1;
    double value = 0;
    if (given->get(value) != SUCCESS) {
        refuse_form(keyword, "a number");
        return std::nullopt;
    }
    // A bound beyond kMaxMagnitude either restricts nothing or allows only numbers that are not generated.
    if (std::abs(value) > static_cast<double>(kMaxMagnitude)) {
        if ((value < 0) == is_low) return std::nullopt;
        refuse(keyword_name(keyword), ": ", value, " is beyond ", inwards * kMaxMagnitude);
        return std::nullopt;
    }
    int64_t whole = 0;
    const bool is_whole = given->get(whole) == SUCCESS;
    if (!is_whole) whole = static_cast<int64_t>(is_low ? std::ceil(value) : std::floor(value));
    const bool is_on_bound = is_whole || static_cast<double>(whole) == value;
    return is_exclusive && is_on_bound ? whole + inwards : whole;
}

}  // namespace llmd::constraint
