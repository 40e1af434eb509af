#include "engine/generation/constraint/json_schema.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "engine/generation/constraint/grammar.h"
#include "engine/generation/constraint/json_text.h"
#include "engine/generation/constraint/schema_keywords.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

// Quotes a text for messages as a JSON string, and truncates a long one.
std::string in_quotes(std::string_view text) {
    constexpr size_t kMaxQuotedBytes = 200;
    return base::in_quotes(text, kMaxQuotedBytes);
}

// Walks a schema and builds nodes. The first error is kept, and nodes that are built after it are not used. Each target
// of a $ref is compiled once, from a queue, so that neither recursive nor chained references deepen the walk.
class SchemaCompiler {
public:
    SchemaCompiler(GrammarBuilder& builder, element root, std::string_view field)
        : root_(root), field_(field), b_(builder) {}

    base::Result<RuleId> compile();

private:
    // Appends a name to the location for messages during its lifetime.
    class Step {
    public:
        Step(SchemaCompiler& compiler, std::string_view name) : path_(compiler.path_), length_(path_.size()) {
            path_ += '/';
            for (const char c : name) path_ += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
        }
        ~Step() { path_.resize(length_); }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        std::string& path_;
        size_t length_;
    };

    template <typename... Parts>
    NodeId refuse(const Parts&... parts) {
        if (!error_) {
            error_ = base::fail(ErrorCode::InvalidArgument, field_, ": at ", in_quotes(path_), ": ", parts...);
        }
        return b_.nothing();
    }
    NodeId refuse_form(Keyword keyword, std::string_view wanted) {
        return refuse(keyword_name(keyword), " is not ", wanted);
    }

    RuleId reference(std::string_view ref, element schema);
    RuleId rule_of(std::string_view name, element schema) {
        const Step step(*this, name);
        return b_.rule(schema_node(schema));
    }
    RuleId rule_of(Keyword keyword, element schema) { return rule_of(keyword_name(keyword), schema); }
    NodeId schema_node(element schema);
    NodeId keywords_node(const SchemaKeywords& keywords);
    NodeId ref_node(const SchemaKeywords& keywords);
    NodeId alternatives_node(const SchemaKeywords& keywords, Keyword keyword);
    void check_exclusive(simdjson::dom::array schemas);
    NodeId values_node(const SchemaKeywords& keywords);
    NodeId typed_node(const SchemaKeywords& keywords, uint8_t types);
    NodeId string_node(const SchemaKeywords& keywords);
    NodeId integer_node(const SchemaKeywords& keywords);
    NodeId number_node(const SchemaKeywords& keywords);
    NodeId array_node(const SchemaKeywords& keywords);
    NodeId object_node(const SchemaKeywords& keywords);
    std::set<std::string> required_names(const SchemaKeywords& keywords);
    // Returns the rule for items or properties without a schema of their own, or nothing if the keyword says false.
    // `otherwise` is the keyword's value if it is absent.
    std::optional<RuleId> rest_rule(const SchemaKeywords& keywords, Keyword keyword, bool otherwise);
    Counts counts(const SchemaKeywords& keywords, Keyword least, Keyword most);
    std::optional<Range> range(const SchemaKeywords& keywords);
    // Returns a bound as a whole number that allows the same integers.
    std::optional<int64_t> bound(const SchemaKeywords& keywords, Keyword keyword);

    element root_;
    std::string_view field_;  // for messages
    GrammarBuilder& b_;
    JsonText json_{b_};
    std::map<std::string, RuleId> references_;
    std::deque<std::pair<std::string, element>> waiting_;  // referenced, and not compiled yet
    std::string path_;
    std::optional<base::Error> error_;
};

base::Result<RuleId> SchemaCompiler::compile() {
    const NodeId first = b_.n_nodes();
    const RuleId start = reference("#", root_);
    while (!waiting_.empty() && !error_ && !b_.is_full()) {
        auto [ref, schema] = std::move(waiting_.front());
        waiting_.pop_front();
        path_ = ref;
        b_.define(references_.at(ref), schema_node(schema));
    }
    if (error_) return *error_;
    if (const auto checked = b_.check(start, first); !checked) {
        return fail(checked.error().code, field_, ": ", checked.error().message);
    }
    return start;
}

RuleId SchemaCompiler::reference(std::string_view ref, element schema) {
    const auto [found, is_new] = references_.try_emplace(std::string(ref));
    if (is_new) {
        found->second = b_.declare();
        waiting_.emplace_back(found->first, schema);
    }
    return found->second;
}

NodeId SchemaCompiler::schema_node(element schema) {
    if (error_ || b_.is_full()) return b_.nothing();
    bool any = false;
    if (schema.get(any) == SUCCESS) return any ? b_.call(json_.anything(), b_.end()) : b_.nothing();
    simdjson::dom::object object;
    if (schema.get(object) != SUCCESS) return refuse("a schema is an object, true or false");
    const SchemaKeywords keywords(object, path_ == "#");
    if (keywords.twice) return refuse(keyword_name(*keywords.twice), " comes twice");
    if (keywords.unknown) return refuse(in_quotes(*keywords.unknown), " is not supported");
    return keywords_node(keywords);
}

NodeId SchemaCompiler::keywords_node(const SchemaKeywords& keywords) {
    for (const Keyword alone : {Keyword::Ref, Keyword::AnyOf, Keyword::OneOf, Keyword::Enum, Keyword::Const}) {
        if (!keywords.has(alone)) continue;
        const bool names_values = alone == Keyword::Enum || alone == Keyword::Const;
        if (const auto other = keywords.besides(alone, names_values ? Keyword::Type : alone)) {
            return refuse(keyword_name(alone), " beside ", keyword_name(*other), " is not supported");
        }
        if (names_values) return values_node(keywords);
        return alone == Keyword::Ref ? ref_node(keywords) : alternatives_node(keywords, alone);
    }
    const auto types = keywords.types();
    if (!types) return b_.call(json_.anything(), b_.end());
    if (*types == 0) return refuse_form(Keyword::Type, "the name of a JSON type or an array of some");
    return typed_node(keywords, *types);
}

NodeId SchemaCompiler::ref_node(const SchemaKeywords& keywords) {
    std::string_view ref;
    if (keywords[Keyword::Ref]->get(ref) != SUCCESS) return refuse_form(Keyword::Ref, "a string");
    const auto target = resolve(ref, root_);
    if (!target) return refuse("$ref: ", in_quotes(ref), " names nothing in this schema");
    return b_.call(reference(ref, *target), b_.end());
}

NodeId SchemaCompiler::alternatives_node(const SchemaKeywords& keywords, Keyword keyword) {
    simdjson::dom::array schemas;
    if (keywords[keyword]->get(schemas) != SUCCESS || schemas.size() == 0 || schemas.size() > kMaxAlternatives) {
        return refuse_form(keyword, base::concat("an array of 1 to ", kMaxAlternatives, " schemas"));
    }
    const Step step(*this, keyword_name(keyword));
    if (keyword == Keyword::OneOf) check_exclusive(schemas);
    std::vector<NodeId> alternatives;
    for (const element schema : schemas) {
        const Step inner(*this, std::to_string(alternatives.size()));
        alternatives.push_back(schema_node(schema));
    }
    return b_.choice(alternatives);
}

void SchemaCompiler::check_exclusive(simdjson::dom::array schemas) {
    std::vector<SchemaShape> shapes;
    for (const element schema : schemas) shapes.emplace_back(schema, root_);
    for (size_t i = 0; i < shapes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (shapes[i].excludes(shapes[j])) continue;
            refuse("oneOf: a text might fit both ", j, " and ", i, "; anyOf allows that");
            return;
        }
    }
}

NodeId SchemaCompiler::values_node(const SchemaKeywords& keywords) {
    const Keyword keyword = keywords.has(Keyword::Enum) ? Keyword::Enum : Keyword::Const;
    const uint8_t types = keywords.has(Keyword::Type) ? keywords.types().value_or(0) : 0xFF;
    if (types == 0) return refuse_form(Keyword::Type, "the name of a JSON type or an array of some");
    std::vector<element> values;
    simdjson::dom::array listed;
    if (keyword == Keyword::Const) {
        values.push_back(*keywords[keyword]);
    } else if (keywords[keyword]->get(listed) == SUCCESS && listed.size() <= kMaxEnumValues) {
        values.assign(listed.begin(), listed.end());
    } else {
        return refuse_form(keyword, base::concat("an array of at most ", kMaxEnumValues, " values"));
    }
    std::vector<std::string> texts;
    for (const element value : values) {
        const uint8_t bits = type_bits(value);
        if ((bits & ~types) == 0) texts.push_back(simdjson::minify(value));
    }
    return b_.one_of(texts, b_.end());
}

NodeId SchemaCompiler::typed_node(const SchemaKeywords& keywords, uint8_t types) {
    std::vector<NodeId> alternatives;
    if ((types & kObject) != 0) alternatives.push_back(object_node(keywords));
    if ((types & kArray) != 0) alternatives.push_back(array_node(keywords));
    if ((types & kString) != 0) alternatives.push_back(string_node(keywords));
    if ((types & kFractional) != 0) {
        alternatives.push_back(number_node(keywords));
    } else if ((types & kWhole) != 0) {
        alternatives.push_back(integer_node(keywords));
    }
    if ((types & kBoolean) != 0) {
        alternatives.push_back(b_.literal("true", b_.end()));
        alternatives.push_back(b_.literal("false", b_.end()));
    }
    if ((types & kNull) != 0) alternatives.push_back(b_.literal("null", b_.end()));
    return b_.choice(alternatives);
}

// --- Types -----------------------------------------------------------------------------------------------------------

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

// Says whether brackets nest more than `depth` deep.
bool nests_deeper(element value, size_t depth) {
    simdjson::dom::array array;
    simdjson::dom::object object;
    const bool is_array = value.get(array) == SUCCESS;
    const bool is_object = value.get(object) == SUCCESS;
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

}  // namespace

base::Result<RuleId> add_json_schema(GrammarBuilder& builder, element schema, std::string_view field) {
    if (nests_deeper(schema, kMaxSchemaDepth)) {
        return fail(ErrorCode::InvalidArgument, field, ": it nests more than ", kMaxSchemaDepth, " deep");
    }
    return SchemaCompiler(builder, schema, field).compile();
}

base::Result<Grammar> compile_json_schema(std::string_view text) {
    if (text.size() > kMaxSchemaBytes) {
        return fail(ErrorCode::InvalidArgument, "json_schema: ", text.size(), " bytes are more than ", kMaxSchemaBytes);
    }
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    auto error = parser.allocate(kMaxSchemaBytes, kMaxSchemaDepth);
    if (error == SUCCESS) error = parser.parse(text.data(), text.size()).get(root);
    if (error != SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "json_schema: it is not JSON that nests at most ", kMaxSchemaDepth,
                    " deep: ", simdjson::error_message(error));
    }
    GrammarBuilder builder;
    const auto rule = add_json_schema(builder, root, "json_schema");
    if (!rule) return rule.error();
    return builder.finish(*rule);
}

}  // namespace llmd::constraint
