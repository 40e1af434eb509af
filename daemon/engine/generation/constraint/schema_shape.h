// Facts about all texts of a schema, from which follows that no text matches two schemas. oneOf is then the same as
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
    // The only values, if equal ones among them are always spelled alike.
    std::optional<Values> values;
    // The only values of required properties, as in `values`.
    std::map<std::string, Values> tags;

    // A $ref is looked up in `root`.
    SchemaShape(simdjson::dom::element schema, simdjson::dom::element root);

    // True if certainly no text matches both.
    bool excludes(const SchemaShape& other) const;
};

// Returns the target of a $ref such as "#/$defs/a"; nothing if `root` has none.
std::optional<simdjson::dom::element> resolve(std::string_view ref, simdjson::dom::element root);

}  // namespace llmd::constraint
