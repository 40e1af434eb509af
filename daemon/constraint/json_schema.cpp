#include "constraint/json_schema.h"

#include <simdjson.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "constraint/character_dfa.h"
#include "constraint/grammar.h"
#include "constraint/json_text.h"
#include "constraint/merged_schema.h"
#include "constraint/pattern.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

// Walks a schema and builds nodes. The first error is kept, and nodes that are built after it are not used. The targets
// of $ref, and what several schemas say together of a part of a text, are compiled once, from a queue, so that neither
// recursive nor chained references deepen the walk.
class SchemaCompiler {
public:
    // `loosened` is null if an unsupported keyword is an error.
    SchemaCompiler(GrammarBuilder& builder, SharedRules& shared, element root, std::string_view field,
                   std::vector<std::string>* loosened)
        : root_(root),
          field_(field),
          b_(builder),
          json_(shared.json),
          dfa_text_(shared.dfa_text),
          work_(shared.work),
          patterns_(shared.patterns),
          loosened_(loosened) {}

    // Compiles the part of the root that `pointer` names.
    base::Result<RuleId> compile(std::string_view pointer);

private:
    struct Waiting {
        RuleId rule;
        Schemas schemas;
        bool is_alternative;
    };

    NodeId refuse(const MergedSchema::Refusal& refusal);
    template <typename... Parts>
    NodeId refuse(std::string_view path, const Parts&... parts) {
        return refuse({base::concat("at ", in_quotes(path), ": ", parts...), false});
    }

    RuleId reference(const Schemas& schemas);
    RuleId rule_of(const Schemas& schemas, bool is_merged);
    NodeId schema_node(const SchemaAt& schema);
    // Returns the $ref of a schema that says nothing else.
    std::optional<SchemaAt> lone_reference(const SchemaAt& schema) const;
    NodeId merged_node(MergedSchema& merged);
    NodeId supported_node(MergedSchema& merged);
    NodeId alternatives_node(const MergedSchema& merged, const MergedSchema::Alternatives& alternatives);
    void check_exclusive(const MergedSchema::Alternatives& alternatives);
    // Refuses other keywords beside enum and const.
    bool names_only_values(const MergedSchema& merged);
    NodeId typed_node(MergedSchema& merged, uint8_t types);
    NodeId string_node(MergedSchema& merged);
    NodeId number_node(MergedSchema& merged, bool only_whole);
    NodeId array_node(MergedSchema& merged);
    NodeId unique_array_node(MergedSchema& merged, const MergedSchema::Items& items, Counts counts);
    NodeId object_node(MergedSchema& merged);
    template <typename T>
    std::optional<T> unless_failed(const SchemaKeywords& keywords, Keyword keyword, base::Result<T> result) {
        if (result) return std::move(*result);
        refuse(keywords.path, keyword_name(keyword), ": ", result.error().message);
        return std::nullopt;
    }

    element root_;
    std::string_view field_;  // for messages
    GrammarBuilder& b_;
    JsonText& json_;
    DfaText& dfa_text_;
    DfaWork& work_;
    std::map<std::string, RuleId>& patterns_;
    std::vector<std::string>* loosened_;
    std::optional<std::string> refused_;  // why the schema that is being compiled is not supported
    size_t n_merges_ = 0;
    std::map<std::string, RuleId> references_;  // by the locations of their schemas
    std::deque<Waiting> waiting_;               // referenced, and not compiled yet
    bool is_alternative_ = false;               // a contradiction only means that this alternative has no text
    std::optional<base::Error> error_;
};

base::Result<RuleId> SchemaCompiler::compile(std::string_view pointer) {
    const auto target = resolve(pointer, root_);
    if (!target) return fail(ErrorCode::InvalidArgument, field_, ": it has no ", in_quotes(pointer));
    const RuleId start = reference({{*target, std::string(pointer)}});
    while (!waiting_.empty() && !error_ && !b_.is_full()) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        is_alternative_ = next.is_alternative;
        if (next.schemas.size() == 1) {
            b_.define(next.rule, schema_node(next.schemas.front()));
            continue;
        }
        MergedSchema merged;
        for (const SchemaAt& schema : next.schemas) merged.add(schema, root_, n_merges_);
        b_.define(next.rule, merged_node(merged));
    }
    if (error_) return *error_;
    return start;
}

NodeId SchemaCompiler::refuse(const MergedSchema::Refusal& refusal) {
    const bool is_unsupported = !refusal.is_contradiction && !refusal.is_malformed;
    if (loosened_ != nullptr && is_unsupported) {
        if (!refused_) refused_ = base::concat(field_, ": ", refusal.message);
    } else if (!error_ && !(refusal.is_contradiction && is_alternative_)) {
        error_ = fail(ErrorCode::InvalidArgument, field_, ": ", refusal.message);
    }
    return b_.nothing();
}

RuleId SchemaCompiler::reference(const Schemas& schemas) {
    std::string name;
    for (const SchemaAt& schema : schemas) name += base::concat(schema.path.size(), ':', schema.path);
    const auto [found, is_new] = references_.try_emplace(name);
    if (is_new) {
        found->second = b_.declare();
        waiting_.push_back({found->second, schemas, is_alternative_});
    }
    return found->second;
}

// What merged schemas say of a part may merge more of them, in circles even, and waits.
RuleId SchemaCompiler::rule_of(const Schemas& schemas, bool is_merged) {
    if (schemas.empty()) return json_.anything();
    return is_merged || schemas.size() > 1 ? reference(schemas) : b_.rule(schema_node(schemas.front()));
}

NodeId SchemaCompiler::schema_node(const SchemaAt& schema) {
    if (error_ || b_.is_full()) return b_.nothing();
    if (const auto target = lone_reference(schema)) return b_.call(reference({*target}), b_.end());
    MergedSchema merged;
    merged.add(schema, root_, n_merges_);
    return merged_node(merged);
}

std::optional<SchemaAt> SchemaCompiler::lone_reference(const SchemaAt& schema) const {
    simdjson::dom::object object;
    simdjson::dom::array all;
    std::string_view ref;
    SchemaAt at = schema;
    while (at.schema.get(object) == SUCCESS) {
        const SchemaKeywords keywords(object, at.path);
        if (keywords.twice || keywords.unknown) break;
        if (keywords.has(Keyword::Ref) && !keywords.besides({Keyword::Ref})) {
            if (keywords[Keyword::Ref]->get(ref) != SUCCESS) break;
            const auto target = resolve(ref, root_);
            return target ? std::optional(SchemaAt{*target, std::string(ref)}) : std::nullopt;
        }
        if (!keywords.has(Keyword::AllOf) || keywords.besides({Keyword::AllOf}) ||
            keywords[Keyword::AllOf]->get(all) != SUCCESS || all.size() != 1) {
            break;
        }
        at = {all.at(0).value_unsafe(), path_within(path_within(at.path, "allOf"), "0")};
    }
    return std::nullopt;
}

NodeId SchemaCompiler::merged_node(MergedSchema& merged) {
    if (error_ || b_.is_full()) return b_.nothing();
    auto outer = std::exchange(refused_, std::nullopt);
    NodeId node = supported_node(merged);
    if (refused_) {
        loosened_->push_back(std::move(*refused_));
        node = merged.path() == "#" ? json_.object({}, json_.anything(), {}) : b_.call(json_.anything(), b_.end());
    }
    refused_ = std::move(outer);
    return node;
}

NodeId SchemaCompiler::supported_node(MergedSchema& merged) {
    const auto alternatives = merged.take_alternatives();
    if (merged.refusal()) return refuse(*merged.refusal());
    if (merged.is_never()) return b_.nothing();
    if (alternatives) return alternatives_node(merged, *alternatives);
    const auto texts = merged.values();
    const auto types = texts ? std::nullopt : merged.types();
    if (merged.refusal()) return refuse(*merged.refusal());
    if (texts) return names_only_values(merged) ? b_.one_of(*texts, b_.end()) : b_.nothing();
    if (!types) return b_.call(json_.anything(), b_.end());
    return typed_node(merged, *types);
}

// The keywords beside the alternatives are merged with each of them.
NodeId SchemaCompiler::alternatives_node(const MergedSchema& merged, const MergedSchema::Alternatives& alternatives) {
    if (alternatives.keyword == Keyword::OneOf) check_exclusive(alternatives);
    const bool stands_alone = !merged.besides({});
    const bool was_alternative = std::exchange(is_alternative_, true);
    std::vector<NodeId> nodes;
    for (const SchemaAt& schema : alternatives.schemas) {
        if (stands_alone) {
            nodes.push_back(schema_node(schema));
            continue;
        }
        MergedSchema both = merged;
        both.add(schema, root_, n_merges_);
        nodes.push_back(merged_node(both));
    }
    is_alternative_ = was_alternative;
    const NodeId any = b_.choice(nodes);
    if (any == b_.nothing() && !stands_alone && !b_.is_full()) {
        refuse({base::concat("at ", in_quotes(alternatives.path), ": no value fits: ",
                             keyword_name(alternatives.keyword), " leaves none beside the other keywords"),
                true});
    }
    return any;
}

void SchemaCompiler::check_exclusive(const MergedSchema::Alternatives& alternatives) {
    std::vector<SchemaShape> shapes;
    for (const SchemaAt& schema : alternatives.schemas) {
        MergedSchema merged;
        merged.add(schema, root_, n_merges_);
        if (merged.refusal()) refuse(*merged.refusal());
        shapes.emplace_back(merged.members(), root_);
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (shapes[i].excludes(shapes[j])) continue;
            refuse(alternatives.path, "oneOf: a text might fit both ", j, " and ", i, "; anyOf allows that");
            return;
        }
    }
}

bool SchemaCompiler::names_only_values(const MergedSchema& merged) {
    const auto& members = merged.members();
    const bool has_enum =
        std::any_of(members.begin(), members.end(), [](const auto& keywords) { return keywords.has(Keyword::Enum); });
    for (const SchemaKeywords& keywords : members) {
        const auto other = keywords.besides(
            {Keyword::Enum, Keyword::Const, Keyword::Type, Keyword::Nullable, Keyword::AllOf, Keyword::Ref});
        if (!other) continue;
        refuse(keywords.path, has_enum ? "enum" : "const", " beside ", keyword_name(*other), " is not supported");
        return false;
    }
    return true;
}

NodeId SchemaCompiler::typed_node(MergedSchema& merged, uint8_t types) {
    std::vector<NodeId> alternatives;
    if ((types & kObject) != 0) alternatives.push_back(object_node(merged));
    if ((types & kArray) != 0) alternatives.push_back(array_node(merged));
    if ((types & kString) != 0) alternatives.push_back(string_node(merged));
    if ((types & kNumber) != 0) alternatives.push_back(number_node(merged, (types & kFractional) == 0));
    if ((types & kBoolean) != 0) {
        alternatives.push_back(b_.literal("true", b_.end()));
        alternatives.push_back(b_.literal("false", b_.end()));
    }
    if ((types & kNull) != 0) alternatives.push_back(b_.literal("null", b_.end()));
    if (merged.refusal()) return refuse(*merged.refusal());
    return b_.choice(alternatives);
}

// --- Types -----------------------------------------------------------------------------------------------------------

NodeId SchemaCompiler::string_node(MergedSchema& merged) {
    struct Part {
        const SchemaKeywords* keywords;
        Keyword keyword;
        std::string pattern;
    };
    Counts characters = merged.counts(Keyword::MinLength, Keyword::MaxLength);
    std::vector<Part> parts;
    std::string name;  // of the rule
    for (const SchemaKeywords& keywords : merged.members()) {
        for (const Keyword keyword : {Keyword::Format, Keyword::Pattern}) {
            std::string_view text;
            if (!keywords.has(keyword)) continue;
            if (keywords[keyword]->get(text) != SUCCESS) {
                return refuse(keywords.path, keyword_name(keyword), ": ", as_told(*keywords[keyword]),
                              " is not a string");
            }
            TextFormat format{std::string(text)};
            if (keyword == Keyword::Format) {
                const bool beside_pattern = keywords.has(Keyword::Pattern);
                const auto known = text_format(text, beside_pattern);
                if (!known && beside_pattern) continue;
                if (!known) return refuse(keywords.path, "format: ", in_quotes(text), " is none of ", kTextFormats);
                format = *known;
            }
            characters.most = std::min(characters.most, format.longest);
            name += base::concat(format.pattern.size(), ':', format.pattern);
            parts.push_back({&keywords, keyword, std::move(format.pattern)});
        }
    }
    if (parts.empty()) return b_.call(json_.string(characters), b_.end());
    name += base::concat(characters.least, ':', characters.most);
    if (const auto known = patterns_.find(name); known != patterns_.end()) return b_.call(known->second, b_.end());
    std::optional<CharacterDfa> all;
    for (const Part& part : parts) {
        auto one = unless_failed(*part.keywords, part.keyword, compile_pattern(part.pattern, work_));
        if (one && all) one = unless_failed(*part.keywords, part.keyword, intersection(*all, *one, work_));
        if (!one) return b_.nothing();
        all = std::move(one);
    }
    const auto rule = dfa_text_.rule(*all, characters, "\"", "\"", work_);
    if (!rule) {
        merged.refuse(merged.path(), "pattern, format and lengths: ", rule.error().message);
        return b_.nothing();
    }
    if (b_.is_nothing(*rule) && !b_.is_full()) merged.contradict("pattern, format and lengths leave no string");
    patterns_.emplace(std::move(name), *rule);
    return b_.call(*rule, b_.end());
}

NodeId SchemaCompiler::number_node(MergedSchema& merged, bool only_whole) {
    NumberLimits limits = merged.number();
    if (merged.refusal()) return b_.nothing();
    limits.only_whole = only_whole;
    if (only_whole && limits.multiple == 0) return json_.integer(merged.range().value_or(Range{}), b_.end());
    if (limits.bounds.empty() && limits.multiple == 0) return json_.number(b_.end());
    const auto rule = number_rule(b_, dfa_text_, limits, work_);
    if (!rule) {
        merged.refuse(merged.path(), "multipleOf and bounds: ", rule.error().message);
        return b_.nothing();
    }
    if (b_.is_nothing(*rule) && !b_.is_full()) merged.contradict("multipleOf and bounds leave no number");
    return b_.call(*rule, b_.end());
}

NodeId SchemaCompiler::array_node(MergedSchema& merged) {
    const Counts counts = merged.counts(Keyword::MinItems, Keyword::MaxItems);
    const MergedSchema::Items items = merged.items(counts);
    const bool is_merged = merged.is_merged();
    if (merged.refusal()) return b_.nothing();
    if (items.are_unique && counts.most > 1) return unique_array_node(merged, items, counts);
    std::vector<RuleId> first;
    for (const Schemas& schemas : items.first) first.push_back(rule_of(schemas, is_merged));
    const auto more = items.more ? std::optional(rule_of(*items.more, is_merged)) : std::nullopt;
    if (!more && counts.least > first.size())
        merged.contradict("minItems ", counts.least, " are more than are allowed");
    return json_.array(first, more, counts);
}

// Honoured where the values are few: each set of those that are used is a state.
NodeId SchemaCompiler::unique_array_node(MergedSchema& merged, const MergedSchema::Items& items, Counts counts) {
    const auto refuse_it = [&](const auto&... why) {
        merged.refuse(merged.path(),
                      "uniqueItems is supported if maxItems is at most 1 or the items are an enum, a const "
                      "or booleans",
                      why...);
        return b_.nothing();
    };
    if (!items.first.empty()) return refuse_it(" without prefixItems");
    MergedSchema item;
    for (const SchemaAt& schema : items.more.value_or(Schemas{})) item.add(schema, root_, n_merges_);
    const bool has_alternatives = item.take_alternatives().has_value();
    auto texts = item.values();
    if (!texts && !has_alternatives && !item.refusal() && item.types().value_or(0xFF) == kBoolean) {
        texts = {"true", "false"};
    }
    if (item.refusal()) return refuse(*item.refusal());
    if (!items.more || item.is_never()) texts.emplace();
    if (!texts || has_alternatives) return refuse_it();
    if (!names_only_values(item)) return b_.nothing();
    // Values that are spelled differently may be equal.
    std::sort(texts->begin(), texts->end());
    texts->erase(std::unique(texts->begin(), texts->end()), texts->end());
    for (const std::string& text : *texts) {
        if (text.find_first_of(".eE[{") != std::string::npos && text[0] != '"' && text != "true" && text != "false") {
            return refuse_it(" without fractions, arrays and objects");
        }
    }
    const size_t most = std::min<size_t>(counts.most, texts->size());
    if (counts.least > texts->size()) merged.contradict("minItems ", counts.least, " are more than the values");
    size_t n_sets = 1;  // of at most so many values
    size_t of_size = 1;
    for (size_t n = 1; n <= most; ++n) {
        of_size = texts->size() > kMaxUniqueSets ? kMaxUniqueSets : of_size * (texts->size() - n + 1) / n;
        n_sets += of_size;
        if (n_sets > kMaxUniqueSets) {
            return refuse_it(", and there are at most ", kMaxUniqueSets, " sets of up to maxItems of them; ",
                             texts->size(), " values have more");
        }
    }
    if (texts->size() > 64) return refuse_it(" of at most 64 values");
    std::vector<RuleId> values;
    for (const std::string& text : *texts) values.push_back(b_.rule(b_.literal(text, b_.end())));
    return json_.unique_array(values, counts);
}

NodeId SchemaCompiler::object_node(MergedSchema& merged) {
    const MergedSchema::Object object = merged.object();
    Counts counts = merged.counts(Keyword::MinProperties, Keyword::MaxProperties);
    for (const SchemaKeywords& keywords : merged.members()) {
        const auto& names = keywords[Keyword::PropertyNames];
        if (names && simdjson::minify(*names) != R"({"type":"string"})") {
            return refuse(keywords.path, R"(propertyNames is supported as {"type":"string"} only)");
        }
    }
    if (merged.refusal()) return b_.nothing();
    const auto n_listed = static_cast<uint32_t>(object.properties.size());
    const uint32_t n_sure = n_listed + (object.more ? 1 : 0);
    if (counts.least > n_sure && object.more) {
        merged.refuse(merged.path(), "minProperties: ", counts.least, " is more than ", n_sure,
                      ", which the properties that are named and one more can be");
    } else if (counts.least > n_sure) {
        merged.contradict("minProperties ", counts.least, " is more than the properties");
    }
    if (!object.more && counts.most >= n_listed) counts.most = kUnbounded;
    if (counts.most != kUnbounded && counts.most > kMaxProperties) {
        merged.refuse(merged.path(), "maxProperties: ", counts.most, " is more than ", kMaxProperties);
    }
    if (merged.refusal()) return b_.nothing();
    std::vector<Property> properties;
    uint32_t n_required = 0;
    for (const auto& [name, value, is_required] : object.properties) {
        properties.push_back({name, rule_of(value, merged.is_merged()), is_required});
        n_required += is_required ? 1 : 0;
    }
    if (n_required > counts.most) merged.contradict("maxProperties ", counts.most, " is less than the required ones");
    const auto more = object.more ? std::optional(rule_of(*object.more, merged.is_merged())) : std::nullopt;
    return json_.object(properties, more, counts);
}

}  // namespace

base::Result<RuleId> add_json_schema(GrammarBuilder& builder, element schema, std::string_view field) {
    if (nests_deeper(schema, kMaxSchemaDepth)) {
        return fail(ErrorCode::InvalidArgument, field, ": it nests more than ", kMaxSchemaDepth, " deep");
    }
    const NodeId first = builder.n_nodes();
    SharedRules shared(builder);
    auto rule = SchemaCompiler(builder, shared, schema, field, nullptr).compile("#");
    if (!rule) return rule;
    if (const auto checked = builder.check(*rule, first); !checked) {
        return fail(checked.error().code, field, ": ", checked.error().message);
    }
    return rule;
}

base::Result<RuleId> SchemaRules::add(element root, std::string_view pointer, std::string_view field,
                                      std::vector<std::string>* loosened) {
    if (nests_deeper(root, kMaxSchemaDepth)) {
        return fail(ErrorCode::InvalidArgument, field, ": it nests more than ", kMaxSchemaDepth, " deep");
    }
    return SchemaCompiler(builder_, shared_, root, field, loosened).compile(pointer);
}

base::Result<void> parse_json_schema(std::string_view text, simdjson::dom::parser& parser, element& root) {
    if (text.size() > kMaxSchemaBytes) {
        return fail(ErrorCode::InvalidArgument, "json_schema: ", text.size(), " bytes are more than ", kMaxSchemaBytes);
    }
    auto error = parser.allocate(kMaxSchemaBytes, kMaxSchemaDepth);
    if (error == SUCCESS) error = parser.parse(text.data(), text.size()).get(root);
    if (error != SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "json_schema: it is not JSON that nests at most ", kMaxSchemaDepth,
                    " deep: ", simdjson::error_message(error));
    }
    return {};
}

base::Result<Grammar> compile_json_schema(std::string_view text) {
    simdjson::dom::parser parser;
    element root;
    if (auto parsed = parse_json_schema(text, parser, root); !parsed) return parsed.error();
    GrammarBuilder builder;
    const auto rule = add_json_schema(builder, root, "json_schema");
    if (!rule) return rule.error();
    return builder.finish(*rule);
}

}  // namespace llmd::constraint
