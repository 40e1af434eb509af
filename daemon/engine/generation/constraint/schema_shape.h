// What can be told of the texts of a schema without judging any, to prove that none fits two schemas: then oneOf is
// anyOf.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <simdjson.h>

namespace llmd::constraint {

struct SchemaShape {
    using Values = std::vector<std::string>;  // sorted

    uint8_t types = 0xFF;  // TypeBits that a text may have
    // The only values, where all are such that equal ones are spelled alike.
    std::optional<Values> values;
    // Of properties that every text has and whose values are known like that: theirs.
    std::map<std::string, Values> tags;

    // A $ref is looked up in `root`.
    SchemaShape(simdjson::dom::element schema, simdjson::dom::element root);

    // Surely no text fits both.
    bool excludes(const SchemaShape& other) const;
};

// What a $ref such as "#/$defs/a" names; nothing if it names nothing in `root`.
std::optional<simdjson::dom::element> resolve(std::string_view ref, simdjson::dom::element root);

}  // namespace llmd::constraint
