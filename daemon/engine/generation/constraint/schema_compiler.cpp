#include "engine/generation/constraint/schema_compiler.h"

#include <vector>

#include "base/json_writer.h"
#include "engine/generation/constraint/json_schema.h"
#include "engine/generation/constraint/schema_shape.h"

namespace llmd::constraint {

using base::fail;
using simdjson::SUCCESS;
using simdjson::dom::element;

std::string in_quotes(std::string_view text) {
    constexpr size_t kMaxQuotedBytes = 200;
    return base::in_quotes(text, kMaxQuotedBytes);
}

base::Result<Grammar> SchemaCompiler::compile() {
    const RuleId start = reference("#", root_);
    while (!waiting_.empty() && !error_ && !b_.is_full()) {
        auto [ref, schema] = std::move(waiting_.front());
        waiting_.pop_front();
        path_ = ref;
        b_.define(references_.at(ref), schema_node(schema));
    }
    if (error_) return *error_;
    auto grammar = b_.finish(start);
    if (!grammar) return fail(grammar.error().code, "json_schema: ", grammar.error().message);
    return grammar;
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

}  // namespace llmd::constraint
