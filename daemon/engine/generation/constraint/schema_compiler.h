// The implementation of compile_json_schema(), which walks a schema and builds nodes. The first error is kept, and
// nodes that are built after it are not used. Each target of a $ref is compiled once, from a queue, so that neither
// recursive nor chained references deepen the walk.
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

// Quotes a text for messages as a JSON string, and truncates a long one.
std::string in_quotes(std::string_view text);

class SchemaCompiler {
public:
    explicit SchemaCompiler(simdjson::dom::element root) : root_(root) {}

    base::Result<Grammar> compile();

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
    // Returns the rule for items or properties without a schema of their own, or nothing if the keyword says false.
    // `otherwise` is the keyword's value if it is absent.
    std::optional<RuleId> rest_rule(const SchemaKeywords& keywords, Keyword keyword, bool otherwise);
    Counts counts(const SchemaKeywords& keywords, Keyword least, Keyword most);
    std::optional<Range> range(const SchemaKeywords& keywords);
    // Returns a bound as a whole number that allows the same integers.
    std::optional<int64_t> bound(const SchemaKeywords& keywords, Keyword keyword);

    simdjson::dom::element root_;
    GrammarBuilder b_;
    JsonText json_{b_};
    std::map<std::string, RuleId> references_;
    std::deque<std::pair<std::string, simdjson::dom::element>> waiting_;  // referenced, and not compiled yet
    std::string path_;
    std::optional<base::Error> error_;
};

}  // namespace llmd::constraint
