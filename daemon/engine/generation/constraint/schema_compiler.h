// The work of compile_json_schema(): walks a schema and makes nodes of it. The first error is kept; what is made after
// it is not looked at. Places that a $ref names are compiled once each, and when their turn comes, so that neither
// recursion nor a chain of them deepens the walk.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

#include "base/result.h"
#include "engine/generation/constraint/grammar.h"
#include "engine/generation/constraint/json_text.h"
#include "engine/generation/constraint/schema_keywords.h"

namespace llmd::constraint {

// For messages: as a JSON string, cut where it is long.
std::string in_quotes(std::string_view text);

class SchemaCompiler {
public:
    explicit SchemaCompiler(simdjson::dom::element root) : root_(root) {}

    base::Result<Grammar> compile();

private:
    // The place of the schema that is looked at, while it lives.
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
            error_ = base::fail(base::ErrorCode::InvalidArgument, "json_schema: at ", in_quotes(path_), ": ", parts...);
        }
        return b_.nothing();
    }
    NodeId refuse_form(Keyword keyword, std::string_view wanted) {
        return refuse(keyword_name(keyword), " is not ", wanted);
    }

    RuleId reference(std::string_view ref, simdjson::dom::element schema);
    RuleId rule_of(std::string_view name, simdjson::dom::element schema) {
        const Step step(*this, name);
        return b_.rule(schema_node(schema));
    }
    RuleId rule_of(Keyword keyword, simdjson::dom::element schema) { return rule_of(keyword_name(keyword), schema); }
    NodeId schema_node(simdjson::dom::element schema);
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
    // The schema of what has none of its own; nothing if it says false. `otherwise` if it is absent.
    std::optional<RuleId> rest_rule(const SchemaKeywords& keywords, Keyword keyword, bool otherwise);
    Counts counts(const SchemaKeywords& keywords, Keyword least, Keyword most);
    std::optional<Range> range(const SchemaKeywords& keywords);
    // A bound as a whole number that lets the same integers through.
    std::optional<int64_t> bound(const SchemaKeywords& keywords, Keyword keyword);

    simdjson::dom::element root_;
    GrammarBuilder b_;
    JsonText json_{b_};
    std::map<std::string, RuleId> references_;
    std::deque<std::pair<std::string, simdjson::dom::element>> waiting_;  // referred to, and not compiled yet
    std::string path_;
    std::optional<base::Error> error_;
};

}  // namespace llmd::constraint
