// The strings that fit a schema, for values and for the names of properties: its keywords `pattern` and `format` as one
// automaton, and its lengths. Thread-bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "constraint/character_dfa.h"
#include "constraint/json_text.h"
#include "constraint/merged_schema.h"

namespace llmd::constraint {

struct SchemaTexts {
    struct Part {
        std::string path;  // of the schema that has the keyword
        Keyword keyword = Keyword::Pattern;
        std::string pattern;
    };
    Counts characters;
    std::vector<Part> parts;

    // Reads the keywords. An unknown format restricts nothing, and is told.
    explicit SchemaTexts(MergedSchema& merged);
    // Equal for schemas of the same strings.
    std::string name() const;
    // Returns the characters of the strings, without the lengths; nothing if any will do, or `merged` has a refusal.
    // A part that cannot be computed is dropped (MergedSchema::drop()), and removed from `parts`.
    std::optional<CharacterDfa> dfa(MergedSchema& merged, DfaWork& work);
};

}  // namespace llmd::constraint
