// The properties that an object may have: those whose names the schema lists, and those whose names fit a description,
// which `patternProperties`, `propertyNames` and `additionalProperties` give. Thread-bound.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "constraint/character_dfa.h"
#include "constraint/json_text.h"
#include "constraint/merged_schema.h"

namespace llmd::constraint {

inline constexpr size_t kMaxNamePatterns = 16;  // of one object: their automata are intersected in pairs

struct ObjectShape {
    struct Other {
        // The characters of the names, none of which is a listed one; nothing: any name that is not listed.
        std::optional<CharacterDfa> name;
        Counts characters;
        Schemas value;
    };
    std::vector<MergedSchema::MergedProperty> properties;
    std::vector<Other> others;  // no name fits two of them

    // Names that `propertyNames` enumerates are listed, and optional, in their order. A name that several patterns
    // match is left out. `root` and `n_merges` are those of MergedSchema::add(); it means nothing if `merged` has a
    // refusal.
    ObjectShape(MergedSchema& merged, simdjson::dom::element root, size_t& n_merges, DfaWork& work);

private:
    void add_properties(MergedSchema& merged, DfaWork& work);
    // Obeys propertyNames.
    void limit_names(MergedSchema& merged, MergedSchema& names, DfaWork& work);
    // Keeps the listed properties whose names fit.
    void keep(MergedSchema& merged, const std::function<bool(const std::string&)>& fits);
    void list_names(MergedSchema& merged, const std::vector<std::string>& names);
    // Removes the listed names from the automata of others.
    void exclude_listed(MergedSchema& merged, DfaWork& work);
};

}  // namespace llmd::constraint
