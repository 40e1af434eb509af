#include "constraint/merged_schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace llmd::constraint {

using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

constexpr size_t kLongestNumber = 400;  // characters of a double without an exponent

}  // namespace

// --- The schemas -----------------------------------------------------------------------------------------------------

void MergedSchema::add(const SchemaAt& schema, element root, size_t& n_merges) {
    std::vector<std::string> open;
    if (path_.empty()) path_ = schema.path;
    add(schema, root, n_merges, open);
}

void MergedSchema::add(const SchemaAt& at, element root, size_t& n_merges, std::vector<std::string>& open) {
    if (refusal_ || added_.contains(at.path)) return;
    added_.insert(at.path);
    n_merges += added_.size() > 1 ? 1 : 0;
    if (added_.size() > kMaxMerged || n_merges > kMaxMerges) {
        refuse(path_, "allOf and $ref merge more than ", kMaxMerged, " schemas, or ", kMaxMerges, " in all");
        return;
    }
    bool any = false;
    if (at.schema.get(any) == SUCCESS) {
        is_never_ = is_never_ || !any;
        return;
    }
    simdjson::dom::object object;
    if (at.schema.get(object) != SUCCESS) {
        reject(at.path, as_told(at.schema), " is not a schema");
        return;
    }
    open.push_back(at.path);
    SchemaKeywords keywords(object, at.path);
    if (keywords.twice) reject(at.path, keyword_name(*keywords.twice), " comes twice");
    // A text that is no schema at all, such as the wrapper around one, would allow anything.
    if (at.path == "#" && !keywords.unknown.empty() && !keywords.besides({})) {
        return reject(at.path, in_quotes(keywords.unknown.front()), " is not supported");
    }
    for (const std::string_view unknown : keywords.unknown) drop(at.path, in_quotes(unknown), " is not supported");
    if (const auto& reference = keywords[Keyword::Ref]) {
        std::string_view ref;
        if (reference->get(ref) != SUCCESS) return refuse_form(keywords, Keyword::Ref, "a string");
        const auto target = resolve(ref, root);
        if (!target) return reject(at.path, "$ref: ", in_quotes(ref), " names nothing in this schema");
        if (std::find(open.begin(), open.end(), ref) != open.end() || opened_.contains(std::string(ref))) {
            return reject(at.path, "$ref: ", in_quotes(ref), " leads back to itself with nothing in between");
        }
        add({*target, std::string(ref)}, root, n_merges, open);
    }
    const std::vector<Held> all = held(keywords, Keyword::AllOf);
    if (keywords.has(Keyword::AllOf) && all.empty()) return;
    for (const Held& one : all) add(one.at, root, n_merges, open);
    open.pop_back();
    members_.push_back(std::move(keywords));
}

std::vector<MergedSchema::Held> MergedSchema::held(const SchemaKeywords& keywords, Keyword keyword) {
    std::vector<Held> all;
    const std::string_view name = keyword_name(keyword);
    const std::string path = path_within(keywords.path, keywords.name_of(keyword));
    const Holds kind = held_by(name);
    if (kind == Holds::Map) {
        simdjson::dom::object map;
        if (!get(keywords, keyword, "an object", map)) return all;
        for (const auto& [key, schema] : map) all.push_back({key, {schema, path_within(path, key)}});
        return all;
    }
    simdjson::dom::array list;
    const bool are_alternatives = kind == Holds::Alternatives;
    const std::string wanted =
        are_alternatives ? base::concat("an array of 1 to ", kMaxAlternatives, " schemas") : "an array of schemas";
    if (!get(keywords, keyword, wanted, list)) return all;
    if (are_alternatives && list.size() == 0) refuse_form(keywords, keyword, wanted);
    if (are_alternatives && list.size() > kMaxAlternatives) {
        refuse(keywords.path, name, ": ", list.size(), " schemas are more than ", kMaxAlternatives);
        return all;
    }
    for (const element one : list) all.push_back({{}, {one, path_within(path, std::to_string(all.size()))}});
    return all;
}

void MergedSchema::refuse_form(const SchemaKeywords& keywords, Keyword keyword, std::string_view wanted) {
    reject(keywords.path, keywords.name_of(keyword), ": ", as_told(*keywords[keyword]), " is not ", wanted);
}

std::optional<Keyword> MergedSchema::besides(std::initializer_list<Keyword> known) const {
    for (const SchemaKeywords& keywords : members_) {
        if (const auto other = keywords.besides(known)) return other;
    }
    return std::nullopt;
}

std::optional<MergedSchema::Alternatives> MergedSchema::take_alternatives() {
    for (SchemaKeywords& keywords : members_) {
        for (const Keyword keyword : {Keyword::AnyOf, Keyword::OneOf}) {
            if (!keywords.has(keyword)) continue;
            Alternatives all{keyword, keywords.path, {}};
            opened_.insert(keywords.path);
            for (Held& one : held(keywords, keyword)) all.schemas.push_back(std::move(one.at));
            keywords.values[static_cast<size_t>(keyword)].reset();
            return all;
        }
    }
    return std::nullopt;
}

// --- Values and types ------------------------------------------------------------------------------------------------

std::optional<std::vector<std::string>> MergedSchema::values() {
    std::optional<std::vector<element>> values;
    Keyword keyword = Keyword::Enum;
    for (const SchemaKeywords& keywords : members_) {
        for (const Keyword one : {Keyword::Enum, Keyword::Const}) {
            if (!keywords.has(one)) continue;
            std::vector<element> listed;
            simdjson::dom::array array;
            keyword = one;
            if (one == Keyword::Const) {
                listed.push_back(*keywords[one]);
            } else if (keywords[one]->get(array) != SUCCESS) {
                refuse_form(keywords, one, base::concat("an array of at most ", kMaxEnumValues, " values"));
            } else if (array.size() > kMaxEnumValues) {
                drop(keywords.path, "enum: ", array.size(), " values are more than ", kMaxEnumValues);
                continue;
            } else {
                listed.assign(array.begin(), array.end());
            }
            if (!values) {
                values = std::move(listed);
                continue;
            }
            std::set<std::string> texts;
            for (const element value : listed) texts.insert(simdjson::minify(value));
            std::erase_if(*values, [&](element value) { return !texts.contains(simdjson::minify(value)); });
        }
    }
    if (!values) return std::nullopt;
    const uint8_t allowed = types().value_or(0xFF);
    std::vector<std::string> texts;
    for (const element value : *values) {
        if ((type_bits(value) & ~allowed) == 0) texts.push_back(simdjson::minify(value));
    }
    if (texts.empty()) contradict(keyword_name(keyword), " leaves none");
    return texts;
}

std::optional<uint8_t> MergedSchema::types() {
    std::optional<uint8_t> named;
    uint8_t implied = 0;
    for (const SchemaKeywords& keywords : members_) {
        bool nullable = false;
        get(keywords, Keyword::Nullable, "true or false", nullable);
        implied |= keywords.implied_types();
        const auto types = keywords.types();
        if (!types) continue;
        if (*types == 0) refuse_form(keywords, Keyword::Type, "the name of a JSON type or an array of some");
        named = named.value_or(0xFF) & *types;
    }
    if (named == 0) contradict("type leaves none");
    if (named) return named;
    const bool has_values = std::any_of(members_.begin(), members_.end(), [](const SchemaKeywords& keywords) {
        return keywords.has(Keyword::Enum) || keywords.has(Keyword::Const);
    });
    return implied == 0 || has_values ? std::nullopt : std::optional(implied);
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

Counts MergedSchema::counts(Keyword least, Keyword most) {
    Counts all;
    for (const SchemaKeywords& keywords : members_) {
        for (const Keyword keyword : {least, most}) {
            const auto& given = keywords[keyword];
            uint64_t count = 0;
            double real = 0;
            if (!given) continue;
            if (given->is<double>() && given->get(real) == SUCCESS && real >= 0 && real <= kMaxCount &&
                real == std::floor(real)) {
                count = static_cast<uint64_t>(real);
            } else if (given->get(count) != SUCCESS) {
                refuse_form(keywords, keyword, "a whole number of 0 or more");
            }
            if (keyword == least && count > kMaxCount) {
                drop(keywords.path, keyword_name(least), ": ", count, " is more than ", kMaxCount);
                continue;
            }
            const auto reduced = static_cast<uint32_t>(std::min<uint64_t>(count, kMaxCount));
            if (keyword == least) {
                all.least = std::max(all.least, reduced);
            } else {
                all.most = std::min(all.most, reduced);
            }
        }
    }
    if (all.least > all.most) {
        contradict(keyword_name(least), " ", all.least, " is more than ", keyword_name(most), " ", all.most);
    }
    return all;
}

std::optional<Range> MergedSchema::range() {
    std::optional<int64_t> low;
    std::optional<int64_t> high;
    for (const SchemaKeywords& keywords : members_) {
        for (const Keyword keyword : {Keyword::Minimum, Keyword::ExclusiveMinimum}) {
            const auto one = bound(keywords, keyword);
            if (one) low = std::max(low.value_or(*one), *one);
        }
        for (const Keyword keyword : {Keyword::Maximum, Keyword::ExclusiveMaximum}) {
            const auto one = bound(keywords, keyword);
            if (one) high = std::min(high.value_or(*one), *one);
        }
    }
    if (!low && !high) return std::nullopt;
    if (low && high && *low > *high) contradict("the least number ", *low, " is more than the greatest, ", *high);
    Range range;
    if (low && !high && *low > range.high) range.high = kMaxMagnitude;
    if (high && !low && *high < range.low) range.low = -kMaxMagnitude;
    return Range{low.value_or(range.low), high.value_or(range.high)};
}

std::optional<int64_t> MergedSchema::bound(const SchemaKeywords& keywords, Keyword keyword) {
    const auto& given = keywords[keyword];
    if (!given) return std::nullopt;
    const bool is_low = keyword == Keyword::Minimum || keyword == Keyword::ExclusiveMinimum;
    const bool is_exclusive = keyword == Keyword::ExclusiveMinimum || keyword == Keyword::ExclusiveMaximum;
    const int64_t inwards = is_low ? 1 : -1;
    double value = 0;
    if (given->get(value) != SUCCESS) {
        refuse_form(keywords, keyword, "a number");
        return std::nullopt;
    }
    // A bound beyond kMaxMagnitude either restricts nothing or allows only numbers that are not generated.
    if (std::abs(value) > static_cast<double>(kMaxMagnitude)) {
        if ((value < 0) == is_low) return std::nullopt;
        drop(keywords.path, keyword_name(keyword), ": ", value, " is beyond ", inwards * kMaxMagnitude);
        return std::nullopt;
    }
    int64_t whole = 0;
    const bool is_whole = given->get(whole) == SUCCESS;
    if (!is_whole) whole = static_cast<int64_t>(is_low ? std::ceil(value) : std::floor(value));
    const bool is_on_bound = is_whole || static_cast<double>(whole) == value;
    return is_exclusive && is_on_bound ? whole + inwards : whole;
}

NumberLimits MergedSchema::number() {
    NumberLimits limits;
    for (const SchemaKeywords& keywords : members_) {
        for (const Keyword keyword :
             {Keyword::Minimum, Keyword::ExclusiveMinimum, Keyword::Maximum, Keyword::ExclusiveMaximum}) {
            const auto& given = keywords[keyword];
            double value = 0;
            int64_t whole = 0;
            if (!given || !bound(keywords, keyword) || given->get(value) != SUCCESS) continue;
            std::array<char, kLongestNumber> text{};
            const auto end = given->get(whole) == SUCCESS
                                 ? std::to_chars(text.begin(), text.end(), whole)
                                 : std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed);
            limits.bounds.push_back(
                {.number = std::string(text.begin(), end.ptr),
                 .is_low = keyword == Keyword::Minimum || keyword == Keyword::ExclusiveMinimum,
                 .is_exclusive = keyword == Keyword::ExclusiveMinimum || keyword == Keyword::ExclusiveMaximum});
        }
        if (keywords.has(Keyword::MultipleOf)) add_multiple(keywords, limits);
    }
    return limits;
}

void MergedSchema::add_multiple(const SchemaKeywords& keywords, NumberLimits& limits) {
    double value = 0;
    if (keywords[Keyword::MultipleOf]->get(value) != SUCCESS || value <= 0) {
        return refuse_form(keywords, Keyword::MultipleOf, "a number above 0");
    }
    std::array<char, kLongestNumber> text{};
    const char* end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed).ptr;
    const std::string_view number(text.begin(), static_cast<size_t>(end - text.begin()));
    const size_t point = std::min(number.find('.'), number.size());
    const size_t scale = point == number.size() ? 0 : number.size() - point - 1;
    int64_t multiple = 0;
    for (const char c : number) {
        if (c != '.') multiple = std::min(multiple * 10 + (c - '0'), kMaxMultipleOf + 1);
    }
    if (multiple > kMaxMultipleOf || scale > kMaxFractionDigits) {
        return drop(keywords.path, "multipleOf: ", value, " is not supported: without its point it is at most ",
                    kMaxMultipleOf, ", and it has at most ", kMaxFractionDigits, " digits behind the point");
    }
    if (limits.multiple == 0) {
        limits.multiple = multiple;
        limits.scale = static_cast<uint32_t>(scale);
        return;
    }
    if (scale != limits.scale) {
        return drop(keywords.path, "multipleOf twice is supported with the same number of digits behind the point");
    }
    const int64_t common = std::lcm(limits.multiple, multiple);
    if (common > kMaxMultipleOf) {
        return drop(keywords.path, "multipleOf: the common multiple ", common, " is more than ", kMaxMultipleOf);
    }
    limits.multiple = common;
}

// --- Arrays and objects ----------------------------------------------------------------------------------------------

bool MergedSchema::add_rest(const SchemaKeywords& keywords, Keyword keyword, Schemas& schemas) {
    const auto& given = keywords[keyword];
    bool any = true;
    if (!given || given->get(any) == SUCCESS) return any;
    if (given->is_object()) {
        schemas.push_back({*given, path_within(keywords.path, keywords.name_of(keyword))});
    } else {
        refuse_form(keywords, keyword, "a schema");
    }
    return true;
}

MergedSchema::Items MergedSchema::items(Counts counts) {
    Items all;
    std::vector<Schemas> prefixes;  // by member
    bool says_what_follows = false;
    size_t n_first = 0;
    for (const SchemaKeywords& keywords : members_) {
        Schemas& prefix = prefixes.emplace_back();
        says_what_follows = says_what_follows || keywords.has(Keyword::Items);
        bool is_unique = false;
        get(keywords, Keyword::UniqueItems, "true or false", is_unique);
        all.are_unique = all.are_unique || is_unique;
        for (Held& one : held(keywords, Keyword::PrefixItems)) prefix.push_back(std::move(one.at));
        n_first = std::max(n_first, prefix.size());
    }
    for (size_t i = 0; i <= n_first; ++i) {
        Schemas at;
        bool is_allowed = i < n_first || says_what_follows || n_first == 0 || counts.least > n_first;
        for (size_t member = 0; member < members_.size(); ++member) {
            if (i < prefixes[member].size()) {
                at.push_back(prefixes[member][i]);
            } else if (!add_rest(members_[member], Keyword::Items, at)) {
                is_allowed = false;
            }
        }
        if (!is_allowed) break;
        if (i < n_first) {
            all.first.push_back(std::move(at));
        } else {
            all.more = std::move(at);
        }
    }
    return all;
}

Schemas MergedSchema::property_names() const {
    Schemas schemas;
    for (const SchemaKeywords& keywords : members_) {
        const auto& names = keywords[Keyword::PropertyNames];
        if (names) schemas.push_back({*names, path_within(keywords.path, keyword_name(Keyword::PropertyNames))});
    }
    return schemas;
}

std::vector<MergedSchema::PatternProperty> MergedSchema::patterns() {
    std::vector<PatternProperty> all;
    for (const SchemaKeywords& keywords : members_) {
        for (Held& one : held(keywords, Keyword::PatternProperties)) {
            all.push_back({one.name, keywords.path, {std::move(one.at)}});
        }
    }
    return all;
}

MergedSchema::Object MergedSchema::object(const std::vector<PatternProperty>& patterns, const Matches& matches) {
    Object all;
    std::set<std::string> required = required_names();
    std::vector<std::map<std::string_view, SchemaAt>> listed;  // by member
    std::vector<std::string_view> names;                       // of all, in their order
    std::set<std::string_view> known;
    bool says_what_follows = false;
    for (const SchemaKeywords& keywords : members_) {
        auto& properties = listed.emplace_back();
        says_what_follows = says_what_follows || keywords.has(Keyword::AdditionalProperties);
        for (Held& one : held(keywords, Keyword::Properties)) {
            if (!properties.emplace(one.name, std::move(one.at)).second) {
                reject(path_within(keywords.path, "properties"), in_quotes(one.name), " comes twice");
            }
            if (known.insert(one.name).second) names.push_back(one.name);
        }
    }
    const bool is_bare = names.empty();
    // A required property without a schema has the value of an additional one.
    for (const std::string& name : required) {
        if (known.insert(name).second) names.push_back(name);
    }
    if (names.size() > kMaxProperties) {
        refuse(path_within(path_, "properties"), "more than ", kMaxProperties, " properties");
    }
    for (const std::string_view name : names) {
        MergedProperty property{std::string(name), {}, required.contains(std::string(name))};
        bool is_allowed = true;
        for (size_t member = 0; member < members_.size(); ++member) {
            const auto found = listed[member].find(name);
            bool is_named = found != listed[member].end();
            if (is_named) property.value.push_back(found->second);
            for (const PatternProperty& pattern : patterns) {
                if (pattern.path != members_[member].path || !matches(pattern, name)) continue;
                property.value.insert(property.value.end(), pattern.value.begin(), pattern.value.end());
                is_named = true;
            }
            if (!is_named && !add_rest(members_[member], Keyword::AdditionalProperties, property.value)) {
                is_allowed = false;
            }
        }
        if (!is_allowed && property.is_required) {
            contradict("the required property ", in_quotes(name), " is not allowed by additionalProperties");
        }
        if (is_allowed) all.properties.push_back(std::move(property));
    }
    Schemas more;
    // Properties that a pattern names are all that is meant, as listed ones are.
    bool is_allowed = says_what_follows || (is_bare && patterns.empty());
    for (const SchemaKeywords& keywords : members_) {
        is_allowed = add_rest(keywords, Keyword::AdditionalProperties, more) && is_allowed;
    }
    if (is_allowed) all.more = std::move(more);
    for (const PatternProperty& pattern : patterns) {
        PatternProperty one = pattern;
        const bool is_matched = std::all_of(members_.begin(), members_.end(), [&](const SchemaKeywords& keywords) {
            return keywords.path == pattern.path || add_rest(keywords, Keyword::AdditionalProperties, one.value);
        });
        if (is_matched) all.matched.push_back(std::move(one));
    }
    return all;
}

std::set<std::string> MergedSchema::required_names() {
    std::set<std::string> names;
    for (const SchemaKeywords& keywords : members_) {
        simdjson::dom::array listed;
        if (!get(keywords, Keyword::Required, "an array of strings", listed)) continue;
        for (const element one : listed) {
            std::string_view name;
            if (one.get(name) != SUCCESS) refuse_form(keywords, Keyword::Required, "an array of strings");
            names.emplace(name);
        }
    }
    return names;
}

}  // namespace llmd::constraint
