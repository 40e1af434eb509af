// A JSON schema (https://json-schema.org, draft 2020-12) turned into a grammar of the JSON texts that fit it. Every
// text of the grammar is valid; not every valid text is in it, since a text is made here and not judged:
//   - the properties of an object come in the order of the schema, each at most once, then additional ones if
//     `additionalProperties` says true or a schema: absent beside `properties` it means false here, and absent `items`
//     behind `prefixItems` means that nothing follows them, as most schemas intend;
//   - where `type` is absent, keywords such as `properties` or `minLength` say it;
//   - nesting, digits and white space are bounded (grammar.h, json_text.h).
//
// Honoured: type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems, maxItems,
// minLength, maxLength, minimum and maximum (of a `number` whole ones), exclusiveMinimum and exclusiveMaximum of
// integers, format (json_format.h), anyOf, oneOf where no text can fit two of its schemas, $ref to a place in the same
// schema, true, false. $ref, anyOf, oneOf, enum and const stand alone, but for `type` beside the latter two.
// Annotations such as `title` and `default` are ignored. Everything else is refused: nothing that limits a text is
// ignored.
#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/generation/constraint/grammar.h"

namespace llmd::constraint {

inline constexpr size_t kMaxSchemaBytes = 64u << 10;
inline constexpr size_t kMaxSchemaDepth = 64;    // brackets in one another, in the schema itself
inline constexpr size_t kMaxProperties = 200;    // of one object: all of them may be left out (kMaxWays)
inline constexpr size_t kMaxEnumValues = 4096;   // of one enum
inline constexpr size_t kMaxAlternatives = 64;   // of one anyOf or oneOf
inline constexpr uint32_t kMaxCount = 1u << 20;  // that minItems or minLength names; a larger maximum is taken for it

// InvalidArgument: `json_schema: at "#/properties/a": ...` names the place, the keyword and what is wrong with it.
// Takes some tens of milliseconds at most. Any thread.
base::Result<Grammar> compile_json_schema(std::string_view text);

}  // namespace llmd::constraint
