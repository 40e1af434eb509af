#include "constraint/json_schema.h"

#include <simdjson.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "constraint/merged_schema.h"
#include "constraint/object_shape.h"
#include "constraint/schema_texts.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

bool stands_beside_values(Keyword keyword) {
    return keyword == Keyword::Enum || keyword == Keyword::Const || keyword == Keyword::Type ||
           keyword == Keyword::Nullable || keyword == Keyword::AllOf || keyword == Keyword::Ref;
}

// Walks a schema and builds nodes. The first error is kept, and nodes that are built after it are not used. The targets
// of $ref, and what several schemas say together of a part of a text, are compiled once, from a queue, so that neither
// recursive nor chained references deepen the walk.
class SchemaCompiler {
public:
    SchemaCompiler(GrammarBuilder& builder, SharedRules& shared, element root, std::string_view field,
                   Unconstrained* unconstrained)
        : root_(root),
          field_(field),
          b_(builder),
          json_(shared.json),
          dfa_text_(shared.dfa_text),
          work_(shared.work),
          patterns_(shared.patterns),
          unconstrained_(unconstrained) {
        if (unconstrained_ != nullptr) unconstrained_->field = field;
    }

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
    // Matches what has the types of a schema that is not supported as a whole; an object, if that is the root.
    NodeId unconstrained_node(const MergedSchema& merged);
    NodeId supported_node(MergedSchema& merged);
    NodeId alternatives_node(MergedSchema& merged, const MergedSchema::Alternatives& alternatives);
    void check_exclusive(MergedSchema& merged, const MergedSchema::Alternatives& alternatives);
    // Drops other keywords beside enum and const; returns false if that is refused.
    bool names_only_values(MergedSchema& merged);
    NodeId typed_node(MergedSchema& merged, uint8_t types);
    NodeId string_node(MergedSchema& merged);
    NodeId number_node(MergedSchema& merged, bool only_whole);
    NodeId array_node(MergedSchema& merged);
    std::optional<std::vector<std::string>> unique_values(MergedSchema& merged, const MergedSchema::Items& items,
                                                          Counts counts);
    NodeId object_node(MergedSchema& merged);
    // Returns the rule of names that are not listed, with their quotes.
    std::optional<RuleId> name_rule(MergedSchema& merged, const ObjectShape::Other& other);

    element root_;
    std::string_view field_;  // for messages
    GrammarBuilder& b_;
    JsonText& json_;
    DfaText& dfa_text_;
    DfaWork& work_;
    std::map<std::string, RuleId>& patterns_;
    Unconstrained* unconstrained_;
    std::optional<std::string> refused_;  // why the schema that is being compiled is not supported as a whole
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
        MergedSchema merged(unconstrained_);
        for (const SchemaAt& schema : next.schemas) merged.add(schema, root_, n_merges_);
        b_.define(next.rule, merged_node(merged));
    }
    if (error_) return *error_;
    return start;
}

NodeId SchemaCompiler::refuse(const MergedSchema::Refusal& refusal) {
    const bool is_unsupported = !refusal.is_contradiction && !refusal.is_malformed;
    if (unconstrained_ != nullptr && !unconstrained_->is_strict && is_unsupported) {
        if (!refused_) refused_ = refusal.message;
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

// The rule of a part of merged schemas may merge more of them, in circles even, and waits.
RuleId SchemaCompiler::rule_of(const Schemas& schemas, bool is_merged) {
    if (schemas.empty()) return json_.anything();
    return is_merged || schemas.size() > 1 ? reference(schemas) : b_.rule(schema_node(schemas.front()));
}

NodeId SchemaCompiler::schema_node(const SchemaAt& schema) {
    if (error_ || b_.is_full()) return b_.nothing();
    if (const auto target = lone_reference(schema)) return b_.call(reference({*target}), b_.end());
    MergedSchema merged(unconstrained_);
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
        if (keywords.twice || !keywords.unknown.empty()) break;
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
        unconstrained_->add(*refused_, "; nothing beside it is enforced");
        node = unconstrained_node(merged);
    }
    refused_ = std::move(outer);
    return node;
}

NodeId SchemaCompiler::unconstrained_node(const MergedSchema& merged) {
    uint8_t types = 0xFF;
    for (const SchemaKeywords& keywords : merged.members()) types &= keywords.types().value_or(0xFF);
    if (types == 0xFF && merged.path() != "#") return b_.call(json_.anything(), b_.end());
    MergedSchema any;
    return typed_node(any, types == 0xFF ? uint8_t{kObject} : types);
}

NodeId SchemaCompiler::supported_node(MergedSchema& merged) {
    const auto alternatives = merged.take_alternatives();
    if (merged.refusal()) return refuse(*merged.refusal());
    if (merged.is_never()) return b_.nothing();
    if (alternatives) return alternatives_node(merged, *alternatives);
    const auto texts = merged.values();
    const auto types = texts ? std::nullopt : merged.types();
    if (merged.refusal()) return refuse(*merged.refusal());
    if (texts && !names_only_values(merged)) return refuse(*merged.refusal());
    if (texts) return b_.one_of(*texts, b_.end());
    if (!types) return b_.call(json_.anything(), b_.end());
    return typed_node(merged, *types);
}

// The keywords beside the alternatives are merged with each of them.
NodeId SchemaCompiler::alternatives_node(MergedSchema& merged, const MergedSchema::Alternatives& alternatives) {
    if (alternatives.keyword == Keyword::OneOf) check_exclusive(merged, alternatives);
    if (merged.refusal()) return refuse(*merged.refusal());
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

void SchemaCompiler::check_exclusive(MergedSchema& merged, const MergedSchema::Alternatives& alternatives) {
    std::vector<SchemaShape> shapes;
    for (const SchemaAt& schema : alternatives.schemas) {
        MergedSchema one(unconstrained_);
        one.add(schema, root_, n_merges_);
        if (one.refusal()) return merged.refuse(*one.refusal());
        shapes.emplace_back(one.members(), root_);
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (shapes[i].excludes(shapes[j])) continue;
            return merged.drop(alternatives.path, "oneOf: a text might fit both ", j, " and ", i,
                               "; anyOf allows that");
        }
    }
}

bool SchemaCompiler::names_only_values(MergedSchema& merged) {
    const auto& members = merged.members();
    const bool has_enum =
        std::any_of(members.begin(), members.end(), [](const auto& keywords) { return keywords.has(Keyword::Enum); });
    for (const SchemaKeywords& keywords : members) {
        for (size_t i = 0; i < kKeywords; ++i) {
            const auto keyword = static_cast<Keyword>(i);
            if (!keywords.has(keyword) || stands_beside_values(keyword)) continue;
            merged.drop(keywords.path, has_enum ? "enum" : "const", " beside ", keyword_name(keyword),
                        " is not supported");
        }
    }
    return !merged.refusal();
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
    SchemaTexts texts(merged);
    if (merged.refusal()) return b_.nothing();
    if (texts.parts.empty()) return b_.call(json_.string(texts.characters), b_.end());
    const std::string name = texts.name();
    if (const auto known = patterns_.find(name); known != patterns_.end()) return b_.call(known->second, b_.end());
    const size_t n_parts = texts.parts.size();
    const auto dfa = texts.dfa(merged, work_);
    if (merged.refusal()) return b_.nothing();
    if (!dfa) return b_.call(json_.string(texts.characters), b_.end());
    const auto rule = dfa_text_.rule(*dfa, texts.characters, "\"", "\"", work_);
    if (!rule) {
        merged.drop(merged.path(), "pattern, format and lengths: ", rule.error().message);
        return merged.refusal() ? b_.nothing() : b_.call(json_.string({}), b_.end());
    }
    if (b_.is_nothing(*rule) && !b_.is_full()) merged.contradict("pattern, format and lengths leave no string");
    // A rule that lacks a part would hide from the next schema that it does.
    if (texts.parts.size() == n_parts) patterns_.emplace(name, *rule);
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
        merged.drop(merged.path(), "multipleOf and bounds: ", rule.error().message);
        if (merged.refusal()) return b_.nothing();
        return only_whole ? json_.integer({}, b_.end()) : json_.number(b_.end());
    }
    if (b_.is_nothing(*rule) && !b_.is_full()) merged.contradict("multipleOf and bounds leave no number");
    return b_.call(*rule, b_.end());
}

NodeId SchemaCompiler::array_node(MergedSchema& merged) {
    const Counts counts = merged.counts(Keyword::MinItems, Keyword::MaxItems);
    const MergedSchema::Items items = merged.items(counts);
    const bool is_merged = merged.is_merged();
    if (merged.refusal()) return b_.nothing();
    if (items.are_unique && counts.most > 1) {
        const auto texts = unique_values(merged, items, counts);
        if (merged.refusal()) return b_.nothing();
        std::vector<RuleId> values;
        for (const std::string& text : texts.value_or(std::vector<std::string>())) {
            values.push_back(b_.rule(b_.literal(text, b_.end())));
        }
        if (texts) return json_.unique_array(values, counts);
    }
    std::vector<RuleId> first;
    for (const Schemas& schemas : items.first) first.push_back(rule_of(schemas, is_merged));
    const auto more = items.more ? std::optional(rule_of(*items.more, is_merged)) : std::nullopt;
    if (!more && counts.least > first.size())
        merged.contradict("minItems ", counts.least, " are more than are allowed");
    return json_.array(first, more, counts);
}

// Returns the values of an array of uniqueItems where they are few, since each set of those that are used is a state.
std::optional<std::vector<std::string>> SchemaCompiler::unique_values(MergedSchema& merged,
                                                                      const MergedSchema::Items& items, Counts counts) {
    const auto drop = [&](const auto&... why) {
        merged.drop(merged.path(),
                    "uniqueItems is supported if maxItems is at most 1 or the items are an enum, a const "
                    "or booleans",
                    why...);
        return std::nullopt;
    };
    if (!items.first.empty()) return drop(" without prefixItems");
    MergedSchema item(unconstrained_);
    for (const SchemaAt& schema : items.more.value_or(Schemas{})) item.add(schema, root_, n_merges_);
    const bool has_alternatives = item.take_alternatives().has_value();
    auto texts = item.values();
    if (!texts && !has_alternatives && !item.refusal() && item.types().value_or(0xFF) == kBoolean) {
        texts = {"true", "false"};
    }
    if (texts && !has_alternatives && !item.refusal()) names_only_values(item);
    if (item.refusal()) {
        merged.refuse(*item.refusal());
        return std::nullopt;
    }
    if (!items.more || item.is_never()) texts.emplace();
    if (!texts || has_alternatives) return drop();
    // Values that are spelled differently may be equal.
    std::sort(texts->begin(), texts->end());
    texts->erase(std::unique(texts->begin(), texts->end()), texts->end());
    for (const std::string& text : *texts) {
        if (text.find_first_of(".eE[{") != std::string::npos && text[0] != '"' && text != "true" && text != "false") {
            return drop(" without fractions, arrays and objects");
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
            return drop(", and there are at most ", kMaxUniqueSets, " sets of up to maxItems of them; ", texts->size(),
                        " values have more");
        }
    }
    if (texts->size() > 64) return drop(" of at most 64 values");
    return texts;
}

std::optional<RuleId> SchemaCompiler::name_rule(MergedSchema& merged, const ObjectShape::Other& other) {
    auto rule = dfa_text_.rule(*other.name, other.characters, "\"", "\"", work_);
    if (rule) return *rule;
    merged.refuse(merged.path(), "the names of properties: ", rule.error().message);
    return std::nullopt;
}

NodeId SchemaCompiler::object_node(MergedSchema& merged) {
    const ObjectShape object(merged, root_, n_merges_, work_);
    Counts counts = merged.counts(Keyword::MinProperties, Keyword::MaxProperties);
    if (merged.refusal()) return b_.nothing();
    std::vector<OtherProperties> others;
    for (const ObjectShape::Other& other : object.others) {
        const auto name = other.name ? name_rule(merged, other) : std::nullopt;
        if (merged.refusal()) return b_.nothing();
        if (name && b_.is_nothing(*name)) continue;
        others.push_back({name, rule_of(other.value, merged.is_merged())});
    }
    const auto n_listed = static_cast<uint32_t>(object.properties.size());
    const uint32_t n_sure = n_listed + (others.empty() ? 0 : 1);
    if (counts.least > n_sure && !others.empty()) {
        merged.drop(merged.path(), "minProperties: ", counts.least, " is more than ", n_sure,
                    ", which the properties that are named and one more can be");
        counts.least = n_sure;
    } else if (counts.least > n_sure) {
        merged.contradict("minProperties ", counts.least, " is more than the properties");
    }
    if (others.empty() && counts.most >= n_listed) counts.most = kUnbounded;
    if (counts.most != kUnbounded && counts.most > kMaxProperties) {
        merged.drop(merged.path(), "maxProperties: ", counts.most, " is more than ", kMaxProperties);
        counts.most = kUnbounded;
    }
    if (merged.refusal()) return b_.nothing();
    std::vector<Property> properties;
    uint32_t n_required = 0;
    for (const auto& [name, value, is_required] : object.properties) {
        properties.push_back({name, rule_of(value, merged.is_merged()), is_required});
        n_required += is_required ? 1 : 0;
    }
    if (n_required > counts.most) merged.contradict("maxProperties ", counts.most, " is less than the required ones");
    return json_.object(properties, others, counts);
}

}  // namespace

base::Result<RuleId> add_json_schema(GrammarBuilder& builder, element schema, std::string_view field,
                                     Unconstrained* unconstrained) {
    if (nests_deeper(schema, kMaxSchemaDepth)) {
        return fail(ErrorCode::InvalidArgument, field, ": it nests more than ", kMaxSchemaDepth, " deep");
    }
    const NodeId first = builder.n_nodes();
    SharedRules shared(builder);
    auto rule = SchemaCompiler(builder, shared, schema, field, unconstrained).compile("#");
    if (!rule) return rule;
    if (const auto checked = builder.check(*rule, first); !checked) {
        return fail(checked.error().code, field, ": ", checked.error().message);
    }
    return rule;
}

base::Result<RuleId> SchemaRules::add(element root, std::string_view pointer, std::string_view field,
                                      Unconstrained* unconstrained) {
    if (nests_deeper(root, kMaxSchemaDepth)) {
        return fail(ErrorCode::InvalidArgument, field, ": it nests more than ", kMaxSchemaDepth, " deep");
    }
    return SchemaCompiler(builder_, shared_, root, field, unconstrained).compile(pointer);
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

base::Result<Grammar> compile_json_schema(std::string_view text, Unconstrained* unconstrained) {
    simdjson::dom::parser parser;
    element root;
    if (auto parsed = parse_json_schema(text, parser, root); !parsed) return parsed.error();
    GrammarBuilder builder;
    const auto rule = add_json_schema(builder, root, "json_schema", unconstrained);
    if (!rule) return rule.error();
    return builder.finish(*rule);
}

}  // namespace llmd::constraint
