// A JSON schema as programs write it, made one that can be read. Of what is malformed only the keyword goes, so that a
// list of twenty tools is not refused for one of them. Pure.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>

namespace llmd::constraint {

struct MendedSchema {
    std::string text;
    // The first thing that was changed: `at "#/properties/a": type: "any" is no JSON type`. Empty where draft 7's
    // spelling of a tuple was all: that is no fault.
    std::string fault;
};

// Mends the schema of a tool's arguments, and so of an object. Returns nothing where there is nothing to mend:
// - `type` with the name of a JSON type in other letters or of a common programming language is that type; any other
//   goes, and at the root it is "object";
// - the keywords that hold schemas (held_by()), `required`, `enum`, and the keywords whose values are numbers, strings
//   or true and false go where their value is of another kind, a count is negative, or an `enum` is empty;
// - a key that comes again goes;
// - a `$ref` that names nothing in the schema goes, unless a schema around it, the nearest first, has what it names: it
//   was written for itself, with `$defs` of its own;
// - `items` that is an array, as in draft 7, is `prefixItems`, and its `additionalItems` is `items`.
// A schema that is no object is one of any value. At the root true and a text mean any object, and all else means one
// without properties.
std::optional<MendedSchema> mend_schema(simdjson::dom::element schema);

}  // namespace llmd::constraint
