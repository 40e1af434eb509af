// Compiles a JSON schema (https://json-schema.org, draft 2020-12) to a grammar of the JSON texts that match it. Every
// text of the grammar is valid, but not every valid text is in the grammar, since it generates texts and does not judge
// them:
//   - the properties of an object come in the order of the schema, each at most once, and then additional ones if
//     `additionalProperties` is true or a schema. If it is absent beside `properties` or `patternProperties` it means
//     false here, as most schemas intend; so does absent `items` after `prefixItems`. No name matches two patterns;
//   - if `type` is absent, it follows from keywords such as `properties` or `minLength`;
//   - nesting, digits and white space are bounded (grammar.h, json_text.h, number_dfa.h);
//   - strings of a `pattern` or `format` use few escapes (character_dfa.h) and characters on which the dialects of
//     patterns agree (pattern.h).
//
// Supported:
//   any value   type, enum and const with no other keyword than `type` beside them, nullable (OpenAPI; adds null to
//               `type`), anyOf, oneOf if no text can match two of its schemas, allOf, $ref within the same schema,
//               true, false. What stands beside $ref, allOf, anyOf and oneOf is merged with them
//   objects     properties, required, additionalProperties, minProperties up to one more than the properties,
//               maxProperties, patternProperties, propertyNames (names as strings are, or an enum of them)
//   arrays      items, prefixItems (or draft 7's items that is an array, and additionalItems), minItems, maxItems,
//               uniqueItems if the items are few constants (kMaxUniqueSets)
//   strings     minLength, maxLength, pattern (pattern.h), format (text_format() in pattern.h); one that is not known
//               is an annotation (JSON Schema Validation 2020-12, 7.2.1), of which a note tells unless a pattern is
//               beside it
//   numbers     minimum, maximum, exclusiveMinimum, exclusiveMaximum (or draft 4's true beside a bound), multipleOf up
//               to kMaxMultipleOf without its decimal point, such as 5 or 0.01
// Annotations such as `title`, `default`, `strict` and names in "x-" are ignored. Every other keyword is refused, or,
// where the caller takes notes on it (unconstrained.h), left out alone: its value keeps what stands beside it. What is
// malformed is refused, as is a contradiction such as a minLength above maxLength outside of alternatives.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constraint/character_dfa.h"
#include "constraint/grammar.h"
#include "constraint/json_text.h"
#include "constraint/unconstrained.h"

namespace simdjson::dom {
class element;
class parser;
}  // namespace simdjson::dom

namespace llmd::constraint {

inline constexpr size_t kMaxSchemaBytes = 64u << 10;
inline constexpr size_t kMaxSchemaDepth = 64;   // of nested brackets in the schema itself
inline constexpr size_t kMaxUniqueSets = 1024;  // sets of the values that an array of uniqueItems may hold

// InvalidArgument names the location, the keyword and what is wrong with it: `json_schema: at "#/properties/a": ...`.
// `unconstrained` takes the notes on what is left out or told; without it, and where it is strict, nothing is left out.
// Takes some tens of milliseconds at most. Any thread.
base::Result<Grammar> compile_json_schema(std::string_view text, Unconstrained* unconstrained = nullptr);

// Parses what compile_json_schema() compiles. The parser owns the document.
base::Result<void> parse_json_schema(std::string_view text, simdjson::dom::parser& parser,
                                     simdjson::dom::element& root);

// Adds a parsed schema to a grammar as a rule that matches its texts. A $ref is looked up within `schema`. Errors are
// those of compile_json_schema() and begin with `field` in the place of "json_schema", so that `field` must be clean
// text; the builder is of no use after one. The document is not used afterwards.
base::Result<RuleId> add_json_schema(GrammarBuilder& builder, simdjson::dom::element schema, std::string_view field,
                                     Unconstrained* unconstrained = nullptr);

// The rules that schemas of one grammar share. The builder must outlive them.
struct SharedRules {
    explicit SharedRules(GrammarBuilder& builder) : json(builder), dfa_text(builder) {}
    JsonText json;
    DfaText dfa_text;
    DfaWork work;
    std::map<std::string, RuleId> patterns;  // by the patterns and lengths of strings
};

// Adds schemas to a grammar that share the rules of common values, so that a grammar has room for the schemas of many
// tools. Thread-bound; the builder must outlive it.
class SchemaRules {
public:
    explicit SchemaRules(GrammarBuilder& builder) : builder_(builder), shared_(builder) {}

    // Adds the part of a parsed schema that `pointer` names, "#" or "#/properties/a", as a rule that matches its texts.
    // A $ref is looked up in `root`. Errors are those of add_json_schema(), but whether the rule has a text at all is
    // known only after GrammarBuilder::finish().
    base::Result<RuleId> add(simdjson::dom::element root, std::string_view pointer, std::string_view field,
                             Unconstrained* unconstrained);
    SharedRules& shared() { return shared_; }

private:
    GrammarBuilder& builder_;
    SharedRules shared_;
};

}  // namespace llmd::constraint
