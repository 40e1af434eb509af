// Compiles a JSON schema (https://json-schema.org, draft 2020-12) to a grammar of the JSON texts that match it. Every
// text of the grammar is valid, but not every valid text is in the grammar, since it generates texts and does not judge
// them:
//   - the properties of an object come in the order of the schema, each at most once, and then additional ones if
//     `additionalProperties` is true or a schema. If it is absent beside `properties` it means false here, and if
//     `items` is absent after `prefixItems` nothing follows these, as most schemas intend;
//   - if `type` is absent, it follows from keywords such as `properties` or `minLength`;
//   - nesting, digits and white space are bounded (grammar.h, json_text.h).
//
// Supported: type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems, maxItems,
// minLength, maxLength, minimum and maximum (whole numbers for `number`), exclusiveMinimum and exclusiveMaximum of
// integers, format (date, time, date-time, uuid, ipv4, email), anyOf, oneOf if no text can match two of its schemas,
// $ref within the same schema, true, false. $ref, anyOf, oneOf, enum and const allow no keyword beside them, except
// `type` beside the latter two. Annotations such as `title` and `default` are ignored. Everything else is refused:
// nothing that restricts a text is ignored.
#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/generation/constraint/grammar.h"

namespace simdjson::dom {
class element;
}

namespace llmd::constraint {

inline constexpr size_t kMaxSchemaBytes = 64u << 10;
inline constexpr size_t kMaxSchemaDepth = 64;    // of nested brackets in the schema itself
inline constexpr size_t kMaxProperties = 200;    // of one object: all of them may be left out (kMaxNfaThreads)
inline constexpr size_t kMaxEnumValues = 4096;   // of one enum
inline constexpr size_t kMaxAlternatives = 64;   // of one anyOf or oneOf
inline constexpr uint32_t kMaxCount = 1u << 20;  // of minItems or minLength; a larger maximum is reduced to it

// InvalidArgument names the location, the keyword and what is wrong with it: `json_schema: at "#/properties/a": ...`.
// Takes some tens of milliseconds at most. Any thread.
base::Result<Grammar> compile_json_schema(std::string_view text);

// Adds a parsed schema to a grammar as a rule that matches its texts. A $ref is looked up within `schema`. Errors are
// those of compile_json_schema() and begin with `field` in the place of "json_schema", so that `field` must be clean
// text; the builder is of no use after one. The document is not used afterwards.
base::Result<RuleId> add_json_schema(GrammarBuilder& builder, simdjson::dom::element schema, std::string_view field);

}  // namespace llmd::constraint
